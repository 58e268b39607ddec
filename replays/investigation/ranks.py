"""Ranks of the true cards among cards that might have been: what makes players of every strength and style comparable.

The advantage of a play in a world is its value less the mean of all legal plays' there. One who plays by what he can
know has no reason to find his advantage where the cards truly lie.
"""

from collections.abc import Sequence


def advantage(values: Sequence[float], chosen: int) -> float:
    """What the chosen play is worth beyond the mean of all, in one world."""
    return values[chosen] - sum(values) / len(values)


def centred_rank(true: float, others: Sequence[float]) -> float:
    """Where the true number stands among the others: −½ below all, ½ above all, equal ones halfway."""
    below = sum(other < true for other in others)
    equal = sum(other == true for other in others)
    return (below + equal / 2) / len(others) - 0.5
