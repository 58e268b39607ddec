"""What is known of the cards in a hand whose deal is not public: enough to re-decide it without false alarms.

A seat surely held what it went on to play or to declare open. Whatever the rules let a seat do with all its cards
they let it do with these few alone: each clause of rules.md §4 only ever forbids a play because of another card that
is held. So a step that is refused with the known cards was against the rules, whatever the rest of the hand was.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from domain.cards import DECLARABLE, TWOS_OF_CLUBS, Card, Cards, cards_in, deck, parse_cards, set_of
from domain.declarations import automatic_fourth, declared_cards
from domain.errors import CommandRefused
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    DeclarationSecret,
    Event,
    secret_of,
)
from domain.match import Hand
from domain.rulesets import Ruleset
from domain.seats import SEATS, BySeat, Seat

BLANK: Final[Cards] = 1 << 13
"""Stands for the cards of a seat that are not known: it is of no suit and is never played."""


def with_known_cards(hand: Hand, ruleset: Ruleset, events: Sequence[Event]) -> Hand:
    """A hand just dealt, with what its own later events tell of its cards and its leader."""
    holdings = known_holdings(ruleset, events)
    leader = _likely_leader(ruleset, holdings, events) if hand.leader is None else hand.leader
    sizes = {cards.bit_count() for cards in holdings}
    if sizes == {ruleset.hand_size}:
        return replace(hand, leader=leader, holdings=holdings, order=_some_order(holdings), order_known=False)
    first, second, third, fourth = (
        cards if cards.bit_count() >= ruleset.hand_size else cards | BLANK for cards in holdings
    )
    return replace(hand, leader=leader, holdings=(first, second, third, fourth))


def known_holdings(ruleset: Ruleset, events: Iterable[Event]) -> BySeat[Cards]:
    """The cards each seat is known to have been dealt. A card belongs to the first seat that shows it."""
    holdings = [0, 0, 0, 0]
    seen = declared = 0
    for event in events:
        if isinstance(event, CardsPlayed | CardDeclared) and event.seat in SEATS:
            shown = _shown(event, ruleset.decks)
            holdings[event.seat] |= shown & ~seen
            seen |= shown
            declared |= shown if isinstance(event, CardDeclared) else 0
    fourth = automatic_fourth(ruleset, declared)
    if fourth is not None and not seen >> fourth & 1:
        # Someone holds it. Were the window closed, the record would say who.
        holdings[0] |= 1 << fourth
    return (holdings[0], holdings[1], holdings[2], holdings[3])


def _shown(event: CardsPlayed | CardDeclared, decks: int) -> Cards:
    """The cards an event shows its seat to hold; none where it names what is no card."""
    secret = secret_of(event)
    if isinstance(secret, DeclarationSecret):
        return 1 << secret.card
    names = event.cards if isinstance(event, CardsPlayed) else () if event.card is None else (event.card,)
    try:
        return set_of(parse_cards(names, decks))
    except CommandRefused:
        return 0


def _likely_leader(ruleset: Ruleset, holdings: BySeat[Cards], events: Iterable[Event]) -> Seat:
    """The recorded leader of a match's first hand, unless the ♣2 are all known to lie elsewhere."""
    recorded = next((event.leader for event in events if isinstance(event, DeclarationsClosed)), None)
    holders = [seat for seat in SEATS if holdings[seat] & TWOS_OF_CLUBS]
    known = sum((holdings[seat] & TWOS_OF_CLUBS).bit_count() for seat in holders)
    if recorded is None or (known == ruleset.decks and recorded not in holders):
        return holders[0] if holders else 0
    return recorded


def _some_order(holdings: BySeat[Cards]) -> tuple[Card, ...]:
    """An order of the deal that gives each seat its hand."""
    rounds = zip(*(cards_in(cards) for cards in holdings), strict=True)
    return tuple(card for one_round in rounds for card in one_round)


def possible_declarations(hand: Hand, ruleset: Ruleset, seat: Seat) -> Cards:
    """The cards that a declaration of this seat, not opened so far, can be."""
    elsewhere = declared_cards(hand.declarations)
    for other in SEATS:
        if other != seat and hand.holdings is not None:
            elsewhere |= hand.holdings[other]
    return DECLARABLE & set_of(deck(ruleset.decks)) & ~elsewhere
