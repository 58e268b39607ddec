"""One consumer for several readers of a feed that go through it at about the same pace.

Each message is received and decoded once and kept for a while; a reader takes what it wants from what is kept. One that
is too far from the others reads through a consumer of its own until it has caught up with them. One that is ahead
waits a moment for those behind it, so that they can go on together.
"""

import asyncio
from typing import Final

from adapters.nats.connection import NatsConnection
from adapters.nats.consumer import FeedConsumer
from projections.messages import Message

_MOST_KEPT: Final = 8192
_PATIENCE_S: Final = 0.25


class SharedFeed:
    """What several readers of one log's stream have in common."""

    def __init__(self, connection: NatsConnection, log: str, *, most_kept: int = _MOST_KEPT) -> None:
        self._connection = connection
        self._log = log
        self._most_kept = most_kept
        self._consumer = FeedConsumer(connection, log)
        self._kept: list[Message] = []
        self._reading = asyncio.Lock()
        self._moved = asyncio.Event()
        self._readers: set[FeedReader] = set()

    def reader(self) -> "FeedReader":
        """A reader that goes through the feed with the others until it is closed."""
        reader = FeedReader(self, FeedConsumer(self._connection, self._log))
        self._readers.add(reader)
        return reader

    async def close(self) -> None:
        """Removes the consumer."""
        await self._consumer.close()

    def leave(self, reader: "FeedReader") -> None:
        """Forgets a reader."""
        self._readers.discard(reader)
        self._moved.set()

    def moved(self) -> None:
        """A reader stands somewhere else."""
        self._moved.set()

    def is_of_no_use(self, position: int) -> bool:
        """Whether what follows a position is neither kept nor comes next, though others go on from what is kept."""
        if not self._kept or self._touches(position):
            return False
        if any(self._touches(reader.position) for reader in self._readers):
            return True
        self._kept.clear()
        return False

    def kept_after(self, position: int, limit: int) -> list[Message]:
        """What is kept of the messages after a position."""
        if not self._kept:
            return []
        start = position + 1 - self._kept[0].position
        return self._kept[start : start + limit] if start >= 0 else []

    async def read(self, position: int, limit: int, within_s: float) -> None:
        """Gets the messages after a position, which is the last one kept; others may have got them meanwhile."""
        async with self._reading:
            if self._kept and self._kept[-1].position != position:
                return
            if len(self._kept) + limit > self._most_kept:
                await self._make_room(position)
            self._kept += await self._consumer.after(position, limit, within_s)

    def _touches(self, position: int) -> bool:
        return bool(self._kept) and self._kept[0].position <= position + 1 <= self._kept[-1].position + 1

    async def _make_room(self, position: int) -> None:
        """Lets go of what all have seen; after a moment also of what some have not."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while any(self._touches(r.position) and r.position < position for r in self._readers):
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            # Someone takes long, and will read by itself if it must.
            pass
        first = self._kept[0].position
        seen = min((r.position for r in self._readers if self._touches(r.position)), default=position)
        del self._kept[: max(seen, position - self._most_kept // 2) + 1 - first]


class FeedReader:
    """One of the readers; it reads as a consumer does."""

    def __init__(self, shared: SharedFeed, own: FeedConsumer) -> None:
        self._shared = shared
        self._own = own
        self._uses_own = False
        self.position = -1

    async def after(self, position: int, limit: int, within_s: float) -> list[Message]:
        """As `FeedConsumer.after`; none, now and then, before the time is over."""
        if self.position != position:
            self.position = position
            self._shared.moved()
        if self._shared.is_of_no_use(position):
            self._uses_own = True
            return await self._own.after(position, limit, within_s)
        if self._uses_own:
            self._uses_own = False
            await self._own.close()
        if not (kept := self._shared.kept_after(position, limit)):
            await self._shared.read(position, limit, within_s)
            kept = self._shared.kept_after(position, limit)
        return kept

    async def close(self) -> None:
        """Ends this reader only."""
        self._shared.leave(self)
        await self._own.close()
