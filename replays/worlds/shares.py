"""How the cards of a class can be shared out, and how many worlds there are: dynamic programming over room left.

A class is a number of cards that the same seats can hold, or of kinds with the same pairs of seats. With N_i(room) the
number of ways to share out classes i, i + 1, … among the room left, and w the number of ways to make one share:
N_i(room) = Σ w(share) · N_{i+1}(room − share), over the shares of class i. Counts are whole numbers of any size.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

from domain.seats import SEATS, Seat
from replays.worlds.choices import Choice
from replays.worlds.kinds import ONE, fits, ways

_TABLES: Final = 4096


class CardClass(NamedTuple):
    """So many cards that the same seats (a mask of them) can hold; or kinds whose copies may lie at these `pairs`."""

    seats: int
    size: int
    pairs: int = 0


def owners_in(seats: int) -> list[Seat]:
    """The seats in a mask of them."""
    return [seat for seat in SEATS if seats >> seat & 1]


@lru_cache(maxsize=_TABLES)
def shares_of(of: CardClass) -> dict[int, int]:
    """Each share of a class, packed, with the number of ways to make it."""
    if of.pairs:
        return ways(of.pairs, of.size)
    return dict(_shares(owners_in(of.seats), of.size))


def _shares(owners: list[Seat], size: int) -> Iterator[tuple[int, int]]:
    if len(owners) == 1:
        yield size * ONE[owners[0]], 1
        return
    for given in range(size + 1):
        for others, count in _shares(owners[1:], size - given):
            yield given * ONE[owners[0]] + others, comb(size, given) * count


class Shares:
    """All ways to share out some classes among seats with so much room (packed), which they fill.

    The classes stand in `classes` as they are drawn: the last, which takes what room is left, is the freest.
    """

    __slots__ = ("_choices", "_counts", "classes", "count", "room")

    def __init__(self, classes: tuple[CardClass, ...], room: int) -> None:
        self.classes = tuple(sorted(classes, key=_freedom))
        self.room = room
        self._counts: list[dict[int, int]] = [{} for _ in self.classes]
        self._choices: dict[tuple[int, int], Choice[int]] = {}
        self.count = self._ways(0, room)

    def choice(self, place: int, room: int) -> Choice[int]:
        """The shares of the class at this place of `classes`, with what room is left before it."""
        found = self._choices.get((place, room))
        if found is None:
            shares, weights = [], []
            for share, ways_of_it, rest in self._options(place, room):
                shares.append(share)
                weights.append(ways_of_it * rest)
            found = self._choices[place, room] = Choice(shares, weights)
        return found

    def _options(self, place: int, room: int) -> Iterator[tuple[int, int, int]]:
        """Each share that fits, the ways to make it, and the ways to go on."""
        if place + 1 == len(self.classes):
            if last := self._last(room):
                yield room, last, 1
            return
        for share, ways_of_it in shares_of(self.classes[place]).items():
            if fits(share, room) and (rest := self._ways(place + 1, room - share)):
                yield share, ways_of_it, rest

    def _ways(self, place: int, room: int) -> int:
        if place == len(self.classes):
            return int(not room)
        known = self._counts[place].get(room)
        if known is None:
            known = sum([count * rest for _, count, rest in self._options(place, room)])
            self._counts[place][room] = known
        return known

    def _last(self, room: int) -> int:
        return ways_to_fill(self.classes[-1], room)


def ways_to_fill(of: CardClass, room: int) -> int:
    """In how many ways a class just fills this room."""
    if of.pairs:
        return ways(of.pairs, of.size).get(room, 0)
    count, left = 1, of.size
    for seat in SEATS:
        given = room >> 8 * seat & 255
        if given > left or (given and not of.seats >> seat & 1):
            return 0
        count *= comb(left, given)
        left -= given
    return count if not left else 0


def _freedom(of: CardClass) -> int:
    """About how many shares a class has: the freest is drawn last, for then its share is what room is left."""
    owners = of.seats.bit_count()
    cards = 2 * of.size if of.pairs else of.size
    return comb(cards + owners - 1, owners - 1)
