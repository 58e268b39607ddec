"""Kinds of cards of which both copies are unseen and may not lie just anywhere: how many ways, and one of them.

Where the copies a and b of one kind may lie is a set of pairs of seats: bit `4 * seat of a + seat of b`. Several kinds
with the same set are taken together. Such tables say nothing of a position, so they are made once and kept.

Numbers of cards by seat are packed into one int, a byte a seat, so that adding and taking away is one operation.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from domain.seats import SEATS, Seat
from replays.worlds.choices import Choice

_ENOUGH: Final = 0x80808080
_TABLES: Final = 2048


def packed(counts: tuple[int, ...] | list[int]) -> int:
    """Numbers of cards by seat as one int."""
    return counts[0] | counts[1] << 8 | counts[2] << 16 | counts[3] << 24


def unpacked(counts: int) -> tuple[int, int, int, int]:
    """The numbers by seat again."""
    return (counts & 255, counts >> 8 & 255, counts >> 16 & 255, counts >> 24)


def fits(counts: int, room: int) -> bool:
    """Whether no seat gets more than it has room for."""
    return (room + _ENOUGH - counts) & _ENOUGH == _ENOUGH


ONE: Final = tuple(1 << 8 * seat for seat in SEATS)
"""One card for each seat, packed."""


def seat_pairs(allowed: int) -> Iterator[tuple[Seat, Seat]]:
    """The pairs of seats in a set of them."""
    for first in SEATS:
        for second in SEATS:
            if allowed >> (4 * first + second) & 1:
                yield first, second


@lru_cache(maxsize=_TABLES)
def ways(allowed: int, kinds: int) -> dict[int, int]:
    """By how many cards each seat gets of so many kinds: in how many ways."""
    if not kinds:
        return {0: 1}
    found: dict[int, int] = {}
    for got, count in ways(allowed, kinds - 1).items():
        for first, second in seat_pairs(allowed):
            more = got + ONE[first] + ONE[second]
            found[more] = found.get(more, 0) + count
    return found


@lru_cache(maxsize=8 * _TABLES)
def next_kind(allowed: int, kinds: int, share: int) -> Choice[tuple[Seat, Seat]]:
    """Where the first of so many kinds lies, given how many cards each seat gets of them all."""
    rest = ways(allowed, kinds - 1)
    pairs, weights = [], []
    for first, second in seat_pairs(allowed):
        given = ONE[first] + ONE[second]
        if fits(given, share) and (count := rest.get(share - given)):
            pairs.append((first, second))
            weights.append(count)
    return Choice(pairs, weights)
