"""What is asked of the ledger of leaderboards: a player's rows, and boards as they would be.

Each question is answered at one moment, in a transaction that can only read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from adapters.postgres.generations import NotProjectedYet, live_generation, schema_of
from adapters.postgres.projection_store import connect
from adapters.postgres.read_models import PostgresRows
from adapters.postgres.stored_tables import StoredTable
from projections.leaderboards import LEADERBOARDS
from projections.leaderboards.explaining import Explanation, explain
from projections.leaderboards.rows import ENTRIES, STANDINGS
from projections.leaderboards.what_if import Changed, what_if
from projections.periods import ALL_TIME
from projections.read_model import R, Table


class _Moment(NamedTuple):
    """The leaderboards at one moment."""

    connection: psycopg.Connection[Any]
    schema: str

    def select(self, table: Table[R], condition: str, values: Sequence[Any]) -> list[R]:
        """The rows of a table that a condition holds for."""
        stored = StoredTable(self.schema, table)
        query = f"SELECT row_to_json(t)::text FROM {stored.name} AS t WHERE {condition}"  # noqa: S608
        return [stored.decode(text) for (text,) in self.connection.execute(query.encode(), values)]


@contextmanager
def _moment(database_url: str) -> Iterator[_Moment]:
    with connect(database_url) as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        generation = live_generation(connection, LEADERBOARDS.name)
        if generation is None:
            raise NotProjectedYet("there are no leaderboards yet: run `gongzhu serve`, or play something")
        yield _Moment(connection, schema_of(LEADERBOARDS.name, generation))


def players_like(database_url: str, text: str) -> list[UUID]:
    """The players on any board whose ids begin or end with this text."""
    with _moment(database_url) as now:
        found = now.connection.execute(
            f"SELECT DISTINCT player FROM {StoredTable(now.schema, STANDINGS).name}"  # noqa: S608
            " WHERE period = %s AND (player::text LIKE %s OR player::text LIKE %s) ORDER BY player LIMIT 20".encode(),
            [ALL_TIME, f"{text}%", f"%{text}"],
        )
        return [row[0] for row in found]


def explained(database_url: str, player: UUID, ruleset: str) -> list[Explanation]:
    """A player's ledger of a ruleset by origin, added up, beside his boards of all time."""
    with _moment(database_url) as now:
        entries = now.select(ENTRIES, "player = %s AND ruleset = %s", [player, ruleset])
        standings = now.select(
            STANDINGS, "player = %s AND ruleset = %s AND period = %s", [player, ruleset, ALL_TIME]
        )
    return explain(player, ruleset, entries, standings)


def board_without(
    database_url: str, ruleset: str, origin: str, matches: Sequence[UUID], at: datetime
) -> list[Changed]:
    """The board of all time without these matches beside what it is; ratings folded anew. Changes nothing."""
    with _moment(database_url) as now:
        rows = PostgresRows(now.connection, now.schema, LEADERBOARDS.tables)
        return what_if(ruleset, origin, matches, at, rows)


def board_of_match(database_url: str, match: UUID) -> tuple[str, str] | None:
    """The ruleset and origin of the boards a match counts on, None where it is on none."""
    with _moment(database_url) as now:
        found = now.connection.execute(
            f"SELECT ruleset, origin FROM {StoredTable(now.schema, ENTRIES).name}"  # noqa: S608
            " WHERE match = %s LIMIT 1".encode(),
            [match],
        ).fetchone()
    return None if found is None else (found[0], found[1])
