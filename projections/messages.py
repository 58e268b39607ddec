"""One message of the feed, decoded once for all projections that read it."""

from uuid import UUID

import msgspec

from domain.errors import BrokenLog
from domain.events import Event


class Message(msgspec.Struct, frozen=True):
    """An event as the feed, or the log, brought it.

    `position` is where it stands in what it was read from, `sequence` the log position it says of itself; `match` and
    `version` are those of its identifier. `event` is what could not be decoded, where that is so. `epoch` names the
    stream, None for the log.
    """

    position: int
    sequence: int
    match: UUID
    version: int
    tag: str
    digest: bytes
    epoch: str | None
    event: Event | BrokenLog
