"""Notes that someone took in the viewer and saved: JSON, to be written into a match's notation as comments."""

from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from adapters.errors import AdapterError
from replays.notation import Comment, Notation

MOST_BYTES = 1_000_000


class NotNotes(AdapterError):
    """A file that holds no notes on the match meant; the text says why."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note on a step; when it was written is of no interest here."""

    step: Annotated[int, Meta(ge=0)]
    text: str


class Notes(msgspec.Struct, frozen=True, kw_only=True):
    """The file as the viewer saves it."""

    format: Literal["gongzhu notes 1"]
    match: UUID
    notes: tuple[Note, ...]


def with_notes(match: Notation, path: Path) -> Notation:
    """The match with the notes of a file added to its comments. Raises `NotNotes`."""
    notes = _read(path)
    of_match, last = match.events[0].match, len(match.events)
    if notes.match != of_match:
        raise NotNotes(f"{path} holds notes on match {notes.match}, not on {of_match}")
    if beyond := [note.step for note in notes.notes if note.step > last]:
        raise NotNotes(f"{path} has a note on step {beyond[0]}; the match has {last}")
    added = [Comment(note.step, note.text) for note in notes.notes]
    comments = sorted([*match.comments, *added], key=lambda comment: comment.step)
    return replace(match, comments=tuple(comments))


def _read(path: Path) -> Notes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NotNotes(f"{path} has more than {MOST_BYTES:,} bytes; notes are far smaller")
        return msgspec.json.decode(path.read_bytes(), type=Notes)
    except OSError as error:
        raise NotNotes(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotNotes(f"{path} is no file of notes as the viewer saves them: {error}") from None
