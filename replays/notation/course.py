"""Where a match stands as its notation goes on: enough to say which event a few words mean.

The writer and the reader walk the same course. What the notation leaves out (versions, whose turn it is, think times,
takers, openings, who sits where) follows from here, so both sides leave out the same. Nothing here judges a match by
the rules; a card that was not dealt to the seat that plays it is noticed because no text could mean it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from domain.cards import NAMES, parse_cards, set_of, suit_of
from domain.dealing import Deal
from domain.errors import CommandRefused
from domain.events import (
    By,
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    PlayerLeft,
    PlayerSeated,
    PublishedDeclaration,
    TrickTaken,
)
from domain.seats import NEXT, SEATS, BySeat, Seat
from domain.tricks import winning_play

MILLISECOND: Final = timedelta(milliseconds=1)

_SENSELESS: Final = (CommandRefused, LookupError, ValueError, TypeError, ArithmeticError, StopIteration)
"""What the rules raise of a trick that no hand of this ruleset could have."""


class Unsayable(Exception):
    """The notation has no words for this here; the message says what could stand instead."""


class HandKnown(msgspec.Struct, frozen=True, kw_only=True):
    """What the text says of a hand beside its first event: its deal and its seed, as far as they are known."""

    deal: Deal | None = None
    seed: str | None = None


class CardKnown(msgspec.Struct, frozen=True, kw_only=True):
    """What the text says of a hidden declaration beside its event: the card, and what opens its commitment."""

    card: str
    opening: str | None = None


Known = HandKnown | CardKnown | None


class TrickPlay(msgspec.Struct, frozen=True):
    """One seat's cards in the trick in progress."""

    seat: Seat
    cards: tuple[str, ...]


class HandCourse(msgspec.Struct, kw_only=True):
    """A hand as far as it has gone; `plays` are those of the trick in progress, `seen` all cards played."""

    number: int
    dealt_at: datetime
    known: HandKnown
    turn_since: datetime
    declared: list[PublishedDeclaration | None] = msgspec.field(default_factory=list)
    turn: Seat | None = None
    trick_no: int = 1
    plays: list[TrickPlay] = msgspec.field(default_factory=list)
    seen: set[str] = msgspec.field(default_factory=set)


