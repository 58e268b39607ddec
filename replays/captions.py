"""What changed with an event, as data and in a sentence. From public forms only, so anyone may read it."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from domain import events
from domain.events import Event
from replays.places import place_of


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """What changed: the event's type, what of the game it concerns, and an English sentence without its full stop."""

    kind: str
    hand_no: int | None
    trick_no: int | None
    seat: int | None
    cards: tuple[str, ...]
    text: str


def caption(event: Event) -> Caption:
    """The caption of an event."""
    place = place_of(event)
    kind = type(event).__name__
    sentence = _SENTENCES.get(type(event))
    return Caption(
        kind=kind,
        hand_no=place.hand_no,
        trick_no=place.trick_no,
        seat=place.seat,
        cards=place.cards,
        text=sentence(event) if sentence is not None else kind,
    )


def _opened(event: events.MatchOpened) -> str:
    hands = f", {event.hands_agreed} hands agreed" if event.hands_agreed is not None else ""
    return f"a match of {event.ruleset.name} is opened{hands}"


def _dealt(event: events.HandDealt) -> str:
    return f"hand {event.hand_no} is dealt" + (
        f", seat {event.leader} leads" if event.leader is not None else ""
    )


def _declared(event: events.CardDeclared) -> str:
    if event.card is None:
        return f"seat {event.seat} declares a card face down"
    return f"seat {event.seat} declares {event.card} {event.level}" + (
        ", the automatic fourth" if event.automatic else ""
    )


def _closed(event: events.DeclarationsClosed) -> str:
    cause = "time is up" if event.cause == "time" else "all are done"
    return f"declarations are closed, {cause}; seat {event.leader} leads"


def _played(event: events.CardsPlayed) -> str:
    who = f"seat {event.seat}" + (" (autopilot)" if event.by == "autopilot" else "")
    opened = "".join(f", {opening.card} was declared face down" for opening in event.openings)
    return f"{who} plays {' '.join(event.cards)}{opened}"


def _ended(event: events.HandEnded) -> str:
    scores = ", ".join(f"{score:+d}" if score else "0" for score in event.raw_scores)
    return f"hand {event.hand_no} is over, raw scores {scores}"


def _settled(event: events.MatchSettled) -> str:
    points = ", ".join(f"{number:+d}" if number else "0" for number in event.points)
    return f"the match is settled ({event.cause.replace('_', ' ')}), points {points}"


def _abandoned(event: events.MatchAbandoned) -> str:
    void = f", hand {event.hand_no} is void" if event.hand_no is not None else ""
    return f"the match is abandoned ({event.cause}){void}"


Sentence: TypeAlias = Callable[[Any], str]

_SENTENCES: Final[dict[type[Event], Sentence]] = {
    events.MatchOpened: _opened,
    events.PlayerSeated: lambda event: f"seat {event.seat} is taken",
    events.PlayerLeft: lambda event: f"seat {event.seat} is free again ({event.cause})",
    events.NonceRevealed: lambda event: f"seat {event.seat} reveals its nonce",
    events.HandDealt: _dealt,
    events.CardDeclared: _declared,
    events.DeclarationDone: lambda event: f"seat {event.seat} declares no more",
    events.DeclarationsClosed: _closed,
    events.CardsPlayed: _played,
    events.TrickTaken: lambda event: f"seat {event.seat} takes trick {event.trick_no}",
    events.SeatHandedOver: lambda event: f"seat {event.seat} is handed over ({event.cause})",
    events.SeatTakenBack: lambda event: f"seat {event.seat} is taken back ({event.cause})",
    events.HandEnded: _ended,
    events.MatchSettled: _settled,
    events.MatchAbandoned: _abandoned,
    events.MatchAnnulled: lambda event: f"the match is annulled ({event.cause})",
    events.AnnulmentLifted: lambda event: f"the annulment is lifted ({event.cause})",
    events.HandCorrected: lambda event: f"hand {event.hand_no} is corrected ({event.cause})",
}
"""The sentence of each event type."""
