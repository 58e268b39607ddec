"""Group commit: one transaction for everything that is queued (design §4).

Commands queue up while a transaction is on its way and go into the next one together, at most one a match. A command
that no longer fits is dropped whole and its neighbours are stored. Whether a transaction whose answer was lost stands
is looked up, under the log's lock and after the old backend has ended; nothing is inserted twice on a guess.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Self

import psycopg

from adapters.errors import AdapterError
from adapters.postgres.appending import APPEND, LOCK, Append, Appended, append_arguments, outcomes
from adapters.postgres.eager_connection import EagerConnection

_RETRY_S: Final = 0.1
_MOST_IN_ONE: Final = 1000

_OWN_BACKEND: Final = b"SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
# Waits until the backend is gone; its start time tells it from a later process of the same number.
_END_BACKEND: Final = b"""
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid = %b AND backend_start = %b
"""
_STANDS: Final = b"""
SELECT position FROM log.events
WHERE match = %b AND version = %b::bigint AND body = %b
"""


class LogBusy(AdapterError):
    """Too many commands wait for the log."""


class LogUnavailable(AdapterError):
    """The log cannot be reached; whether the command was stored is known only to the log."""


class _Waiting:
    """A command in the queue and who waits for what becomes of it."""

    __slots__ = ("answer", "append")

    def __init__(self, append: Append) -> None:
        self.append = append
        self.answer: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()


class GroupCommit:
    """Appends commands to the log of one database. Use as an async context manager.

    `most_waiting` bounds the queue; `patience_s` is how long a command waits for a database that is away.
    """

    def __init__(self, database_url: str, *, most_waiting: int = 4096, patience_s: float = 30.0) -> None:
        self._database_url = database_url
        self._most_waiting = most_waiting
        self._patience_s = patience_s
        self._queue: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._connection: EagerConnection | None = None
        self._backend: tuple[int, datetime] | None = None
        self._old_backends: list[tuple[int, datetime]] = []
        self._worker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._connect()
        self._worker = asyncio.create_task(self._work(), name="group-commit")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._worker is not None:
            self._worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._worker
        for waiting in self._queue:
            _fail(waiting, LogUnavailable("the service is stopping; ask again with the same command id"))
        await self._disconnect()

    async def append(self, append: Append) -> Appended:
        """Appends one command and says what became of it, after the commit.

        Raises `LogBusy` at once when too many wait, `LogUnavailable` when the database stays away.
        """
        if len(self._queue) >= self._most_waiting:
            raise LogBusy(f"{self._most_waiting} commands wait for the log already; try again shortly")
        waiting = _Waiting(append)
        self._queue.append(waiting)
        self._wake.set()
        return await waiting.answer

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while batch := self._next_batch():
                await self._commit(batch)

    def _next_batch(self) -> list[_Waiting]:
        """The commands of the next transaction: in order, at most one a match (two would fail each other)."""
        batch: list[_Waiting] = []
        left: list[_Waiting] = []
        matches: set[object] = set()
        for waiting in self._queue:
            own = {row.match for row in waiting.append.rows}
            if waiting.answer.cancelled():
                continue
            if own & matches or len(batch) == _MOST_IN_ONE:
                left.append(waiting)
            else:
                batch.append(waiting)
            matches |= own
        self._queue = left
        return batch

    async def _commit(self, batch: list[_Waiting]) -> None:
        appends = [waiting.append for waiting in batch]
        try:
            appended = await self._insert(appends)
        except psycopg.OperationalError as error:
            await self._recover(batch, error)
        except psycopg.Error as error:
            # A command the database cannot take (a bug of ours) fails alone: try each by itself, once.
            await self._commit_alone(batch, error)
        else:
            for waiting, outcome in zip(batch, appended, strict=True):
                _answer(waiting, outcome)

    async def _insert(self, appends: Sequence[Append]) -> list[Appended]:
        connection = self._connection
        if connection is None or connection.closed:
            raise psycopg.OperationalError("not connected")
        # With one command alone there is nobody to give way to.
        connection.eager = len(appends) == 1 and not self._queue
        cursor = await connection.execute(APPEND, append_arguments(appends), binary=True)
        return outcomes(appends, await cursor.fetchone())

    async def _commit_alone(self, batch: list[_Waiting], error: psycopg.Error) -> None:
        if len(batch) == 1:
            _fail(batch[0], error)
            return
        for waiting in batch:
            await self._commit([waiting])

    async def _recover(self, batch: list[_Waiting], error: Exception) -> None:
        """After a lost connection: what stands is answered as stored, the rest goes back to the queue's head."""
        try:
            async with asyncio.timeout(self._patience_s):
                standing = await self._look_until_answered([waiting.append for waiting in batch])
        except TimeoutError:
            for waiting in batch:
                _fail(waiting, LogUnavailable(f"the database does not answer ({_first_line(error)})"))
            return
        for waiting, position in zip(batch, standing, strict=True):
            if position is not None:
                _answer(waiting, Appended("stored", position))
        self._queue[:0] = [
            waiting for waiting, position in zip(batch, standing, strict=True) if position is None
        ]
        self._wake.set()

    async def _look_until_answered(self, appends: Sequence[Append]) -> list[int | None]:
        while True:
            try:
                await self._disconnect()
                connection = await self._connect()
                return await self._standing(connection, appends)
            except psycopg.OperationalError:
                await asyncio.sleep(_RETRY_S)

    async def _standing(
        self, connection: psycopg.AsyncConnection[Any], appends: Sequence[Append]
    ) -> list[int | None]:
        """The first position of each command that stands in the log, None for the others.

        The old backend is ended first, and the log's lock taken: until then its commit may still come.
        """
        async with connection.transaction():
            for pid, started in self._old_backends:
                await connection.execute(_END_BACKEND, [pid, started])
            await connection.execute(b"SELECT pg_advisory_xact_lock(%b::bigint)", [LOCK])
            standing: list[int | None] = []
            for append in appends:
                first = append.rows[0]
                cursor = await connection.execute(
                    _STANDS, [first.match, first.version, first.body], binary=True
                )
                row = await cursor.fetchone()
                standing.append(None if row is None else row[0])
        self._old_backends.clear()
        return standing

    async def _connect(self) -> EagerConnection:
        connection = await EagerConnection.connect(self._database_url, autocommit=True)
        cursor = await connection.execute(_OWN_BACKEND, binary=True)
        self._backend = await cursor.fetchone()
        self._connection = connection
        return connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            if self._backend is not None:
                self._old_backends.append(self._backend)
            with contextlib.suppress(psycopg.Error):
                await connection.close()


def _answer(waiting: _Waiting, outcome: Appended) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(outcome)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
