"""How far each of many numbers lies from the rest of them, such that a few wild ones do not hide each other."""

from collections.abc import Mapping
from statistics import median
from typing import Final, TypeVar

_NORMAL: Final = 1.4826  # the standard deviation of normal numbers by their median absolute deviation
Key = TypeVar("Key")


def outlyingness(values: Mapping[Key, float]) -> dict[Key, float]:
    """For each key, its distance from the median in robust standard deviations; 0 where all are alike."""
    if not values:
        return {}
    middle = median(values.values())
    spread = _NORMAL * median(abs(value - middle) for value in values.values())
    return {key: (value - middle) / spread if spread else 0.0 for key, value in values.items()}
