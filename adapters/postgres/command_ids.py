"""What the log remembers of accepted command ids (design §3)."""

from typing import Any

import msgspec
import psycopg
from psycopg_pool import ConnectionPool

from adapters.postgres.appending import CommandKey
from adapters.postgres.recorder import translated_errors

_FIND = b"""
SELECT content, first_version, last_version FROM log.commands
WHERE match = %b AND seat = %b::smallint AND command_id = %b
"""


class KnownCommand(msgspec.Struct, frozen=True):
    """An accepted command: the keyed digest of its content, and the versions it appended."""

    content: bytes
    first_version: int
    last_version: int


def find_command(pool: ConnectionPool[psycopg.Connection[Any]], key: CommandKey) -> KnownCommand | None:
    """The command accepted under this id for this match and seat, or None."""
    with translated_errors(), pool.connection() as connection:
        cursor = connection.execute(_FIND, [key.match, key.seat, key.command_id], binary=True)
        row = cursor.fetchone()
    return None if row is None else KnownCommand(*row)
