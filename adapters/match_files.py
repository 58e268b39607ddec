"""Matches in files: their public events as NDJSON or as one JSON array, or their notation.

A file is told by how it begins. What is written is rendered from the events; the stored bytes of a match are what
`events export` writes.
"""

import re
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from adapters.errors import AdapterError
from adapters.event_files import NotAnEventFile, event_of, read_events
from adapters.serialization import encode_public
from domain.errors import BrokenLog
from domain.events import Event
from replays.notation import Notation, NotationError, parse_all, rewrite
from replays.verify import matches_in

Form = Literal["notation", "json", "ndjson"]
FORMS: Final[tuple[Form, ...]] = ("notation", "json", "ndjson")

MOST_BYTES: Final = 64_000_000
"""A longer file is not read as one match: 256 hands of two decks have about 12 million bytes as events."""

_ARRAY: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*[{\]]")
_LINES: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"")
_BEGINNING: Final = 4096


class NotOneMatch(AdapterError):
    """A file that does not hold a match, or more than one where one is wanted; the text says what it holds."""


def read_match(path: Path) -> Notation:
    """The one match in a file of any form; only a notation has comments. Raises `NotOneMatch`, `NotAnEventFile`."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise NotOneMatch(f"cannot read {path}: {error.strerror}") from error
    if size > MOST_BYTES:
        raise NotOneMatch(f"{path} has more than {MOST_BYTES:,} bytes; a match is far smaller")
    matches = read_matches(path)
    if len(matches) != 1:
        raise NotOneMatch(f"{path} holds {len(matches) or 'no'} matches; one is wanted")
    return matches[0]


def read_matches(path: Path) -> list[Notation]:
    """Every match in a file of any form, whatever its size. Raises `NotOneMatch`, `NotAnEventFile`."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
            file.seek(0)
            if not _LINES.match(beginning) and not _ARRAY.match(beginning):
                return [_sound(path, match) for match in parse_all(file)]
            events = read_events(path) if _LINES.match(beginning) else _from_array(path, file.read())
    except OSError as error:
        raise NotOneMatch(f"cannot read {path}: {error.strerror}") from error
    return [Notation(events=tuple(of_match)) for of_match in matches_in(events)]


def _sound(path: Path, match: Notation | NotationError) -> Notation:
    if isinstance(match, NotationError):
        raise NotOneMatch(f"{path}, {match}") from match
    return match


def _from_array(path: Path, content: bytes) -> list[Event]:
    try:
        return [event_of(bytes(raw)) for raw in msgspec.json.decode(content, type=list[msgspec.Raw])]
    except (msgspec.MsgspecError, BrokenLog, UnicodeDecodeError, RecursionError) as error:
        raise NotAnEventFile(f"{path} is not an array of public events: {error}") from None


def written(match: Notation, form: Form) -> bytes:
    """A match in one of the forms; NDJSON ends with an empty line. Only a notation holds comments and others' tags."""
    if form == "notation":
        return rewrite(match).encode()
    objects = [encode_public(event) for event in match.events]
    if form == "ndjson":
        return b"".join(line + b"\n" for line in objects) + b"\n"
    return b"[\n" + b",\n".join(objects) + b"\n]\n"


def match_schema() -> dict[str, Any]:
    """The JSON Schema of a match as one array of its public events, in the order of their versions."""
    from adapters.contract.schemas import DIALECT, URN, event_schemas

    schemas = event_schemas()
    return {
        "$schema": DIALECT,
        "$id": f"{URN}match",
        "title": "Match",
        "description": "The public events of one match, from its opening on.",
        "type": "array",
        "minItems": 1,
        "items": {"oneOf": [{"$ref": URN + tag} for tag in schemas]},
        "$defs": schemas,
    }
