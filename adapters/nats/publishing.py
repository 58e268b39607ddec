"""Publishes rows in order through a bounded window, and checks every acknowledgement (design §5).

Each publish is conditional on the sequence before it, so a row can only be stored at its own position. Answers come to
one subscription of our own: a refusal, an interruption or an answer that is late ends the window, and whoever publishes
looks where the stream stands. What was sent and not answered may still be stored, which does no harm: it is the same
bytes at the same place, or refused.
"""

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import Final, Self

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from adapters.nats.connection import NatsConnection
from adapters.nats.denials import Denied
from adapters.nats.headers import headers_of, source_of, subject_of
from adapters.nats.lean_client import published, rendered
from adapters.nats.stream import subject_prefix
from adapters.serialization import Row


class WindowEnded(Exception):
    """Publishing has ended before its end; how far it came is to be looked up. `refused`: by the stream itself."""

    def __init__(self, what: str, *, refused: bool = False) -> None:
        self.refused = refused
        super().__init__(what)


class _Error(msgspec.Struct):
    description: str = ""


class _Acknowledgement(msgspec.Struct):
    stream: str = ""
    seq: int = 0
    error: _Error | None = None


MOST_IN_WINDOW: Final = 1024
"""How many rows may be on their way at once, at most."""

_ANSWER: Final = msgspec.json.Decoder(_Acknowledgement)


class Publisher:
    """Publishes to one stream. Use as an async context manager.

    `window`: how many rows may be on their way at once. `late_s`: how long no answer may come while some are due.
    """

    def __init__(
        self,
        connection: NatsConnection,
        stream: str,
        log: str,
        *,
        window: int = MOST_IN_WINDOW,
        late_s: float = 5.0,
    ) -> None:
        self._connection = connection
        self._stream = stream
        self._log = log
        self._prefix = subject_prefix(log)
        self._window = min(window, MOST_IN_WINDOW)
        self._burst = max(1, self._window // 8)
        self._late_s = late_s
        self._inbox = connection.client.new_inbox()
        self._subscription: Subscription | None = None
        self._runs = count(1)
        self._run = ""
        self._acknowledged = 0
        self._ended: WindowEnded | Denied | None = None
        self._progress = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._subscription = await self._connection.client.subscribe(f"{self._inbox}.*.*", cb=self._answered)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._subscription is not None and not self._connection.client.is_closed:
            await self._subscription.unsubscribe()

    @property
    def acknowledged(self) -> int:
        """The position up to which this publisher knows its rows to be stored, each at its own place."""
        return self._acknowledged

    async def publish(self, rows: Sequence[Row], epoch: str) -> None:
        """Publishes these rows, which follow the stream's last message. Raises `WindowEnded`, `Denied`."""
        if not rows:
            return
        self._begin(rows[0].position - 1)
        source = source_of(self._log, epoch)
        with (
            self._connection.on_interruption(self._interrupted),
            self._connection.denials.watching(f"{self._prefix}.>", self._denied),
        ):
            try:
                for start in range(0, len(rows), self._burst):
                    burst = rows[start : start + self._burst]
                    await self._wait(burst[-1].position - self._window)
                    await self._connection.client.publish_all([self._command(row, source) for row in burst])
                await self._wait(rows[-1].position)
            except (nats.errors.Error, OSError) as error:
                raise WindowEnded(f"NATS: {str(error) or type(error).__name__}") from error

    def _begin(self, acknowledged: int) -> None:
        """A new window: answers to an older one name another run and are passed over."""
        self._run = f"{self._inbox}.{next(self._runs)}."
        self._acknowledged = acknowledged
        self._ended = None

    def _command(self, row: Row, source: str) -> bytes:
        public = row.public
        headers = rendered(headers_of(row, public, source))
        return published(subject_of(row, self._prefix), f"{self._run}{row.position}", headers, public)

    async def _wait(self, until: int) -> None:
        """Returns when the row at `until` is acknowledged. Raises `WindowEnded`."""
        while self._acknowledged < until or self._ended:
            if self._ended:
                raise self._ended
            self._progress.clear()
            before = self._acknowledged
            try:
                async with asyncio.timeout(self._late_s):
                    await self._progress.wait()
            except TimeoutError:
                if self._acknowledged == before:
                    raise WindowEnded(f"no acknowledgement of position {before + 1} in time") from None

    async def _answered(self, message: Msg) -> None:
        if not message.subject.startswith(self._run):
            return
        position = int(message.subject[len(self._run) :])
        refusal = self._refusal(position, message)
        if refusal:
            self._end(WindowEnded(f"position {position}: {refusal}", refused=True))
        else:
            self._acknowledged = position
        self._progress.set()

    def _refusal(self, position: int, message: Msg) -> str:
        """Why an answer is not the acknowledgement that was due; empty where it is."""
        if not message.data:
            return "no stream takes it"
        answer = _ANSWER.decode(message.data)
        if answer.error is not None:
            return answer.error.description
        if (answer.stream, answer.seq) != (self._stream, position):
            return f"stored as {answer.seq} of {answer.stream}"
        if position != self._acknowledged + 1:
            return f"acknowledged where {self._acknowledged + 1} was due"
        return ""

    def _interrupted(self) -> None:
        self._end(WindowEnded("the connection to NATS was interrupted"))
        self._progress.set()

    def _denied(self, denied: Denied) -> None:
        self._end(denied)
        self._progress.set()

    def _end(self, ended: WindowEnded | Denied) -> None:
        self._ended = self._ended or ended
