"""How often the tests err, and how often they find: measured on simulated deals, sampled again and again.

Samples of deals are drawn with replacement from all deals of a kind of player. Every rate comes with an interval, the
wider of two: the deals themselves are drawn anew for it, so that too few deals show, or too few samples.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from operator import mul
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Final, NamedTuple

import msgspec

from domain.seats import SEATS, Seat
from replays.investigation.deal_scores import STATISTICS, DealScore, Role, Statistic
from replays.investigation.evaluators import Evaluator
from replays.investigation.populations import LEAST_DEALS, Null, Population, null_of, population
from replays.investigation.simulation.players import HONEST
from replays.investigation.simulation.seasons import SimulatedScore

_INTERVAL: Final = NormalDist().inv_cdf(0.975)
FALSE_ALARM_Z: Final = 3.09
"""The z above which one sample in a thousand of honest play would lie."""
Holds = Callable[[Mapping[int, float]], bool]
"""A question asked of z values by column."""


class Effort(NamedTuple):
    """How many samples a rate is of; for its interval, how often the deals are drawn anew, and samples of each."""

    samples: int = 4_000
    anew: int = 40
    of_each: int = 500


THOROUGH: Final = Effort()


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """How often something holds, with its interval of 95 %, in samples of so many deals out of `of` deals."""

    what: str
    kind: str
    sample: int
    of: int
    rate: float
    low: float
    high: float


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of player's mean excess over honest play, in standard deviations of a deal, with its standard error."""

    kind: str
    statistic: Statistic
    towards: str
    deals: int
    effect: float
    error: float


def calibrated(evaluator: Evaluator, scores: Iterable[SimulatedScore]) -> Population:
    """The honest populations of these deals of honest players. Raises `NoNull` where they are too few."""
    values: dict[tuple[Statistic, str, Role], dict[str, list[float]]] = {}
    for each in scores:
        if each.kind in HONEST:
            for statistic in STATISTICS:
                found = values.setdefault((statistic, each.score.ruleset, each.score.role), {})
                found.setdefault(each.kind, []).extend(_values(each.score, statistic))
    nulls: list[Null] = []
    for (statistic, ruleset, role), by_kind in values.items():
        if all(len(found) >= LEAST_DEALS for found in by_kind.values()) or statistic == "rank":
            nulls.append(null_of(statistic, ruleset, role, by_kind))
    return population(evaluator.name, nulls)


def _values(score: DealScore, statistic: Statistic) -> list[float]:
    """The deal's values of a statistic, towards every other seat where it has a direction."""
    if statistic in ("rank", "declaring"):
        value = score.value(statistic)
        return [] if value is None else [value]
    found = [score.value(statistic, other) for other in SEATS]
    return [value for value in found if value is not None]


def excesses(
    statistic: Statistic, scores: Iterable[tuple[DealScore, Seat | None]], honest: Population
) -> list[float]:
    """Each deal's value over honest play, towards the seat beside it, if any; what was not measured is left out."""
    found = []
    for score, other in scores:
        value = score.value(statistic, other)
        if value is not None:
            found.append(honest.null(statistic, score.ruleset, score.role).excess(value))
    return found


def z_of(sample: Sequence[float], null_error: float = 0.0) -> float:
    """The z of a sample of excesses, as `evidence` has it; `null_error` is that of the null's own mean."""
    # By sums: `statistics` is exact, and a hundred times slower.
    deals, total = len(sample), sum(sample)
    squares = sum(map(mul, sample, sample)) - total * total / deals
    variance = max(1.0, squares / (deals - 1))
    return total / deals / sqrt(variance / deals + null_error**2)


def null_error(honest: Population, statistic: Statistic) -> float:
    """The error of the nulls' means in standard deviations of a deal, the worst of the kinds of deal there are."""
    return max(
        (null.mean_error / null.spread for null in honest.nulls if null.statistic == statistic), default=0.0
    )


def effect_of(kind: str, statistic: Statistic, towards: str, found: Sequence[float]) -> Effect:
    """The effect of a kind of player."""
    return Effect(
        kind=kind,
        statistic=statistic,
        towards=towards,
        deals=len(found),
        effect=fmean(found),
        error=stdev(found) / sqrt(len(found)),
    )


def rate_of(
    what: str,
    kind: str,
    columns: Mapping[int, Sequence[float]],
    sample: int,
    holds: Holds,
    random: Random,
    effort: Effort = THOROUGH,
    null_error: float = 0.0,
) -> Rate:
    """How often `holds` is true of the z values of a sample of deals, by column (all columns of a deal go together)."""
    deals = len(next(iter(columns.values())))
    everything = range(deals)
    rate = _share(columns, everything, sample, holds, random, effort.samples, null_error)
    outer = sorted(
        _share(
            columns, random.choices(everything, k=deals), sample, holds, random, effort.of_each, null_error
        )
        for _ in range(effort.anew)
    )
    edge = effort.anew // 40
    low, high = wilson(rate, effort.samples)
    return Rate(
        what=what,
        kind=kind,
        sample=sample,
        of=deals,
        rate=rate,
        low=min(outer[edge], low),
        high=max(outer[-1 - edge], high),
    )


def wilson(rate: float, times: int) -> tuple[float, float]:
    """The interval of 95 % of a rate that was found in so many independent trials (Wilson's)."""
    middle = rate + _INTERVAL**2 / (2 * times)
    width = _INTERVAL * sqrt(rate * (1 - rate) / times + (_INTERVAL / (2 * times)) ** 2)
    whole = 1 + _INTERVAL**2 / times
    return max(0.0, (middle - width) / whole), min(1.0, (middle + width) / whole)


def _share(
    columns: Mapping[int, Sequence[float]],
    among: Sequence[int],
    sample: int,
    holds: Holds,
    random: Random,
    times: int,
    null_error: float,
) -> float:
    count = 0
    for _ in range(times):
        drawn = random.choices(among, k=sample)
        count += holds(
            {key: z_of([values[at] for at in drawn], null_error) for key, values in columns.items()}
        )
    return count / times
