"""The library of hands in PostgreSQL: one hand with its document, and pages of the hands that a search finds.

A page begins where the one before ended, so no page is slower than the first. A search that would take too long is
given up and says so.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg
from psycopg_pool import ConnectionPool

from adapters.errors import AdapterError
from adapters.hand_search import HandSearch, checked_place
from adapters.postgres.generations import live_schema
from adapters.postgres.hand_queries import Place, Query, as_number, queries_of
from adapters.postgres.recorder import translated_errors
from adapters.postgres.stored_tables import StoredTable
from domain.seats import BySeat
from projections.hand_replays.rows import HANDS, FinishedHand

HAND_REPLAYS: Final = "hand_replays"
MOST_S: Final = 5
"""How long one search may take, in seconds."""


class SearchTooLong(AdapterError):
    """A search that was given up."""

    def __init__(self) -> None:
        advice = "give a shorter time, a ruleset or fewer conditions"
        super().__init__(f"the search took longer than {MOST_S} s; {advice}")


class HandLine(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand in a list: everything but its document, which is kept apart from the row."""

    match: UUID
    hand_no: int
    position: int
    ruleset: str
    origin: str
    dealt_at: datetime
    ended_at: datetime
    players: BySeat[UUID]
    raw_scores: BySeat[int]
    points: BySeat[int] | None
    swing: int
    specials: tuple[str, ...]
    autopilot_plays: int
    annulled: bool


class HandPage(msgspec.Struct, frozen=True, kw_only=True):
    """Finished hands in the order asked for. `next`: give it as `before` to read on; None at the end."""

    hands: tuple[HandLine, ...]
    next: str | None


_COLUMNS: Final = ", ".join(f"h.{field.name}" for field in msgspec.structs.fields(HandLine))
_LINE: Final = f"row_to_json((SELECT line FROM (SELECT {_COLUMNS}) AS line))::text"  # noqa: S608
_DECODE: Final = msgspec.json.Decoder(HandLine).decode


class HandLibrary:
    """Reads the live generation of the hand replays."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]]) -> None:
        self._pool = pool

    def hand(self, match: UUID, hand_no: int) -> FinishedHand | None:
        """One finished hand with its document."""
        with translated_errors(), self._pool.connection() as connection:
            stored = StoredTable(live_schema(connection, HAND_REPLAYS), HANDS)
            query = f"SELECT row_to_json(t)::text FROM {stored.name} AS t WHERE match = %s AND hand_no = %s"  # noqa: S608
            row = connection.execute(query.encode(), [match, hand_no]).fetchone()
            return None if row is None else stored.decode(row[0])

    def search(self, search: HandSearch, *, before: str | None = None, limit: int = 50) -> HandPage:
        """A page of the hands that it finds. Raises `SearchRefused` (a wrong `before`), `SearchTooLong`."""
        place = None if before is None else Place(*checked_place(before))
        found = self._page(queries_of(search, _LINE, place, limit + 1), limit + 1)
        hands = tuple(_DECODE(line) for _, _, line in found[:limit])
        if len(found) <= limit:
            return HandPage(hands=hands, next=None)
        key, position, _ = found[limit - 1]
        return HandPage(hands=hands, next=f"{as_number(key)}:{position}")

    def _page(self, queries: Iterable[Query], enough: int) -> list[tuple[Any, ...]]:
        """Sort key, position and line of each hand, by the first statement that finds enough, or else by the last."""
        found: list[tuple[Any, ...]] = []
        with translated_errors(), self._pool.connection() as connection, connection.transaction():
            schema = live_schema(connection, HAND_REPLAYS)
            connection.execute("SELECT set_config('statement_timeout', %s, true)", [f"{MOST_S}s"])
            for query in queries:
                found = _rows(connection, query, schema)
                if len(found) == enough:
                    break
        return found


def _rows(connection: psycopg.Connection[Any], query: Query, schema: str) -> list[tuple[Any, ...]]:
    """What a statement gives, planned for these very values: some players have very many hands."""
    try:
        return connection.execute(
            query.text.format(schema=schema).encode(), query.values, prepare=False
        ).fetchall()
    except psycopg.errors.QueryCanceled:
        raise SearchTooLong from None
