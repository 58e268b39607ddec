"""Subscriptions: the frames that wait for one viewer of a live table, and why no more of them come."""

import asyncio
from typing import Final, Literal
from uuid import UUID

from domain.visibility import Viewer

_MOST_WAITING: Final = 256

Ending = Literal["too slow", "seat left", "service stops", "viewer left"]


class Subscription:
    """One viewer's frames from now on. `player` is who sits at the seat, None for a spectator.

    `ended` says why no more come, None while they do.
    """

    def __init__(self, viewer: Viewer, player: UUID | None) -> None:
        self.viewer = viewer
        self.player = player
        self.ended: Ending | None = None
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(self, frame: bytes) -> None:
        """One more frame; the subscription ends where too many wait."""
        if self._frames.qsize() >= _MOST_WAITING:
            self.end("too slow")
        elif self.ended is None:
            self._frames.put_nowait(frame)

    def end(self, why: Ending) -> None:
        """No frames any more, for the first reason given."""
        if self.ended is None:
            self.ended = why
            self._frames.put_nowait(None)

    async def next(self) -> bytes | None:
        """The next frame, None when the subscription has ended."""
        return await self._frames.get()
