"""Rows of the log by match, and which matches there are."""

from collections.abc import Iterator
from typing import Any, Final, LiteralString
from uuid import UUID

import msgspec
import psycopg
from psycopg_pool import ConnectionPool

from adapters.postgres.recorder import translated_errors
from adapters.serialization import Row, decode_public, public_part
from domain.events import MatchOpened

Pool = ConnectionPool[psycopg.Connection[Any]]

_OPENINGS: Final[LiteralString] = """
SELECT match, version, tag, body, position,
       EXISTS (SELECT FROM log.events AS ending WHERE ending.match = opening.match
               AND (ending.tag LIKE 'MatchSettled.%%' OR ending.tag LIKE 'MatchAbandoned.%%'))
FROM log.events AS opening WHERE tag LIKE 'MatchOpened.%%' ORDER BY position
"""
_ROWS: Final[LiteralString] = """
SELECT position, match, version, tag, body, digest FROM log.events WHERE match = %b ORDER BY version
"""


class KnownMatch(msgspec.Struct, frozen=True):
    """A match of the log, as it was opened."""

    opened: MatchOpened
    position: int
    ended: bool

    @property
    def id(self) -> UUID:
        """The match's id."""
        return self.opened.match


def known_matches(pool: Pool) -> Iterator[KnownMatch]:
    """Every match of the log, in the order they were opened. Raises `BrokenLog`."""
    with translated_errors(), pool.connection() as connection:
        for match, version, tag, body, position, ended in connection.execute(_OPENINGS, [], binary=True):
            opened = decode_public(tag, public_part(body), match, version, position)
            assert isinstance(opened, MatchOpened), "the tag says so"
            yield KnownMatch(opened, position, ended)


def rows_of_match(pool: Pool, match: UUID) -> list[Row]:
    """The rows of one match, in order of version."""
    with translated_errors(), pool.connection() as connection:
        return [Row(*row) for row in connection.execute(_ROWS, [match], binary=True)]


def last_position(pool: Pool) -> int:
    """The last position of the log, 0 in an empty one."""
    with translated_errors(), pool.connection() as connection:
        row = connection.execute("SELECT coalesce(max(position), 0) FROM log.events", binary=True).fetchone()
    return int(row[0]) if row else 0
