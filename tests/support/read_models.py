"""What read models hold, and what they should: the same handlers over rows in memory, in one go."""

from collections.abc import Sequence
from typing import Any, Final

import psycopg

from adapters.postgres.generations import live_generation, schema_of
from adapters.postgres.read_models import PostgresRows
from projections import runner
from projections.hand_replays import HAND_REPLAYS
from projections.leaderboards import LEADERBOARDS
from projections.messages import Message
from projections.players import PLAYER_STATISTICS
from projections.read_model import Key
from projections.runner import Projection
from projections.tables import TABLES
from tests.support.rows_in_memory import RowsInMemory

PROJECTIONS: Final = (TABLES, LEADERBOARDS, HAND_REPLAYS, PLAYER_STATISTICS)

Content = dict[str, dict[Key, Any]]


def folded(projection: Projection, messages: Sequence[Message]) -> Content:
    """Every row these messages lead to, by table and key."""
    rows = RowsInMemory()
    runner.apply(projection, messages, rows)
    return rows.content(projection.tables)


def stored(
    connection: psycopg.Connection[Any], projection: Projection, generation: int | None = None
) -> Content:
    """Every row of a generation (the one that is read) in the database, by table and key."""
    number = generation or live_generation(connection, projection.name)
    assert number is not None, f"{projection.name} has no generation"
    connection.execute("SET timezone TO 'UTC'")
    rows = PostgresRows(connection, schema_of(projection.name, number), projection.tables)
    return {
        table.name: {table.key_of(row): row for row in rows.scan(table, ())} for table in projection.tables
    }
