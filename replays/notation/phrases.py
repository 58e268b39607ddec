"""Every event as a phrase, and every phrase as its event.

A phrase begins with its word, a play with its card. What no phrase can say as it was recorded stands as a whole:
`event` and the public form as JSON.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, TypeAlias

import msgspec

from domain import events
from domain.events import Event, EventTypes
from replays.notation import dealing, declaring, ending, integrity, playing, seating
from replays.notation.course import Course, Known, Unsayable
from replays.notation.lexing import Cursor, NotationError
from replays.notation.texts import quoted
from replays.notation.words import Lines

Told: TypeAlias = tuple[Event, Known]
"""An event, and what the text says beside it."""

_DECODER: Final = msgspec.json.Decoder(EventTypes)
_ENCODER: Final = msgspec.json.Encoder()

PLAY: Final = "a card"


def _alone(reader: Callable[[Cursor, Course], Event]) -> Callable[[Cursor, Course], Told]:
    return lambda cursor, course: (reader(cursor, course), None)


READERS: Final[dict[str, Callable[[Cursor, Course], Told]]] = {
    PLAY: _alone(playing.read_played),
    "sits": _alone(seating.read_seated),
    "leaves": _alone(seating.read_left),
    "nonce": _alone(seating.read_nonce),
    "hand": dealing.read_dealt,
    "declares": declaring.read_declared,
    "done": _alone(declaring.read_done),
    "closed": _alone(declaring.read_closed),
    "handover": _alone(playing.read_handed_over),
    "takeback": _alone(playing.read_handed_over),
    "scores": _alone(ending.read_ended),
    "settled": _alone(ending.read_settled),
    "abandoned": _alone(ending.read_abandoned),
    "annulled": _alone(integrity.read_annulled),
    "lifted": _alone(integrity.read_annulled),
    "corrected": _alone(integrity.read_corrected),
}
"""What reads a phrase, by its first word."""

WRITERS: Final[dict[type[Event], Callable[[Any, Any, Course], Lines]]] = {
    events.PlayerSeated: lambda event, _, course: seating.seated(event, course),
    events.PlayerLeft: lambda event, _, course: seating.left(event, course),
    events.NonceRevealed: lambda event, _, course: seating.nonce(event, course),
    events.HandDealt: lambda event, known, _: dealing.dealt(event, known),
    events.CardDeclared: declaring.declared,
    events.DeclarationDone: lambda event, _, course: declaring.done(event, course),
    events.DeclarationsClosed: lambda event, _, course: declaring.closed(event, course),
    events.SeatHandedOver: lambda event, _, course: playing.handed_over(event, course),
    events.SeatTakenBack: lambda event, _, course: playing.handed_over(event, course),
    events.HandEnded: lambda event, _, course: ending.ended(event, course),
    events.MatchSettled: lambda event, _, course: ending.settled(event, course),
    events.MatchAbandoned: lambda event, _, __: ending.abandoned(event),
    events.MatchAnnulled: lambda event, _, __: integrity.annulled(event),
    events.AnnulmentLifted: lambda event, _, __: integrity.annulled(event),
    events.HandCorrected: lambda event, _, __: integrity.corrected(event),
}
"""What writes the phrase of an event; plays are written by `playing.played`."""


def phrase(event: Event, known: Known, course: Course) -> Lines | None:
    """The lines of an event's phrase; None where no phrase would be read as this event here."""
    try:
        if isinstance(event, events.CardsPlayed):
            return playing.played(event, course)
        writer = WRITERS.get(type(event))
        if writer is None:
            return None
        lines = writer(event, known, course)
        cursor = Cursor("\n".join(" ".join(words) for words in lines))
        cursor.decks = course.decks
        told = read_phrase(cursor, course)
    except (Unsayable, NotationError, IndexError, TypeError):
        # What our code records can be said; this is a record that was tampered with.
        return None
    return lines if told == (event, known) and cursor.next.kind == "end" else None


def read_phrase(cursor: Cursor, course: Course) -> Told:
    """The event that the next words mean. Raises `NotationError`."""
    first = cursor.next
    word = first.text.lower() if first.kind == "word" else PLAY
    try:
        if word == "event":
            return _read_whole(cursor, course), None
        if word in READERS and first.kind in ("word", "card", "number"):
            return READERS[word](cursor, course)
    except Unsayable as unsayable:
        raise cursor.error(str(unsayable), first) from None
    raise cursor.error(f"{', '.join(READERS)} or event")


def whole(event: Event) -> Lines:
    """`event` and the public form of an event as JSON."""
    return [["event", *quoted(_ENCODER.encode(event).decode())]]


def _read_whole(cursor: Cursor, course: Course) -> Event:
    cursor.expect("event")
    token = cursor.next
    text = cursor.string("an event as JSON, in quotes")
    try:
        event = _DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError) as wrong:
        raise cursor.wrong(f"expected an event as JSON: {wrong}", token) from None
    if (event.match, event.version) != (course.opened.match, course.version + 1):
        raise cursor.wrong(f"expected an event of this match with version {course.version + 1}", token)
    if event.at.utcoffset() != timedelta(0):
        raise cursor.wrong("expected an event whose time is in UTC", token)
    return event
