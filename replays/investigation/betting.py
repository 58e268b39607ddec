"""E-values: the wealth of one who bets, deal after deal, that a player's ranks are higher than honest ones.

Honest play cannot be beaten on average, so the chance that the wealth ever reaches x is at most 1/x, however often and
whenever one looks. The bets are fixed fractions, mixed evenly (a test martingale for the mean of a bounded number).
"""

from math import exp, fsum, log1p
from typing import Final

FRACTIONS: Final = (0.1, 0.3, 0.6, 0.9)
"""Of what may be staked at most, so that wealth stays above nothing."""


class Wealth:
    """The wealth so far, 1 at first."""

    def __init__(self) -> None:
        self._logs = [0.0] * len(FRACTIONS)

    def bet(self, value: float, honest_mean: float) -> None:
        """Takes the next deal's number, from 0 to 1, of at most this mean if honest. Raises `ValueError`."""
        if not (0 <= value <= 1 and 0 < honest_mean < 1):
            raise ValueError(f"a bet is on a number from 0 to 1 with a mean between: {value}, {honest_mean}")
        for place, fraction in enumerate(FRACTIONS):
            self._logs[place] += log1p(fraction / honest_mean * (value - honest_mean))

    @property
    def value(self) -> float:
        """The mean wealth over the fractions."""
        return fsum(exp(min(each, 700.0)) for each in self._logs) / len(FRACTIONS)
