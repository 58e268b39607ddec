"""What readers of files hand on: matches as public objects with the place they were found, and what is faulty."""

from typing import Final, NamedTuple
from uuid import UUID

import msgspec

MOST_BYTES: Final = 64_000_000
"""A match of more bytes is none: 256 hands of two decks have about 12 million."""


class FoundMatch(NamedTuple):
    """A match in a file: where it begins, and its events in their order, each as one public JSON object.

    `unit` is what the file is counted in (line, row, object), `first` the number of the one it begins with. Where
    `spread`, each event has one of its own.
    """

    source: str
    unit: str
    first: int
    match: UUID
    publics: tuple[bytes, ...]
    spread: bool = True

    def place_of(self, version: int | None) -> str:
        """Where an event stands; where the match begins, if that is not known."""
        further = version - 1 if self.spread and version is not None else 0
        return f"{self.source} {self.unit} {self.first + further}, match {self.match}"


class Faulty(NamedTuple):
    """Something in a file that is not restored: where it is, what is wrong, and what to do."""

    where: str
    what: str

    def describe(self) -> str:
        """One line, fit for a terminal and not without end, whatever the file holds."""
        return f"{self.where}: {_shown(self.what)}"


UNDECODABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_MOST_SHOWN: Final = 600


def _shown(text: str) -> str:
    """A text from a stranger's file: of a long one the beginning, and the end, which says what to do."""
    if len(text) > _MOST_SHOWN:
        text = f"{text[: _MOST_SHOWN * 2 // 3]} … {text[-_MOST_SHOWN // 3 :]}"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
