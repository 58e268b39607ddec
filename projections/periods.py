"""The periods of leaderboards, in UTC: all time, a year, a month, a day."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

ALL_TIME: Final = "all"


def periods_of(at: datetime) -> tuple[str, str, str, str]:
    """The periods a moment belongs to: `all`, `2026`, `2026-11`, `2026-11-30`."""
    day = f"{at.year:04}-{at.month:02}-{at.day:02}"
    return (ALL_TIME, day[:4], day[:7], day)


def end_of(period: str) -> datetime | None:
    """The first moment after a period, None for all time. Raises `ValueError` for what is no period."""
    if period == ALL_TIME:
        return None
    match len(period):
        case 4:
            following = date(int(period) + 1, 1, 1)
        case 7:
            first = date.fromisoformat(f"{period}-01")
            following = (first + timedelta(days=31)).replace(day=1)
        case _:
            following = date.fromisoformat(period) + timedelta(days=1)
    return datetime.combine(following, time(), UTC)


def begin_of(period: str) -> datetime | None:
    """The first moment of a period, None for all time. Raises `ValueError` for what is no period."""
    if period == ALL_TIME:
        return None
    first = date.fromisoformat(period + {4: "-01-01", 7: "-01"}.get(len(period), ""))
    return datetime.combine(first, time(), UTC)
