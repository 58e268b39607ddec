"""Lean reads of the log in order, and waiting for what comes next: for the relay, rebuilds and whoever tails the log.

Positions are dense and given under a lock, so a reader that asks for what follows a position skips nothing. A
notification at each commit wakes it; polling makes up for one that is lost. A connection that breaks is made again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self, TypeVar

import psycopg

from adapters.errors import ServersUnavailable
from adapters.postgres.recorder import CHANNEL
from adapters.serialization import Row

_ROWS: Final = b"""
SELECT position, match, version, tag, body, digest FROM log.events
WHERE position >= %b::bigint ORDER BY position LIMIT %b::bigint
"""
_LAST: Final = b"SELECT coalesce(max(position), 0) FROM log.events"
_RETRY_S: Final = 0.2

T = TypeVar("T")


class LogReader:
    """Reads the log of one database over a connection of its own. Use as an async context manager.

    A database that is away is waited for, `patience_s` seconds at most (None: for ever), then `ServersUnavailable`.
    """

    def __init__(self, database_url: str, *, poll_s: float = 1.0, patience_s: float | None = None) -> None:
        self._database_url = database_url
        self._poll_s = poll_s
        self._patience_s = patience_s
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._disconnect()

    async def rows(self, first: int, limit: int) -> list[Row]:
        """Up to `limit` rows from position `first` on, in order."""

        async def read(connection: psycopg.AsyncConnection[Any]) -> list[Row]:
            cursor = await connection.execute(_ROWS, [first, limit], binary=True)
            return [Row(*row) for row in await cursor.fetchall()]

        return await self._again_and_again(read)

    async def last_position(self) -> int:
        """The position of the last row, 0 in an empty log."""

        async def read(connection: psycopg.AsyncConnection[Any]) -> int:
            row = await (await connection.execute(_LAST, binary=True)).fetchone()
            return int(row[0]) if row is not None else 0

        return await self._again_and_again(read)

    async def wait(self) -> None:
        """Returns when the log has grown since the last read, or may have: after at most `poll_s` seconds."""

        async def listen(connection: psycopg.AsyncConnection[Any]) -> None:
            # What was committed between the last read and now has been kept by the connection.
            async for _ in connection.notifies(timeout=self._poll_s, stop_after=1):
                pass

        await self._again_and_again(listen)

    async def _again_and_again(self, do: Callable[[psycopg.AsyncConnection[Any]], Awaitable[T]]) -> T:
        """Does it, on a new connection where the old one broke."""
        began = time.monotonic()
        while True:
            try:
                return await do(await self._connected())
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                await self._disconnect()
                if self._patience_s is not None and time.monotonic() - began > self._patience_s:
                    raise ServersUnavailable(f"PostgreSQL is away: {' '.join(str(error).split())}") from error
                await asyncio.sleep(_RETRY_S)

    async def _connected(self) -> psycopg.AsyncConnection[Any]:
        if self._connection is None:
            self._connection = await psycopg.AsyncConnection.connect(self._database_url, autocommit=True)
            await self._connection.execute(f"LISTEN {CHANNEL}".encode())
        return self._connection

    async def _disconnect(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
