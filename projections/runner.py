"""Applies messages to a projection: in order, each once, and never past one that cannot be applied (design §6).

Which messages of a delivery are due is decided by the checkpoint alone: the next position is applied, lower ones have
been, and a higher one means that something is missing. Nothing here reads or writes anything but `Rows`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from domain.errors import BrokenLog, GongzhuError
from domain.events import Event
from projections.messages import Message
from projections.read_model import Rows, RowsUnavailable, Table

Handler: TypeAlias = Callable[[Any, int, Rows], None]
"""Applies one event, with its position in the log, to the rows."""


class Projection(NamedTuple):
    """A read model: its tables, and what each event it is interested in does to them.

    `revision` is raised when handlers make other rows of the same events; the read model is then built anew.
    """

    name: str
    revision: int
    tables: tuple[Table[Any], ...]
    handlers: Mapping[type[Event], Handler]


class ProjectionStopped(GongzhuError):
    """A projection must not go on. Says which, where in the log, and what to do."""

    def __init__(self, projection: str, what: str, *, position: int | None = None) -> None:
        self.projection = projection
        self.position = position
        self.what = what
        where = "" if position is None else f" at position {position}"
        super().__init__(f"projection {projection} stopped{where}: {what}")


class CannotApply(ProjectionStopped):
    """An event that this projection cannot apply. Names match, position and tag."""

    def __init__(self, projection: str, message: Message, what: str) -> None:
        self.message = message
        place = f"match {message.match}, version {message.version}, tag {message.tag}"
        super().__init__(projection, f"{place}: {what}", position=message.sequence)


class Due(NamedTuple):
    """The messages of a delivery to be applied now, and whether one is missing after them."""

    messages: Sequence[Message]
    gap: bool


def due(messages: Sequence[Message], after: int) -> Due:
    """What follows position `after` without a gap; what was applied before is left out."""
    expected = after + 1
    first = next((i for i, message in enumerate(messages) if message.position >= expected), len(messages))
    for index in range(first, len(messages)):
        if messages[index].position != expected:
            return Due(messages[first:index], gap=True)
        expected += 1
    return Due(messages[first:] if first else messages, gap=False)


def apply(projection: Projection, messages: Sequence[Message], rows: Rows) -> None:
    """Applies messages that are due. Raises `CannotApply`; then the rows must be thrown away."""
    handlers = projection.handlers
    for message in messages:
        event = _event_of(projection, message)
        handler = handlers.get(type(event))
        if handler is None:
            continue
        try:
            handler(event, message.position, rows)
        except RowsUnavailable:
            raise
        except BrokenLog as broken:
            raise CannotApply(projection.name, message, broken.what) from broken
        except Exception as error:
            raise CannotApply(projection.name, message, f"{type(error).__name__}: {error}") from error


def _event_of(projection: Projection, message: Message) -> Event:
    """The event of a message that is what it says. Raises `CannotApply`."""
    event = message.event
    if message.sequence != message.position:
        what = f"it stands at {message.position} in the stream and calls itself {message.sequence}"
        raise CannotApply(projection.name, message, f"{what}; run `gongzhu feed rebuild`")
    if isinstance(event, BrokenLog):
        raise CannotApply(projection.name, message, event.what)
    if event.match != message.match or event.version != message.version:
        what = f"its body is of match {event.match}, version {event.version}"
        raise CannotApply(projection.name, message, f"{what}; run `gongzhu feed rebuild`")
    return event
