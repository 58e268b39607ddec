"""The draw of `sampler`, compiled (needs numba): the same numbers, taken up in the same order, make the same worlds.

All of it stands in one file, so that what is kept on disk is renewed whenever it changes.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import njit

from domain.streams import GOLDEN, MIX_FIRST, MIX_SECOND

_U: Final = np.uint64
_GOLDEN, _FIRST, _SECOND = _U(GOLDEN), _U(MIX_FIRST), _U(MIX_SECOND)
_SHIFT_FIRST, _SHIFT_SECOND, _SHIFT_THIRD = _U(30), _U(27), _U(31)
_HALF, _LOW_HALF, _TWO_32, _ONE = _U(32), _U(0xFFFFFFFF), _U(1 << 32), _U(1)
_IN_DOUBT: Final = -1
_MOST_CARDS: Final = 104


def _compiled(function: Callable[..., Any]) -> Any:
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # no place for the cache can be written
        return njit(function)


def _part(function: Callable[..., Any]) -> Any:
    return njit(inline="always")(function)


@_part
def _number(state: Any) -> Any:
    """The number of a state that has just been moved on."""
    mixed = (state ^ (state >> _SHIFT_FIRST)) * _FIRST
    mixed = (mixed ^ (mixed >> _SHIFT_SECOND)) * _SECOND
    return mixed ^ (mixed >> _SHIFT_THIRD)


@_part
def _below(state: Any, bound: Any) -> Any:
    """The state moved on, and a number uniform below a bound."""
    while True:
        state = state + _GOLDEN
        product = (_number(state) >> _HALF) * bound
        low = product & _LOW_HALF
        if low >= bound or low >= _TWO_32 % bound:
            return state, product >> _HALF


@_part
def _pick(state: Any, node: Any, first: Any, bounds: Any) -> Any:
    """The state moved on, and the edge chosen at a node; `_IN_DOUBT` for a number that is equal to a bound."""
    low, high = first[node], first[node + 1]
    if high - low == 1:
        return state, low
    state = state + _GOLDEN
    number = _number(state)
    start = low
    while high - low > 1:
        middle = (low + high) >> 1
        if bounds[middle] <= number:
            low = middle
        else:
            high = middle
    if low > start and bounds[low] == number:
        return state, _IN_DOUBT
    return state, low


@_compiled
def draw_on(  # one loop over worlds, with its parts in place, is what makes it fast
    state: Any, at: Any, hands: Any, down: Any, graph: Any, stages: Any, cards: Any, known: Any
) -> Any:
    """Fills rows from `at` on; gives the row reached and the state before it. It stops early where a doubt arises."""
    first, bounds, to, shares, inner = graph
    stage_of_case, starts, sizes, of_kinds = stages
    base, face_down = known
    left_cards = np.empty(_MOST_CARDS, np.uint8)
    for row in range(at, hands.shape[0]):
        before = state
        state, edge = _pick(state, 0, first, bounds)
        if edge == _IN_DOUBT:
            return row, before
        case, node = shares[edge], to[edge]
        for seat in range(4):
            for word in range(2):
                hands[row, seat, word] = base[case, seat, word]
                down[row, seat, word] = face_down[case, seat, word]
        for stage in range(stage_of_case[case], stage_of_case[case + 1]):
            state, edge = _pick(state, node, first, bounds)
            if edge == _IN_DOUBT:
                return row, before
            node = to[edge]
            start, size = starts[stage], sizes[stage]
            if of_kinds[stage]:
                kind_node = inner[edge]
                for place in range(start, start + size):
                    state, kind_edge = _pick(state, kind_node, first, bounds)
                    if kind_edge == _IN_DOUBT:
                        return row, before
                    kind_node = to[kind_edge]
                    pair = shares[kind_edge]
                    hands[row, pair & 3, 0] |= _ONE << _U(cards[place])
                    hands[row, pair >> 2, 1] |= _ONE << _U(cards[place])
                continue
            share, left = shares[edge], size
            left_cards[:size] = cards[start : start + size]
            for seat in range(4):
                given = (share >> (8 * seat)) & 255
                takes_the_rest = given == left
                for _ in range(given):
                    chosen = left - 1
                    if not takes_the_rest:
                        state, drawn = _below(state, _U(left))
                        chosen = np.int64(drawn)
                    left -= 1
                    card = left_cards[chosen]
                    hands[row, seat, card >> 6] |= _ONE << _U(card & 63)
                    left_cards[chosen] = left_cards[left]
    return hands.shape[0], state
