"""Many worlds by the quickest way there is: compiled where numba is there and there are enough of them."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from replays.worlds.information import World
from replays.worlds.numbers import Numbers
from replays.worlds.sampler import Sampler

_WORTH_IT: Final = 64


def draw_worlds(sampler: Sampler, times: int, numbers: Numbers, *, compiled: bool = True) -> Sequence[World]:
    """So many worlds of a sampler: the same ones, number for number, whichever way they are drawn."""
    fast = _fast() if compiled and times >= _WORTH_IT else None
    return sampler.draws(times, numbers) if fast is None else fast(sampler, times, numbers)


@cache
def _fast() -> Callable[[Sampler, int, Numbers], Sequence[World]] | None:
    try:
        from replays.worlds.fast import FastSampler
    except ImportError:
        return None
    return lambda sampler, times, numbers: FastSampler(sampler).draws(times, numbers)
