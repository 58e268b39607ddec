"""The clock, as a port and as the system's own."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time in UTC, to the microsecond."""

    def now(self) -> datetime:
        """The time now, with time zone UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time now, with time zone UTC."""
        return datetime.now(UTC)
