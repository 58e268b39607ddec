"""One choice out of several, each as likely as its whole number of worlds says, exactly.

A 64-bit number chooses: choice i where it lies between i's bounds, the bounds of the unit interval rounded down to
64 bits. Only a number that is equal to a bound leaves a doubt; further numbers then settle it. So the same number
means the same choice here and compiled, where doubts (one in 2⁶⁰) are handed back.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Generic, TypeVar

from replays.worlds.numbers import Numbers

T = TypeVar("T")

BITS: Final = 64


class Choice(Generic[T]):
    """Several things to choose from, with how many worlds each stands for; `total` is their sum."""

    __slots__ = ("_sums", "bounds", "things", "total")

    def __init__(self, things: Sequence[T], weights: Sequence[int]) -> None:
        self.things = things
        sums = list(accumulate(weights))
        self.total = sums.pop() if sums else 0
        self._sums = sums
        self.bounds = tuple([(below << BITS) // self.total for below in sums])

    def pick(self, numbers: Numbers) -> T:
        """One of the things; no number is drawn where there is only one."""
        if not self.bounds:
            return self.things[0]
        number = numbers.next()
        place = bisect_right(self.bounds, number)
        if place and self.bounds[place - 1] == number:
            place = self._settle(number, numbers)
        return self.things[place]

    def _settle(self, number: int, numbers: Numbers) -> int:
        """The choice for a number on a bound that was rounded, by as many more as it takes."""
        drawn = BITS
        while True:
            bounds = [(below << drawn) // self.total for below in self._sums]
            place = bisect_right(bounds, number)
            if not place or bounds[place - 1] != number or not (self._sums[place - 1] << drawn) % self.total:
                return place
            number, drawn = number << BITS | numbers.next(), drawn + BITS
