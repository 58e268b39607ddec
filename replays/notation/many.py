"""Texts that hold several matches, one after another: each begins with its tag `[Gongzhu …]` at the start of a line."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from replays.notation.documents import Notation
from replays.notation.lexing import LONGEST, NotationError, decoded
from replays.notation.reading import parse

_BEGINS: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*gongzhu\b", re.IGNORECASE)
_MOST_BYTES: Final = 4 * LONGEST


def parse_all(lines: Iterable[bytes]) -> Iterator[Notation | NotationError]:
    """What each match in a file of notation comes to, in order; its lines are read one by one.

    An error names the line of the file. Only blank lines: no match.
    """
    return (match for _, match in parse_placed(lines))


def parse_placed(lines: Iterable[bytes]) -> Iterator[tuple[int, Notation | NotationError]]:
    """The same, each behind the number of the line it begins on, from 1."""
    for first, content in _matches(lines):
        try:
            yield first + 1, parse(decoded(content))
        except NotationError as error:
            yield first + 1, error.below(first)


def _matches(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The part of each match, and how many lines stand before it. What is too long for a match is cut."""
    part = bytearray()
    first, begun = 0, False
    for number, line in enumerate(lines):
        begins = _BEGINS.match(line) is not None
        if begins and begun:
            yield first, bytes(part)
            part.clear()
            first = number
        begun = begun or begins
        part += line[: _MOST_BYTES + 1 - len(part)]
    if part.strip(b"\xef\xbb\xbf \t\r\n"):
        yield first, bytes(part)
