"""What choices are worth, from playouts in the same worlds: means, standard errors, and costs against the best."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

import msgspec

from domain.rulesets import Ruleset
from domain.seats import SEATS, Seat, side_of
from replays.rollouts import Outcomes

_THIRDS: Final = 3


class Estimate(msgspec.Struct, frozen=True):
    """A mean and its standard error, to hundredths; the error is 0 of what was worked out, None of one value alone."""

    mean: float
    error: float | None


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """What each choice came to in each world, to one seat, in whole numbers: `unit` of them are one point.

    Whole numbers add up alike everywhere, so that estimates do not depend on how the playouts were run. `exact`: there
    is one world, and what a choice comes to in it was worked out.
    """

    columns: tuple[Sequence[int], ...]
    unit: int
    exact: bool = False

    def means(self) -> list[Estimate]:
        """The worth of each choice."""
        return [self._estimate(column) for column in self.columns]

    def best(self, chosen: int) -> int:
        """The place of the choice that is worth most; of equals the one chosen, else the first."""
        sums = [sum(column) for column in self.columns]
        return chosen if sums[chosen] == max(sums) else sums.index(max(sums))

    def costs(self, best: int) -> list[Estimate]:
        """By choice, how much less it is worth than the best, world by world compared."""
        top = self.columns[best]
        return [
            self._estimate([high - value for high, value in zip(top, column, strict=True)])
            for column in self.columns
        ]

    def _estimate(self, numbers: Sequence[int]) -> Estimate:
        many, total = len(numbers), sum(numbers)
        mean = round(total / (many * self.unit), 2)
        if many == 1:
            return Estimate(mean, 0.0 if self.exact else None)
        squares = sum([number * number for number in numbers])
        spread = (squares * many - total * total) / (many * (many - 1))
        return Estimate(mean, round(sqrt(spread / many) / self.unit, 2))


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of values, one or more."""
    many = len(values)
    mean = sum(values) / many
    if many == 1:
        return Estimate(round(mean, 2), None)
    error = sqrt(sum((value - mean) ** 2 for value in values) / (many - 1) / many)
    return Estimate(round(mean, 2), round(error, 2))


def columns_of(outcomes: Sequence[Outcomes], seat: Seat) -> Columns:
    """The values to a seat (`rollouts.value_of`) of the plays of outcomes in the same worlds, side by side."""
    first = outcomes[0]
    unit = first.rollouts * (1 if first.ruleset.partners else _THIRDS)
    columns = tuple(_column(one, place, seat) for one in outcomes for place in range(len(one.plays)))
    return Columns(columns=columns, unit=unit)


def exact_columns(ruleset: Ruleset, columns: tuple[Sequence[int], ...]) -> Columns:
    """Columns of `rollouts.endings.own_worth`, which is whole points with partners, else thirds of them."""
    return Columns(columns=columns, unit=1 if ruleset.partners else _THIRDS, exact=True)


def _column(outcomes: Outcomes, place: int, seat: Seat) -> list[int]:
    """The value of one choice to a seat in each world: thirds of points, with partners points."""
    step = 4 * len(outcomes.plays)
    by_seat = [outcomes.sums[4 * place + other :: step] for other in SEATS]
    if outcomes.ruleset.partners:
        friends = [by_seat[other] for other in SEATS if side_of(other) == side_of(seat)]
        others = [by_seat[other] for other in SEATS if side_of(other) != side_of(seat)]
        return [a + b - c - d for a, b, c, d in zip(*friends, *others, strict=True)]
    others = [by_seat[other] for other in SEATS if other != seat]
    return [_THIRDS * own - b - c - d for own, b, c, d in zip(by_seat[seat], *others, strict=True)]
