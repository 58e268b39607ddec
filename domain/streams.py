"""Streams of random numbers for playouts, small enough to be the same in every kernel (pure Python and compiled).

A stream is one 64-bit number. A draw moves it on, `x ← A·x + C mod 2^64`, and takes a choice among `n` from its
upper 25 bits: `(x >> 39) · n >> 25`. Where a stream begins is a mix of numbers that say what it is for (by the
finaliser of SplitMix64), so that it does not depend on what was drawn before it, in which order or on which thread.
These numbers are for playouts: a stream is data, easily foreseen, and no key.
"""

from typing import Final, TypeAlias

Stream: TypeAlias = int
"""The state of a stream, 0 … 2^64 − 1."""

MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
WORD: Final = (1 << 64) - 1
"""What keeps a number in 64 bits."""
GOLDEN: Final = 0x9E3779B97F4A7C15
"""Sets numbers that follow each other far apart before they are mixed."""
MIX_FIRST: Final = 0xBF58476D1CE4E5B9
MIX_SECOND: Final = 0x94D049BB133111EB


def mixed(number: int) -> int:
    """64 bits that all depend on all bits of a number; different for different numbers below 2^64."""
    number &= WORD
    number = (number ^ number >> 30) * MIX_FIRST & WORD
    number = (number ^ number >> 27) * MIX_SECOND & WORD
    return number ^ number >> 31


def stream_of(*numbers: int) -> Stream:
    """Where the stream for these numbers begins; their order counts."""
    state = 0
    for number in numbers:
        state = mixed(state + GOLDEN + number)
    return state


def moved(stream: Stream) -> Stream:
    """The stream after one draw."""
    return stream * MULTIPLIER + INCREMENT & WORD


def choice(stream: Stream, number: int) -> int:
    """What a stream that has just moved chooses: 0 … number − 1, each as likely to within `number` in 2^25."""
    return (stream >> 39) * number >> 25
