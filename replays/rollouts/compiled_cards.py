"""Sets of cards in compiled code: two 64-bit words, one a copy, as `domain.cards` lays them out (needs numba).

What is compiled is kept on disk beside the sources, or for this process alone where nothing can be written. Numba
renews a kept function when its own file changes, but not when one that it calls does. So a kept function closes over
the `fingerprint` of what it is built from, which numba looks at as well.

Nothing here counts references or allocates: arrays come from outside, which makes passing them on free.
"""

# mypy: ignore-errors
# numba finds the types of what it compiles

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from zlib import crc32

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import njit, types
from numba.extending import intrinsic

from domain.cards import CLUBS, DIAMONDS, HEARTS, PIG, SHEEP, TRANSFORMER
from domain.streams import GOLDEN, INCREMENT, MIX_FIRST, MIX_SECOND, MULTIPLIER

Function = TypeVar("Function", bound=Callable[..., Any])

U: Final = np.uint64
ZERO, ONE, FOUR, LANE, TOP_BIT = U(0), U(1), U(4), U(0x1FFF), U(63)
PIG_BIT, SHEEP_BIT, TRANSFORMER_BIT = U(1 << PIG), U(1 << SHEEP), U(1 << TRANSFORMER)
ABOVE_SHEEP_BITS: Final = U(0x1C00 << 16 * DIAMONDS)
SCORING_BITS: Final = U(1 << PIG | 1 << SHEEP | 1 << TRANSFORMER | 0x1FFF << 16 * HEARTS)
SPECIAL_BITS: Final = PIG_BIT | SHEEP_BIT | TRANSFORMER_BIT
HEARTS_SHIFT: Final = U(16 * HEARTS)
TWO_OF_CLUBS_BIT: Final = U(1 << 16 * CLUBS)
DIAMOND_BITS: Final = U(0x1FFF << 16 * DIAMONDS)
_MULTIPLIER, _INCREMENT, _UNUSED, _CHOICE_BITS = U(MULTIPLIER), U(INCREMENT), U(39), U(25)
_GOLDEN, _MIX_FIRST, _MIX_SECOND = U(GOLDEN), U(MIX_FIRST), U(MIX_SECOND)
_FIRST_SHIFT, _SECOND_SHIFT, _THIRD_SHIFT, _ROLLOUT_SHIFT = U(30), U(27), U(31), U(40)


def compiled(function: Function) -> Function:
    """The function compiled, when it is first called."""
    try:
        return njit(cache=True, _nrt=False)(function)
    except RuntimeError:  # no place for the cache can be written
        return njit(_nrt=False)(function)


def part(function: Function) -> Function:
    """A function compiled into each of its callers."""
    return njit(forceinline=True, no_cpython_wrapper=True, _nrt=False)(function)


def called(function: Function) -> Function:
    """A function that compiled ones call: large, or called in several places."""
    return njit(no_cpython_wrapper=True, _nrt=False)(function)


def fingerprint(*modules: Mapping[str, object]) -> int:
    """A number that changes with the functions and the numbers of these modules (their `vars`)."""
    digest = 0
    for module in modules:
        for name, value in sorted(module.items()):
            function = getattr(value, "py_func", None)
            if function is not None:
                code = function.__code__
                digest = crc32(repr((name, code.co_code, code.co_consts, code.co_names)).encode(), digest)
            elif isinstance(value, int | np.integer):
                digest = crc32(f"{name} {int(value)}".encode(), digest)
    return digest


def _word_intrinsic(build: Callable[[Any, Any], Any]) -> Any:
    """One machine instruction on a 64-bit word."""

    def typed(_context: Any, _word: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return build(builder, arguments[0])

        return types.uint64(types.uint64), code

    return typed


_FALSE: Final = ir.Constant(ir.IntType(1), 0)
popcount: Final = intrinsic(_word_intrinsic(lambda builder, word: builder.ctpop(word)))
trailing_zeros: Final = intrinsic(_word_intrinsic(lambda builder, word: builder.cttz(word, _FALSE)))
leading_zeros: Final = intrinsic(_word_intrinsic(lambda builder, word: builder.ctlz(word, _FALSE)))


@part
def moved(stream):
    """The stream after one draw."""
    return stream * _MULTIPLIER + _INCREMENT


@part
def choice(stream, number):
    """What a stream that has just moved chooses: 0 … number − 1."""
    return ((stream >> _UNUSED) * number) >> _CHOICE_BITS


@part
def mixed(number):
    """64 bits that all depend on all bits of a number."""
    number = (number ^ (number >> _FIRST_SHIFT)) * _MIX_FIRST
    number = (number ^ (number >> _SECOND_SHIFT)) * _MIX_SECOND
    return number ^ (number >> _THIRD_SHIFT)


@part
def stream_at(begin, world, rollout):
    """Where the stream of a playout begins."""
    return mixed(begin + _GOLDEN * world + (rollout << _ROLLOUT_SHIFT))


@part
def _nth_bit_counted(word, place):
    """The bit at a place of a word, counted from the lowest."""
    while place:
        word &= word - ONE
        place -= ONE
    return word & (ZERO - word)


@intrinsic
def _deposited(_context: Any, _bits: Any, _mask: Any) -> Any:
    """Bits laid out, from the lowest, where the mask has ones: one instruction of some processors."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        instruction = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
        )
        return builder.call(instruction, arguments)

    return types.uint64(types.uint64, types.uint64), code


@part
def _nth_bit_deposited(word, place):
    """The bit at a place of a word, counted from the lowest."""
    return _deposited(ONE << place, word)


nth_bit: Final = _nth_bit_deposited if get_host_cpu_features().get("bmi2") else _nth_bit_counted
"""The bit at a place of a word, counted from the lowest."""


@part
def nth_card(low, high, place):
    """The card at a place of a set in canonical order."""
    first = popcount(low)
    if place < first:
        return nth_bit(low, place), ZERO
    return ZERO, nth_bit(high, place - first)


@part
def any_card(low, high, stream):
    """A card of a set, drawn where there are several, and the stream after it."""
    number = popcount(low) + popcount(high)
    if number == ONE:
        return low, high, stream
    stream = moved(stream)
    low, high = nth_card(low, high, choice(stream, number))
    return low, high, stream


@part
def highest(low, high):
    """The highest card of a set within one suit; of both copies the first."""
    kind = ONE << (TOP_BIT - leading_zeros(low | high))
    if low & kind:
        return kind, ZERO
    return ZERO, kind


@part
def lowest(low, high):
    """The lowest card of a set within one suit; of both copies the first."""
    kinds = low | high
    kind = kinds & (ZERO - kinds)
    if low & kind:
        return kind, ZERO
    return ZERO, kind


@part
def suit_shift(kind):
    """The first bit of the suit of a card."""
    return (TOP_BIT - leading_zeros(kind)) & U(48)


@part
def up_to(kind, suit_cards):
    """The kinds of a suit from its lowest to this one; none for 0."""
    return ((kind << ONE) - ONE) & suit_cards


@part
def without(low, high, low_avoided, high_avoided):
    """A set without some cards, or as it is where nothing else were left."""
    kept_low, kept_high = low & ~low_avoided, high & ~high_avoided
    if kept_low | kept_high:
        return kept_low, kept_high
    return low, high
