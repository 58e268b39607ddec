"""Many deals of one player added up: an effect with its interval, its distance from honest play, a fair bet on it."""

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev

import msgspec

from replays.investigation.betting import Wealth
from replays.investigation.deal_scores import DealScore, Statistic
from replays.investigation.populations import Population

_NORMAL = NormalDist()
_INTERVAL = _NORMAL.inv_cdf(0.975)


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a player's deals say by one statistic.

    `effect` is the mean excess over honest play, in standard deviations of a deal, `low` to `high` its interval of
    95 %; `z` the same in standard errors (that of the null's own mean included); `p` the chance of so high a z in
    honest play; `e_value` the wealth of a bet against honest play (valid however often it is looked at), 1 where there
    is none.
    """

    statistic: Statistic
    deals: int
    effect: float
    low: float
    high: float
    z: float
    p: float
    e_value: float


def evidence(
    statistic: Statistic, scores: Iterable[tuple[DealScore, int | None]], population: Population
) -> Evidence | None:
    """The evidence of these deals, each with the seat it is towards, if any; None where nothing was measured.

    Deals of a kind that no honest population was measured of say nothing and are not counted (`unjudged`).
    """
    excesses: list[float] = []
    errors: list[float] = []
    wealth = Wealth()
    for score, other in scores:
        value, null = score.value(statistic, other), population.find(statistic, score.ruleset, score.role)
        if value is None or null is None:
            continue
        excesses.append(null.excess(value))
        errors.append(null.mean_error / null.spread)
        if statistic in ("rank", "leak"):
            wealth.bet(0.5 + value / score.most, 0.5 + null.mean / score.most)
    if not excesses:
        return None
    return _summed(statistic, excesses, fmean(errors), wealth.value)


def _summed(statistic: Statistic, excesses: Sequence[float], null_error: float, wealth: float) -> Evidence:
    """The spread is the null's or, if that is greater, the player's own: a wild player is no suspect for it."""
    deals = len(excesses)
    spread = max(1.0, stdev(excesses)) if deals > 1 else 1.0
    error = sqrt(spread**2 / deals + null_error**2)
    effect = fmean(excesses)
    z = effect / error
    return Evidence(
        statistic=statistic,
        deals=deals,
        effect=effect,
        low=effect - _INTERVAL * error,
        high=effect + _INTERVAL * error,
        z=z,
        p=upper_tail(z),
        e_value=wealth,
    )


def upper_tail(z: float) -> float:
    """The chance of a standard normal number at least so high."""
    return _NORMAL.cdf(-z)
