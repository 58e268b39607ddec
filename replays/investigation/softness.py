"""Whether a play helps one other player more than one's own result explains.

Choices are modelled as the likelier the more they are worth to oneself (a conditional logit of fixed spread). What a
play does for another seat is that seat's expected raw score less the mean of the remaining two's, with what goes along
with one's own result taken out. Honest players' plays come to no more than the model expects.
"""

from collections.abc import Sequence
from math import exp
from statistics import pstdev
from typing import Final

_LEAST_SPREAD: Final = 5.0
"""Points: plays that differ less than this in what they do for the other are as good as equal."""


def help_for(raw: Sequence[Sequence[float]], seat: int, other: int) -> list[float]:
    """What each play does for another seat, from the expected raw scores by play and seat."""
    rest = [each for each in range(4) if each not in (seat, other)]
    return [scores[other] - (scores[rest[0]] + scores[rest[1]]) / 2 for scores in raw]


def softness(own: Sequence[float], given: Sequence[float], chosen: int, spread: float) -> float:
    """How far the chosen play's help lies above what was to be expected, in its spread over the plays.

    `own`: what each play is worth to oneself, `given`: what it does for the other (`help_for`).
    """
    chances = _chances(own, spread)
    apart = _without_trend(given, own, chances)
    mean = _mean(apart, chances)
    return (apart[chosen] - mean) / max(pstdev(apart), _LEAST_SPREAD)


def _chances(own: Sequence[float], spread: float) -> list[float]:
    best = max(own)
    weights = [exp((each - best) / spread) for each in own]
    total = sum(weights)
    return [weight / total for weight in weights]


def _without_trend(given: Sequence[float], own: Sequence[float], chances: Sequence[float]) -> list[float]:
    """What another gets beyond what goes along with one's own result, within this decision."""
    own_mean, given_mean = _mean(own, chances), _mean(given, chances)
    variance = _mean([(each - own_mean) ** 2 for each in own], chances)
    along = _mean(
        [(mine - own_mean) * (theirs - given_mean) for mine, theirs in zip(own, given, strict=True)], chances
    )
    slope = along / (variance + _LEAST_SPREAD**2)
    return [theirs - slope * mine for mine, theirs in zip(own, given, strict=True)]


def _mean(values: Sequence[float], chances: Sequence[float]) -> float:
    return sum(value * chance for value, chance in zip(values, chances, strict=True))
