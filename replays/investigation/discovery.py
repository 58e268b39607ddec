"""Many players looked at together: how many of those picked would be honest (Benjamini and Hochberg's procedure)."""

from collections.abc import Sequence


def q_values(p_values: Sequence[float], unseen: int = 0) -> list[float]:
    """For each p value, the least false-discovery rate at which it would be among those picked; in the order given.

    `unseen` more were looked at, of which nothing speaks for picking them.
    """
    count = len(p_values)
    order = sorted(range(count), key=lambda index: p_values[index], reverse=True)
    found = [1.0] * count
    least = 1.0
    for place, index in enumerate(order):
        least = min(least, p_values[index] * (count + unseen) / (count - place))
        found[index] = least
    return found
