"""A lock that a process holds for as long as its connection lives (PostgreSQL session advisory locks)."""

from typing import Any, Final, Self

import psycopg

RELAY: Final = 7283946502
"""Held by the one relay of a log that works."""
FEED: Final = 7283946503
"""Shared by every process that keeps a log's feed and projections going."""

_TAKE: Final = b"SELECT pg_try_advisory_lock(%b::bigint)"
_SHARE: Final = b"SELECT pg_try_advisory_lock_shared(%b::bigint)"
# A number of 64 bits stands in two columns. Nobody else is disturbed by the question.
_IS_HELD: Final = b"""
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32) + objid::bigint = %s::bigint
)
"""


class SessionLock:
    """One lock of one database, over a connection of its own. Use as an async context manager."""

    def __init__(self, database_url: str, number: int, *, shared: bool = False) -> None:
        self._database_url = database_url
        self._number = number
        self._statement = _SHARE if shared else _TAKE
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def take(self) -> bool:
        """Whether this session holds the lock now: it held it and its connection lives, or it has just got it.

        It asks and does not wait: a statement that waits would keep old rows from being cleaned up.
        """
        try:
            if self._connection is not None:
                await self._connection.execute(b"SELECT 1")
                return True
            return await self._try()
        except (psycopg.OperationalError, psycopg.InterfaceError):
            await self.release()
            return False

    async def _try(self) -> bool:
        connection = await psycopg.AsyncConnection.connect(self._database_url, autocommit=True)
        row = await (await connection.execute(self._statement, [self._number], binary=True)).fetchone()
        if row is None or not row[0]:
            await connection.close()
            return False
        self._connection = connection
        return True

    async def release(self) -> None:
        """Gives the lock back."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None


def is_held(database_url: str, number: int) -> bool:
    """Whether any process holds this lock of this database."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        row = connection.execute(_IS_HELD, [number]).fetchone()
        return bool(row and row[0])
