"""Files of stored public events, one JSON object a line: what `events export` writes and `verify` reads.

Empty lines are passed over; one closes each match that is written whole.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.serialization import Row, decode_public
from domain.errors import BrokenLog
from domain.events import Event


class NotAnEventFile(AdapterError):
    """A line is not a stored public event."""


class _Head(msgspec.Struct):
    """What every public event begins with."""

    type: str
    schema: int
    match: UUID
    version: int


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
        head = msgspec.json.decode(line, type=_Head)
        return decode_public(f"{head.type}.{head.schema}", line, head.match, head.version)
    except (msgspec.MsgspecError, BrokenLog, UnicodeDecodeError) as error:
        raise NotAnEventFile(f"{path} line {number} is not a stored public event: {error}") from None
