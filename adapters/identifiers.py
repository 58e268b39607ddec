"""Identifiers of matches, players and commands (design §3)."""

from datetime import datetime
from uuid import UUID

from adapters.randomness import Randomness


def new_match_id(at: datetime, randomness: Randomness) -> UUID:
    """A UUID of version 7: milliseconds of `at`, then random bits."""
    milliseconds = int(at.timestamp() * 1000)
    number = milliseconds << 80 | int.from_bytes(randomness.bytes(10), "big")
    return UUID(int=_marked(number, version=7))


def new_random_id(randomness: Randomness) -> UUID:
    """A UUID of version 4, for players and commands."""
    return UUID(bytes=randomness.bytes(16), version=4)


def _marked(number: int, *, version: int) -> int:
    """The number with a UUID's version and variant bits set."""
    number &= ~(0xF << 76) & ~(0x3 << 62)
    return number | version << 76 | 0x2 << 62
