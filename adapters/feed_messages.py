"""Messages for projections: from rows of the log, and from what the stream brings. Each is decoded once."""

from functools import lru_cache
from uuid import UUID

from adapters.serialization import Row, decode_public
from domain.errors import BrokenLog
from domain.events import Event
from projections.messages import Message

_uuid = lru_cache(maxsize=65536)(UUID)


def message_of_row(row: Row) -> Message:
    """The message of a row that is read from the log itself."""
    event = _decoded(row.tag, row.public, row.match, row.version, row.position)
    return Message(
        row.position, row.position, row.match, row.version, row.tag, row.digest, epoch=None, event=event
    )


def message_of_feed(
    position: int, sequence: int, identifier: str, tag: str, digest: bytes, epoch: str, body: bytes
) -> Message:
    """The message at a position of the stream. `identifier` is match and version, with a colon between them.

    Raises `ValueError` for an identifier that is none.
    """
    match_text, _, version_text = identifier.rpartition(":")
    match, version = _uuid(match_text), int(version_text)
    event = _decoded(tag, body, match, version, position)
    return Message(position, sequence, match, version, tag, digest, epoch, event)


def _decoded(tag: str, public: bytes, match: UUID, version: int, position: int) -> Event | BrokenLog:
    """The event, or why it is none: whoever meets it stops there and says so."""
    try:
        return decode_public(tag, public, match, version, position)
    except BrokenLog as broken:
        return broken
