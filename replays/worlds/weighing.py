"""Worlds that are not equally likely: importance weights for whoever reads others' plays.

Uniform worlds ignore what plays tell beyond the rules. A reader weighs each by how likely the plays seen were in it;
means over worlds become weighted means, and `effective` says how many equally likely worlds they are worth.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from replays.worlds.information import World
from replays.worlds.numbers import Numbers

Weigh = Callable[[World], float]
"""How likely what was seen is in a world, up to a common factor: 0 or more."""


class Weighed(NamedTuple):
    """Worlds with weights that add up to 1 (all equal where every weight given was 0)."""

    worlds: Sequence[World]
    weights: tuple[float, ...]

    @property
    def effective(self) -> float:
        """How many equally likely worlds these are worth: 1 / Σ weight²."""
        return 1 / sum(weight * weight for weight in self.weights)

    def drawn(self, times: int, numbers: Numbers) -> list[World]:
        """So many of the worlds, by weight: each appears its expected number of times, give or take one."""
        if not self.worlds:
            return []
        start = (numbers.next() >> 11) / (1 << 53)
        drawn, reached, place = [], self.weights[0], 0
        for turn in range(times):
            while reached < (start + turn) / times and place + 1 < len(self.worlds):
                place += 1
                reached += self.weights[place]
            drawn.append(self.worlds[place])
        return drawn


def weighed(worlds: Sequence[World], weigh: Weigh) -> Weighed:
    """The worlds, each with its weight out of 1."""
    weights = [weigh(world) for world in worlds]
    total = sum(weights)
    if total <= 0:
        return Weighed(worlds, (1 / len(worlds),) * len(worlds) if worlds else ())
    return Weighed(worlds, tuple(weight / total for weight in weights))
