"""Recomputes the read models of some matches from the log and compares them with what is read; changes nothing.

A match's rows follow from its own events alone, in every table whose key begins with the match. What adds up over
matches (the boards) is compared with the ledger of the players concerned.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg

from adapters.feed_messages import message_of_row
from adapters.postgres import generations
from adapters.postgres.comparison import MOST_SHOWN, Difference, TableComparison
from adapters.postgres.generations import schema_of
from adapters.postgres.projection_store import connect
from adapters.postgres.read_models import PostgresRows
from adapters.postgres.stored_tables import StoredTable
from adapters.serialization import Row
from projections import runner
from projections.checkpoints import Checkpoint
from projections.leaderboards.explaining import boards_of
from projections.leaderboards.rows import ENTRIES, STANDINGS, Entry, Standing
from projections.overlay import Overlay
from projections.read_model import Key, R, Rows, Table
from projections.runner import Projection

_SAMPLE: Final = b"""
SELECT match FROM log.events WHERE tag LIKE 'MatchOpened.%%' AND position <= %b::bigint
ORDER BY random() LIMIT %b::bigint
"""
_ROWS: Final = b"""
SELECT position, match, version, tag, body, digest FROM log.events
WHERE match = %b AND position <= %b::bigint ORDER BY version
"""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What recomputing a sample found, table by table; `generation` is None where nothing is read yet."""

    projection: str
    generation: int | None
    position: int
    matches: int
    tables: tuple[TableComparison, ...]

    @property
    def equal(self) -> bool:
        """Whether what was recomputed is what is read."""
        return not any(table.different for table in self.tables)


def verify_sample(database_url: str, projection: Projection, matches: int, *, log: str = "main") -> Sample:
    """Recomputes so many matches, drawn at random, as one moment has them. Raises `CannotApply`, `RowsUnavailable`."""
    with connect(database_url) as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        generation = generations.live_generation(connection, projection.name)
        at = (
            None
            if generation is None
            else generations.checkpoint_of(connection, projection.name, generation, log)
        )
        if at is None:
            return Sample(projection=projection.name, generation=generation, position=0, matches=0, tables=())
        chosen = [row[0] for row in connection.execute(_SAMPLE, [at.position, matches], binary=True)]
        live = PostgresRows(connection, schema_of(projection.name, at.generation), projection.tables)
        return Sample(
            projection=projection.name,
            generation=at.generation,
            position=at.position,
            matches=len(chosen),
            tables=tuple(_compared(connection, projection, live, at, chosen)),
        )


def _compared(
    connection: psycopg.Connection[Any],
    projection: Projection,
    live: PostgresRows,
    at: Checkpoint,
    matches: Sequence[UUID],
) -> list[TableComparison]:
    """Each table of matches, then the boards of whoever played in them, where there are boards."""
    recomputed = Overlay()
    for match in matches:
        rows = connection.execute(_ROWS, [match, at.position], binary=True)
        runner.apply(projection, [message_of_row(Row(*row)) for row in rows], recomputed)
    schema = schema_of(projection.name, at.generation)
    found = [
        _comparison(
            StoredTable(schema, table),
            _of_matches(table, live, matches),
            _of_matches(table, recomputed, matches),
        )
        for table in projection.tables
        if table.key[0] == "match"
    ]
    if STANDINGS in projection.tables:
        players = {entry.player for match in matches for entry in live.scan(ENTRIES, (match,))}
        found.append(
            _compared_boards(
                connection, StoredTable(schema, STANDINGS), StoredTable(schema, ENTRIES), players
            )
        )
    return found


def _of_matches(table: Table[R], rows: Rows, matches: Iterable[UUID]) -> dict[Key, R]:
    return {table.key_of(row): row for match in matches for row in rows.scan(table, (match,))}


def _compared_boards(
    connection: psycopg.Connection[Any],
    boards: StoredTable[Standing],
    ledger: StoredTable[Entry],
    players: Iterable[UUID],
) -> TableComparison:
    """The boards of these players, and the sums of their ledgers."""
    wanted = list(players)
    standings = _of_players(connection, boards, wanted)
    summed = boards_of(_of_players(connection, ledger, wanted))
    return _comparison(
        boards,
        {STANDINGS.key_of(standing): standing for standing in standings},
        {STANDINGS.key_of(standing): standing for standing in summed},
    )


def _of_players(connection: psycopg.Connection[Any], stored: StoredTable[R], players: list[UUID]) -> list[R]:
    query = f"SELECT row_to_json(t)::text FROM {stored.name} AS t WHERE player = ANY (%s)"  # noqa: S608
    return [stored.decode(text) for (text,) in connection.execute(query.encode(), [players])]


def _comparison(stored: StoredTable[R], live: dict[Key, R], rebuilt: dict[Key, R]) -> TableComparison:
    """Row for row, as their text."""
    differences = []
    for key in sorted({*live, *rebuilt}):
        one, other = (stored.rows_as_json([rows[key]]) if key in rows else None for rows in (live, rebuilt))
        if one != other:
            differences.append(Difference(stored.table.name, one, other))
    return TableComparison(stored.table.name, len(rebuilt), len(differences), tuple(differences[:MOST_SHOWN]))
