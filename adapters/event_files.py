"""Files of stored public events, one JSON object a line: what `events export` writes and `verify` reads.

Empty lines are passed over; one closes each match that is written whole.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.serialization import Row, decode_public
from domain.errors import BrokenLog
from domain.events import Event


class NotAnEventFile(AdapterError):
    """A line is not a stored public event."""


class Head(msgspec.Struct, frozen=True):
    """What every public event begins with."""

    type: str
    schema: int
    match: UUID
    version: int

    @property
    def tag(self) -> str:
        """The tag of its row."""
        return f"{self.type}.{self.schema}"


HEADS: Final = msgspec.json.Decoder(Head)
"""Decodes a public object's head. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`, `RecursionError`."""


def event_of(public: bytes) -> Event:
    """The event of a public object that stands in no row. Raises as `HEADS`, and `BrokenLog`."""
    head = HEADS.decode(public)
    return decode_public(head.tag, public, head.match, head.version)


def closed_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """A match's stored public objects, byte for byte, a line each; then the empty line that says that it is whole.

    Whoever reads the lines of a file that was cut off behind an event would otherwise miss what came after it.
    """
    for row in rows:
        yield row.public + b"\n"
    yield b"\n"


def read_events(path: Path) -> list[Event]:
    """The events of a file, in its order. Raises `NotAnEventFile` naming file and line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise NotAnEventFile(f"cannot read {path}: {error.strerror}") from error
    return [_event(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _event(path: Path, number: int, line: bytes) -> Event:
    try:
        return event_of(line)
    except (msgspec.MsgspecError, BrokenLog, UnicodeDecodeError) as error:
        raise NotAnEventFile(f"{path} line {number} is not a stored public event: {error}") from None
