"""How far each of many numbers lies from the rest of them, such that a few wild ones do not hide each other."""

from collections.abc import Collection, Mapping
from statistics import fmean, median
from typing import Final, TypeVar

_BY_MEDIAN: Final = 1.4826  # the standard deviation of normal numbers by their median absolute deviation
_BY_MEAN: Final = 1.2533  # the same by their mean absolute deviation
Key = TypeVar("Key")


def outlyingness(values: Mapping[Key, float]) -> dict[Key, float]:
    """For each key, its distance from the median in robust standard deviations; 0 where all are alike.

    Where more than half are the same the mean distance stands for the median one, which is then 0.
    """
    if not values:
        return {}
    middle = median(values.values())
    spread = _spread([abs(value - middle) for value in values.values()])
    return {key: (value - middle) / spread if spread else 0.0 for key, value in values.items()}


def _spread(distances: Collection[float]) -> float:
    return _BY_MEDIAN * median(distances) or _BY_MEAN * fmean(distances)
