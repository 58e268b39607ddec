"""Seats 0–3 in turn order, and sides when partners play (rules.md §1)."""

from typing import Final, TypeAlias, TypeVar

Seat: TypeAlias = int
"""0–3; turn order is counter-clockwise, seat 1 sits to the right of seat 0."""

SEATS: Final = (0, 1, 2, 3)
NEXT: Final = (1, 2, 3, 0)
"""The seat that acts after each seat."""
TURNS_FROM: Final = tuple(tuple((first + i) % 4 for i in range(4)) for first in SEATS)
"""All seats in turn order, beginning with the index."""
SIDES: Final = ((0, 2), (1, 3))
"""The seats of the two sides of partners."""

T = TypeVar("T")
BySeat: TypeAlias = tuple[T, T, T, T]
"""One value a seat, in seat order."""


def side_of(seat: Seat) -> int:
    """0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat & 1


def replaced(values: BySeat[T], seat: Seat, value: T) -> BySeat[T]:
    """`values` with the one of `seat` exchanged."""
    changed = list(values)
    changed[seat] = value
    return (changed[0], changed[1], changed[2], changed[3])
