"""The clock, as a port and as the system's own; and waiting for a time, which goes by the same clock."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time in UTC, to the microsecond."""

    def now(self) -> datetime:
        """The time now, with time zone UTC."""
        ...


class Alarm(Clock, Protocol):
    """A clock that can also be waited for."""

    async def wait_until(self, at: datetime | None, woken: asyncio.Event) -> None:
        """Returns at this time (None: never), or as soon as `woken` is set."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time now, with time zone UTC."""
        return datetime.now(UTC)

    async def wait_until(self, at: datetime | None, woken: asyncio.Event) -> None:
        """Returns at this time (None: never), or as soon as `woken` is set."""
        left_s = None if at is None else max(0.0, (at - self.now()).total_seconds())
        with suppress(TimeoutError):
            async with asyncio.timeout(left_s):
                await woken.wait()
