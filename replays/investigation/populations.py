"""What honest play comes to: the mean and spread of every statistic, against which a player is measured.

Ranks would be uniform if uniform worlds were all there is to know; others' plays tell more, so honest play sits a
little off the middle, a strong player's more than a weak one's. A null is therefore measured on honest play, by
ruleset and role, and takes the mean of the honest type that sits highest (the hard null).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final

import msgspec

from domain.errors import GongzhuError
from replays.investigation.deal_scores import DealScore, Role, Statistic

LEAST_DEALS: Final = 200
"""Of fewer deals no null is made."""


class NoNull(GongzhuError):
    """No honest population was measured for a kind of deal with this evaluator; the text says how to measure one."""


class Null(msgspec.Struct, frozen=True, kw_only=True):
    """Honest play of one kind of deal: the mean of its value with its error, its spread, and from how many deals.

    `honest` names the type of player that sits highest, whose mean this is.
    """

    statistic: Statistic
    ruleset: str
    role: Role
    mean: float
    mean_error: float
    spread: float
    deals: int
    honest: str

    def excess(self, value: float) -> float:
        """A deal's value over honest play, in standard deviations of a deal."""
        return (value - self.mean) / self.spread


class Population(msgspec.Struct, frozen=True, kw_only=True):
    """The nulls of one evaluator, whose version and parameters they are bound to."""

    evaluator: str
    nulls: tuple[Null, ...]

    def find(self, statistic: Statistic, ruleset: str, role: Role) -> Null | None:
        """The null of a kind of deal; None where none was measured."""
        for null in self.nulls:
            if (null.statistic, null.ruleset, null.role) == (statistic, ruleset, role):
                return null
        return None

    def null(self, statistic: Statistic, ruleset: str, role: Role) -> Null:
        """The null of a kind of deal. Raises `NoNull`."""
        found = self.find(statistic, ruleset, role)
        if found is not None:
            return found
        raise NoNull(
            f"no honest population is known for {statistic} in {ruleset}, role {role}, with evaluator "
            f"{self.evaluator}: measure one with `gongzhu simulate calibrate --ruleset {ruleset}`"
        )


class Unjudged(msgspec.Struct, frozen=True, kw_only=True):
    """Deals of which no honest population was measured, so that nothing can be said of them."""

    ruleset: str
    deals: int


def unjudged(scores: Iterable[DealScore], honest: Population) -> tuple[Unjudged, ...]:
    """How many of these deals a population says nothing of, by ruleset."""
    counts = Counter(
        score.ruleset for score in scores if honest.find("rank", score.ruleset, score.role) is None
    )
    return tuple(Unjudged(ruleset=ruleset, deals=deals) for ruleset, deals in sorted(counts.items()))


def null_of(statistic: Statistic, ruleset: str, role: Role, values: Mapping[str, Sequence[float]]) -> Null:
    """The null from the deals' values of each honest type. Raises `NoNull` where a type has too few deals."""
    short = [f"{name} ({len(found)})" for name, found in values.items() if len(found) < LEAST_DEALS]
    if short or not values:
        raise NoNull(
            f"a null takes {LEAST_DEALS} deals of each honest type; too few of {', '.join(short) or 'any'}"
        )
    honest = max(values, key=lambda name: fmean(values[name]))
    found = values[honest]
    return Null(
        statistic=statistic,
        ruleset=ruleset,
        role=role,
        mean=fmean(found),
        mean_error=stdev(found) / sqrt(len(found)),
        spread=max(stdev(each) for each in values.values()),
        deals=len(found),
        honest=honest,
    )


def population(evaluator: str, nulls: Iterable[Null]) -> Population:
    """A population of these nulls, in a fixed order."""
    ordered = sorted(nulls, key=lambda null: (null.ruleset, null.role, null.statistic))
    return Population(evaluator=evaluator, nulls=tuple(ordered))