class Course:
    """A match from its opening on, event by event. `sitters` are the players the header names, by seat."""

    def __init__(self, opened: MatchOpened, sitters: Sequence[UUID | None]) -> None:
        self.opened = opened
        self.sitters = tuple(sitters)
        self.decks = opened.ruleset.decks
        self.names = frozenset(NAMES[self.decks - 1].values())
        self.version = opened.version
        self.at = opened.at
        self.players: list[UUID | None] = [None] * 4
        self.hand: HandCourse | None = None

    @property
    def in_hand(self) -> HandCourse:
        """The hand in progress. Raises `Unsayable`."""
        if self.hand is None:
            raise Unsayable("a `hand` before this")
        return self.hand

    @property
    def hand_no(self) -> int | None:
        """The number of the hand in progress, None between hands."""
        return self.hand.number if self.hand is not None else None

    def stamp(self, since: datetime, after: timedelta) -> dict[str, Any]:
        """Match, version and time of the next event, which happens `after` a moment. Raises `Unsayable`."""
        try:
            at = since + after
        except OverflowError:
            raise Unsayable("a time within the calendar") from None
        return {"match": self.opened.match, "version": self.version + 1, "at": at}

    # --- what follows from the course -------------------------------------------------------------------------------

    def played(self, cards: tuple[str, ...], by: By, think: timedelta) -> CardsPlayed:
        """The play that these cards mean here. Raises `Unsayable`."""
        hand = self.in_hand
        if hand.turn is None:
            raise Unsayable("`closed` before the first card")
        if len(hand.plays) >= len(SEATS):
            raise Unsayable("the trick's `event` TrickTaken")
        if (
            not hand.seen.isdisjoint(cards)
            or len(set(cards)) < len(cards)
            or not self.names.issuperset(cards)
        ):
            raise Unsayable("cards that were not played before in this hand")
        return CardsPlayed(
            **self.stamp(hand.turn_since, think),
            hand_no=hand.number,
            trick_no=hand.trick_no,
            seat=hand.turn,
            cards=cards,
            by=by,
            think_ms=think // MILLISECOND,
            openings=tuple(
                one
                for one in hand.declared
                if one is not None and one.level == "hidden" and one.card in cards
            ),
        )

    def taken(self) -> TrickTaken | None:
        """What completes the trick by the rules, where four have played to it and the rules can say."""
        hand = self.hand
        if hand is None or len(hand.plays) != len(SEATS):
            return None
        try:
            cards = [parse_cards(play.cards, self.decks) for play in hand.plays]
            suit = suit_of(cards[0][0])
            taker = winning_play([set_of(play) for play in cards], suit, self.opened.ruleset.pair_tricks)
        except _SENSELESS:
            return None
        return TrickTaken(
            **self.stamp(self.at, timedelta(0)),
            hand_no=hand.number,
            trick_no=hand.trick_no,
            seat=hand.plays[taker].seat,
            cards=tuple(card for play in hand.plays for card in play.cards),
        )

    def declarations(self) -> tuple[PublishedDeclaration, ...]:
        """All declarations of the hand in progress, as its end publishes them. Raises `Unsayable`."""
        declared = [one for one in self.in_hand.declared if one is not None]
        if len(declared) < len(self.in_hand.declared):
            raise Unsayable("the card of every hidden declaration before the hand's end")
        return tuple(declared)

    def everyone(self) -> BySeat[UUID]:
        """The players by seat. Raises `Unsayable` where a seat is empty."""
        first, second, third, fourth = self.players
        if first is None or second is None or third is None or fourth is None:
            raise Unsayable("`sits` for all four seats before this")
        return (first, second, third, fourth)

    def contradicts(self, seat: Seat, cards: Sequence[str]) -> bool:
        """Whether the deal, where it is known, gave some of these cards to another seat."""
        deal = self.hand.known.deal if self.hand is not None else None
        return deal is not None and not set(cards) <= set(deal.hands[seat])

    # --- going on ---------------------------------------------------------------------------------------------------

    def go_on(self, event: Event, known: Known = None) -> None:
        """Takes an event into account, whatever it is."""
        self.version, self.at = event.version, event.at
        match event:
            case PlayerSeated() | PlayerLeft() if event.seat in SEATS:
                self.players[event.seat] = event.player if isinstance(event, PlayerSeated) else None
            case HandDealt():
                self.hand = HandCourse(
                    number=event.hand_no,
                    dealt_at=event.at,
                    known=known if isinstance(known, HandKnown) else HandKnown(),
                    turn_since=event.at,
                )
            case HandEnded() | MatchAbandoned():
                self.hand = None
            case _ if self.hand is not None:
                _go_on_in_hand(self.hand, event, known)


def _go_on_in_hand(hand: HandCourse, event: Event, known: Known) -> None:
    match event:
        case CardDeclared():
            hand.declared.append(declared_as(event, known))
        case DeclarationsClosed():
            hand.turn, hand.turn_since = event.leader, event.at
        case CardsPlayed():
            hand.plays.append(TrickPlay(event.seat, event.cards))
            hand.seen.update(event.cards)
            hand.turn, hand.turn_since = NEXT[event.seat] if event.seat in SEATS else None, event.at
        case TrickTaken():
            hand.plays.clear()
            hand.turn, hand.turn_since = event.seat, event.at
            hand.trick_no = event.trick_no + 1


def declared_as(event: CardDeclared, known: Known) -> PublishedDeclaration | None:
    """A declaration as it is published once its card is public; None where the text does not know the card."""
    if event.card is not None:
        card = CardKnown(card=event.card)
    elif isinstance(known, CardKnown):
        card = known
    else:
        return None
    return PublishedDeclaration(
        seat=event.seat, card=card.card, level=event.level, automatic=event.automatic, opening=card.opening
    )
