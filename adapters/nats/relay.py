"""The relay: what the log holds goes to the stream, the same bytes in the same order (design §5).

It resumes behind the stream's last message, so there is nothing of its own to remember. Every read of the log begins
with the row published last and compares it with that message: a log restored to an older backup, a foreign message or
a purge stops it before anything wrong is published. Any number of relays may run; a session lock lets one work, and the
condition on every publish keeps the stream right even where two believe they hold it.

The condition alone does not keep a foreign message out of the middle: where one takes position n, row n is refused,
but row n + 1 finds n messages before it and is stored. Nothing stands behind such a message but what was on its way
then, at most one window. So whoever begins, or has lost sight of the stream, compares its last window with the log.
"""

import asyncio
from typing import Final

import msgspec

from adapters.errors import ServersUnavailable
from adapters.health import Health, Patience
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection
from adapters.nats.headers import ROW_DIGEST
from adapters.nats.publishing import MOST_IN_WINDOW, Publisher, WindowEnded
from adapters.nats.stream import REBUILD_FEED, FeedBroken, FeedStream, StoredMessage
from adapters.postgres.log_reader import LogReader
from adapters.postgres.session_lock import RELAY, SessionLock
from adapters.randomness import Randomness
from adapters.serialization import Row

_BATCH: Final = 2048
_STANDBY_S: Final = 0.5
_DATABASE_AWAY_S: Final = 2.0


class _Stand(msgspec.Struct, frozen=True):
    """Where the stream stands: its epoch, its last position, and the digest of the row there."""

    epoch: str
    position: int = 0
    digest: str = ""


class Relay:
    """Publishes one log. `health` says how it is; it is red after `FeedBroken`."""

    def __init__(
        self,
        database_url: str,
        connection: NatsConnection,
        log: str,
        randomness: Randomness,
        *,
        window: int = MOST_IN_WINDOW,
        late_s: float = 5.0,
        poll_s: float = 1.0,
        patience_s: float = 60.0,
        health: Health | None = None,
    ) -> None:
        self._database_url = database_url
        self._connection = connection
        self._log = log
        self._randomness = randomness
        self._window = window
        self._late_s = late_s
        self._poll_s = poll_s
        self._patience_s = patience_s
        self._stream = FeedStream(connection, log)
        self._known = _Stand("")
        self.health = health or Health("relay")

    async def run(self, until: int | None = None) -> None:
        """Publishes what comes; returns once the stream has position `until`.

        Raises `FeedBroken` (and is red then), and `ServersUnavailable`: NATS has closed the connection for good, or it
        waits for `until` and a server stays away for `patience_s`.
        """
        try:
            async with (
                SessionLock(self._database_url, RELAY) as lock,
                LogReader(self._database_url, poll_s=self._poll_s, patience_s=_DATABASE_AWAY_S) as reader,
                Publisher(
                    self._connection, self._stream.name, self._log, window=self._window, late_s=self._late_s
                ) as publisher,
            ):
                await self._run(lock, reader, publisher, until)
        except FeedBroken as broken:
            self.health.stop(str(broken))
            raise

    async def _run(
        self, lock: SessionLock, reader: LogReader, publisher: Publisher, until: int | None
    ) -> None:
        stand: _Stand | None = None
        patience = Patience(None if until is None else self._patience_s)
        while True:
            try:
                if not await lock.take():
                    stand = None
                    if await self._stand_by(until):
                        return
                    continue
                before = stand or await self._look(reader)
                stand = await self._forward(before, reader, publisher)
                patience.renew()
                self.health.work_at(stand.position)
                if until is not None and stand.position >= until:
                    return
                if stand == before:
                    stand = await self._idle(stand, reader)
            except (NatsAway, JetStreamRefused, WindowEnded, ServersUnavailable) as trouble:
                stand = None
                self.health.wait_for(str(trouble))
                self._connection.check_open()
                await patience.wait(trouble)

    async def _idle(self, stand: _Stand, reader: LogReader) -> _Stand | None:
        """Waits for the log to grow. None where nothing comes and the stream lacks what it had: look at it anew."""
        began = asyncio.get_running_loop().time()
        await reader.wait()
        if asyncio.get_running_loop().time() - began < self._poll_s * 0.9:
            return stand
        state = await self._stream.state()
        holds = state is not None and state.epoch == stand.epoch and state.last >= stand.position
        return stand if holds else None

    async def _stand_by(self, until: int | None) -> bool:
        """Lets another relay work a while; whether it has brought the stream to where this one was to bring it."""
        self.health.state = "standby"
        if until is not None:
            state = await self._stream.state()
            if state is not None and state.last >= until:
                self.health.position = state.last
                return True
        await asyncio.sleep(_STANDBY_S)
        return False

    async def _look(self, reader: LogReader) -> _Stand:
        """Where the stream stands, made where there is none. Raises `FeedBroken` where it is not the log."""
        state = await self._stream.state() or await self._stream.create(self._randomness)
        if state.last == 0:
            return _Stand(state.epoch)
        if state.messages != state.last:
            raise FeedBroken(
                f"the stream {self._stream.name} lacks messages up to its last sequence {state.last}; {REBUILD_FEED}"
            )
        known = self._known.position if self._known.epoch == state.epoch else 0
        if not state.last - MOST_IN_WINDOW < known <= state.last:
            known = state.last - MOST_IN_WINDOW
        first = max(known, 1)
        rows = await reader.rows(first, state.last - first + 1)
        for row, message in zip(rows, await self._stream.messages(first, state.last), strict=False):
            _compare(row.position, row, message)
        if len(rows) < state.last - first + 1:
            _compare(state.last, None, None)
        return _Stand(state.epoch, state.last, rows[-1].digest.hex())

    async def _forward(self, stand: _Stand, reader: LogReader, publisher: Publisher) -> _Stand:
        """Where the stream stands after the next rows, if there are any."""
        rows = await reader.rows(max(stand.position, 1), _BATCH)
        if stand.position > 0:
            _compare_digest(stand.position, rows[0] if rows else None, stand.digest)
            rows = rows[1:]
        if not rows:
            return stand
        try:
            await publisher.publish(rows, stand.epoch)
        finally:
            self._known = _Stand(stand.epoch, publisher.acknowledged)
        return _Stand(stand.epoch, rows[-1].position, rows[-1].digest.hex())


def _compare(position: int, row: Row | None, message: StoredMessage | None) -> None:
    """Raises `FeedBroken` where a message of the stream is not the row at its position."""
    _compare_digest(position, row, message.headers.get(ROW_DIGEST) if message is not None else None)
    if row is not None and message is not None and message.body != row.public:
        raise FeedBroken(
            f"the body of the stream's message {position} is not that of the log; {REBUILD_FEED}"
        )


def _compare_digest(position: int, row: Row | None, digest: str | None) -> None:
    if row is None or row.position != position:
        what = f"the log ends before the stream, which has {position} messages"
    elif row.digest.hex() != digest:
        what = f"the stream's message {position} is another one than the log has at this position"
    else:
        return
    raise FeedBroken(f"{what} (the log restored to an older backup, or a foreign message); {REBUILD_FEED}")
