"""Parts of an export that are text: NDJSON and notation, one file each."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from adapters.exports.ended_matches import EndedMatch
from adapters.exports.forms import ndjson, notation


class NewFile(NamedTuple):
    """A file just written, durably: its path below the folder it was written to, what it holds, and its rows."""

    path: str
    holds: str
    rows: int


class PartWriter(Protocol):
    """Writes the files of one part below a folder. What a match is made of is not kept once it is written."""

    def add(self, match: EndedMatch) -> None:
        """One more match."""

    def finish(self) -> list[NewFile]:
        """Closes the files; every byte is on the disk."""

    def give_up(self) -> None:
        """Closes the files as they are."""


class _Text(NamedTuple):
    suffix: str
    holds: str
    render: Callable[[EndedMatch], bytes]
    rows: Callable[[EndedMatch], int]


_TEXTS: Final = {
    "ndjson": _Text("ndjson", "events", ndjson, lambda match: len(match.rows)),
    "notation": _Text("txt", "notations", notation, lambda _: 1),
}


class TextPart:
    """One file of text; a row is an event of NDJSON, or a match of notation."""

    def __init__(self, folder: Path, number: int, kind: str) -> None:
        self._text = _TEXTS[kind]
        self._path = f"matches-{number:05}.{self._text.suffix}"
        self._file = (folder / self._path).open("wb")
        self._rows = 0

    def add(self, match: EndedMatch) -> None:
        """One more match."""
        self._file.write(self._text.render(match))
        self._rows += self._text.rows(match)

    def finish(self) -> list[NewFile]:
        """Closes the file."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return [NewFile(self._path, self._text.holds, self._rows)]

    def give_up(self) -> None:
        """Closes the file as it is."""
        self._file.close()
