"""Reading a whole log in order, lean and in constant memory."""

from collections.abc import Iterator
from typing import Final

import psycopg

from adapters.postgres.recorder import translated_errors
from adapters.serialization import decode_public, public_part
from domain.events import Event

_BATCH: Final = 2_000
_QUERY: Final = b"""
SELECT position, match, version, tag, body FROM log.events
WHERE position > %b::bigint ORDER BY position LIMIT %b::bigint
"""


def scan(database_url: str, after: int = 0) -> Iterator[tuple[int, Event]]:
    """Position and public event of every row after a position. Raises `BrokenLog` naming the row."""
    with translated_errors(), psycopg.connect(database_url, autocommit=True) as connection:
        cursor = connection.cursor(binary=True)
        while rows := cursor.execute(_QUERY, [after, _BATCH]).fetchall():
            for position, match, version, tag, body in rows:
                yield position, decode_public(tag, public_part(body), match, version, position)
            after = rows[-1][0]
