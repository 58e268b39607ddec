"""Files of recorded hands: the one that comes with the program, and the lines of any other."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

BUNDLED_HANDS: Final = Path(__file__).parent / "data" / "arena_hands.jsonl"
"""The recorded hands that come with the program."""


def capped_lines(stream: BinaryIO, most: int) -> Iterator[bytes]:
    """The lines of a stream; of a longer one its first `most` + 1 bytes, so that a reader sees that it is longer."""
    while line := stream.readline(most + 1):
        yield line
        while len(line) > most and not line.endswith(b"\n"):
            line = stream.readline(most + 1)
