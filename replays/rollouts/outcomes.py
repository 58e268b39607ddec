"""What playouts came to: raw scores by world, play and seat, and what they are worth to a seat."""

from array import array
from collections import deque
from collections.abc import Sequence
from math import sqrt
from typing import Final

import msgspec

from domain.cards import SCORING, Card, Cards
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, Seat, side_of
from domain.tariff import Levels, tariff_of

_REMEMBERED = 1 << 17


class Scores:
    """Raw scores of one hand's declarations, remembered by the scoring cards taken."""

    __slots__ = ("_known", "_tariff")

    def __init__(self, ruleset: Ruleset, levels: Levels) -> None:
        self._tariff = tariff_of(ruleset, levels)
        self._known: dict[Cards, int] = {}

    def of(self, taken: Cards) -> int:
        """The raw score of a seat that took these cards."""
        taken &= SCORING
        score = self._known.get(taken)
        return score if score is not None else self._learned(taken)

    def add(self, takes: Sequence[Cards], sums: "array[int]", at: int) -> None:
        """Adds the raw scores of the seats that took these cards to the sums from a place on."""
        known = self._known
        for taken in takes:
            taken &= SCORING  # noqa: PLW2901 - the cards that count are all that matters from here on
            score = known.get(taken)
            sums[at] += score if score is not None else self._learned(taken)
            at += 1

    def _learned(self, taken: Cards) -> int:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        score = self._known[taken] = self._tariff.raw_score(taken)
        return score


_recent: Final[deque[tuple[Ruleset, dict[Card, Level], Scores]]] = deque(maxlen=16)


def scores_by(ruleset: Ruleset, levels: dict[Card, Level]) -> Scores:
    """The scores by these declarations, which one question after another of the same hand asks for."""
    for known, of, scores in tuple(_recent):
        if known is ruleset and of == levels:
            return scores
    scores = Scores(ruleset, levels)
    _recent.append((ruleset, levels, scores))
    return scores


def value_of(ruleset: Ruleset, raw: Sequence[float], seat: Seat) -> float:
    """What raw scores by seat are worth to a seat.

    Its own less the mean of the others'; with partners its side's less the other side's.
    """
    if ruleset.partners:
        return sum(raw[other] if side_of(other) == side_of(seat) else -raw[other] for other in SEATS)
    return raw[seat] - (sum(raw) - raw[seat]) / 3


class Outcomes(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of `plays` of `seat` in a number of worlds, `rollouts` playouts each.

    `sums`: raw scores added up over the rollouts, one signed 64-bit number for each world, play and seat, the seat
    varying fastest; `numpy.frombuffer(sums, "int64").reshape(worlds, len(plays), 4)` is the same as an array.
    """

    ruleset: Ruleset
    plays: tuple[Cards, ...]
    worlds: int
    rollouts: int
    sums: "array[int]"

    def raw(self, world: int, play: int) -> tuple[float, float, float, float]:
        """The mean raw scores by seat, in a world, after the play at this place of `plays`."""
        at = 4 * (world * len(self.plays) + play)
        first, second, third, fourth = self.sums[at : at + 4]
        n = self.rollouts
        return (first / n, second / n, third / n, fourth / n)

    def value(self, world: int, play: int, seat: Seat) -> float:
        """What a play is worth to a seat (`value_of`) in a world."""
        return value_of(self.ruleset, self.raw(world, play), seat)

    def values(self, seat: Seat) -> list[list[float]]:
        """What each play is worth to a seat, by world, then by play."""
        return [
            [self.value(world, play, seat) for play in range(len(self.plays))] for world in range(self.worlds)
        ]

    def expected(self, seat: Seat) -> list[tuple[float, float]]:
        """Of each play what it is worth to a seat on average over the worlds, and the standard error of that."""
        shares = 1 if self.ruleset.partners else 3
        return [
            _mean_and_error(self._whole(play, seat), shares * self.rollouts)
            for play in range(len(self.plays))
        ]

    def _whole(self, play: int, seat: Seat) -> list[int]:
        """By world what a play is worth to a seat, in whole numbers: times rollouts, and times 3 without partners."""
        row = 4 * len(self.plays)
        first, second, third, fourth = (self.sums[4 * play + other :: row] for other in SEATS)
        if self.ruleset.partners:
            sign = 1 if side_of(seat) == 0 else -1
            return [sign * (a + c - b - d) for a, b, c, d in zip(first, second, third, fourth, strict=True)]
        own = self.sums[4 * play + seat :: row]
        return [
            4 * mine - a - b - c - d
            for mine, a, b, c, d in zip(own, first, second, third, fourth, strict=True)
        ]


def _mean_and_error(values: Sequence[int], scale: int) -> tuple[float, float]:
    """The mean of whole numbers by a scale, and its standard error: infinite for a single one."""
    number, total = len(values), sum(values)
    mean = total / number / scale
    if number < 2:
        return mean, float("inf")
    squares = sum([value * value for value in values])
    variance = (number * squares - total * total) / (number * (number - 1))
    return mean, sqrt(variance / number) / scale
