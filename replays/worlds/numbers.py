"""Random numbers for drawing worlds: SplitMix64, the same here and compiled in `fast`.

A generator is nothing but a 64-bit state (`domain.streams.stream_of` makes one), so that a compiled draw can take it up
and hand it back. Streams of playouts are lighter; these numbers decide among counts of any size, exactly.
"""

from domain.streams import GOLDEN, MIX_FIRST, MIX_SECOND, WORD, Stream


class Numbers:
    """A row of uniform 64-bit numbers from a seed; `state` is all there is to it."""

    __slots__ = ("state",)

    def __init__(self, seed: Stream) -> None:
        self.state = seed & WORD

    def next(self) -> int:
        """The next number, uniform below 2⁶⁴."""
        self.state = mixed = self.state + GOLDEN & WORD
        mixed = (mixed ^ mixed >> 30) * MIX_FIRST & WORD
        mixed = (mixed ^ mixed >> 27) * MIX_SECOND & WORD
        return mixed ^ mixed >> 31

    def below(self, bound: int) -> int:
        """A number uniform below `bound` (at most 2³²): exactly, by rejection."""
        while True:
            product = (self.next() >> 32) * bound
            low = product & 0xFFFFFFFF
            if low >= bound or low >= (1 << 32) % bound:
                return product >> 32
