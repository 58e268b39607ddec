"""The published secrets of finished hands, put back into the events they were taken from.

A hand's end publishes its deal, seed and declarations (design §3). With these in place again the events of a finished
or abandoned hand fold as they did in the match service, from public forms alone. Of a hand in progress nothing is put
back, whatever the events given carry.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.cards import TWOS_OF_CLUBS, parse_card
from domain.dealing import check_order, first_dealt, order_of
from domain.errors import CommandRefused
from domain.events import (
    CardDeclared,
    DealSecret,
    DeclarationSecret,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    PublishedDeclaration,
    public_form,
)
from domain.match import opened_commitment
from domain.secret import Secret
from replays.hand_spans import HandSpan, hand_spans, published_declarations


def disclosed(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events with every published secret in its place; secrets that are not public are taken off."""
    told = [public_form(event) for event in events]
    return disclosed_in(told, hand_spans(told))


def disclosed_in(public: Sequence[Event], spans: Iterable[HandSpan]) -> tuple[Event, ...]:
    """The same from public forms whose hands are known."""
    told = list(public)
    decks = decks_of(told)
    for span in spans:
        dealt, ending = told[span.first], span.ending
        if not isinstance(dealt, HandDealt) or ending is None:
            continue
        deal = published_deal(dealt, ending, decks)
        if deal is None and dealt.deal is None:
            continue
        told[span.first] = dealt if deal is None else replace(dealt, secret=Secret(deal))
        of_hand = told[span.first : span.end]
        told[span.first : span.end] = with_openings(of_hand, ending, decks)
    return tuple(told)


def decks_of(events: Sequence[Event]) -> int:
    """How many decks a match is played with, as its first event says: 1 or 2."""
    opened = events[0] if events else None
    return 2 if isinstance(opened, MatchOpened) and opened.ruleset.decks == 2 else 1


def published_deal(dealt: HandDealt, ending: HandEnded | MatchAbandoned, decks: int) -> DealSecret | None:
    """The secret of a deal from what the hand's end publishes; None where that is nothing, or no deal at all."""
    if ending.deal is None or dealt.deal is not None:
        return None
    try:
        order = order_of(ending.deal, decks)
        check_order(order, decks)
        seed = bytes.fromhex(ending.seed or "")
    except (CommandRefused, ValueError):
        return None
    leader = first_dealt(order, TWOS_OF_CLUBS) if dealt.leader is None else dealt.leader
    return DealSecret(bytes(order), seed, leader)


def with_openings(
    events: Sequence[Event], ending: HandEnded | MatchAbandoned | None, decks: int
) -> list[Event]:
    """One hand's events, with the card and opening of each hidden declaration that they open.

    The opening that fits the commitment is taken wherever it stands. Where none fits, the declaration of the same
    place at the hand's end is, so that the difference can be seen.
    """
    published = published_declarations(events, ending)
    at_end = iter(ending.declarations if ending is not None else ())
    told: list[Event] = []
    for event in events:
        if isinstance(event, CardDeclared):
            in_place = next(at_end, None)
            if event.card is None:
                event = _with_opening(event, published, in_place, decks)  # noqa: PLW2901
        told.append(event)
    return told


def _with_opening(
    event: CardDeclared,
    published: Iterable[PublishedDeclaration],
    in_place: PublishedDeclaration | None,
    decks: int,
) -> CardDeclared:
    fitting = next((one for one in published if opens(one, event)), in_place)
    secret = _declaration_secret(fitting, decks) if fitting is not None else None
    if fitting is None or secret is None or fitting.seat != event.seat:
        return event
    return replace(event, secret=Secret(secret))


def opens(published: PublishedDeclaration, event: CardDeclared) -> bool:
    """Whether a published opening is the one of this declaration's commitment."""
    try:
        commitment = opened_commitment(event.match, event.hand_no, published)
    except (ValueError, OverflowError):
        return False
    return published.seat == event.seat and commitment is not None and commitment == event.commitment


def _declaration_secret(published: PublishedDeclaration, decks: int) -> DeclarationSecret | None:
    try:
        return DeclarationSecret(parse_card(published.card, decks), bytes.fromhex(published.opening or ""))
    except (CommandRefused, ValueError):
        return None
