"""How a part of the feed is: what it does, where it stands, and what is wrong."""

import asyncio
import time
from typing import Final, Literal

from adapters.errors import ServersUnavailable

_RETRY_S: Final = 0.1

State = Literal["starting", "working", "standby", "waiting", "red"]
"""`standby`: another process does this. `waiting`: a server is away. `red`: stopped until someone acts."""


class Health:
    """The state of one part, written by it and read by whoever asks."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state: State = "starting"
        self.position = 0
        self.error = ""

    def __repr__(self) -> str:
        return (
            f"Health({self.name}: {self.state} at {self.position}{f', {self.error}' if self.error else ''})"
        )

    def work_at(self, position: int) -> None:
        """It does what it should and has come this far."""
        self.state, self.position, self.error = "working", position, ""

    def wait_for(self, trouble: str) -> None:
        """It cannot go on just now."""
        if self.state != "red":
            self.state, self.error = "waiting", trouble

    def stop(self, error: str) -> None:
        """It has stopped, and must not go on until someone acts."""
        self.state, self.error = "red", error


class Patience:
    """Waits between attempts, and gives up after `within_s` seconds without progress (None: never)."""

    def __init__(self, within_s: float | None) -> None:
        self._within_s = within_s
        self.renew()

    def renew(self) -> None:
        """There was progress."""
        self._since = time.monotonic()

    async def wait(self, trouble: Exception) -> None:
        """A moment before the next attempt. Raises `ServersUnavailable` with the trouble once it is over."""
        waited = time.monotonic() - self._since
        if self._within_s is not None and waited > self._within_s:
            raise ServersUnavailable(f"gave up after {waited:.0f} s: {trouble}") from trouble
        await asyncio.sleep(_RETRY_S)
