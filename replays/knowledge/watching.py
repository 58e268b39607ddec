"""The public course of a hand, as everyone at the table sees it."""

from collections.abc import Iterable, Sequence

import msgspec

from domain.cards import (
    DECLARABLE,
    SUIT_CARDS,
    Card,
    Cards,
    cards_in,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    Event,
    HandDealt,
    PublishedDeclaration,
    TrickTaken,
)
from domain.seats import Seat


class Declared(msgspec.Struct):
    """A declaration as everyone knows it; `card` is None while it lies face down."""

    seat: Seat
    step: int
    card: Card | None
    hidden: bool


class Played(msgspec.Struct, frozen=True):
    """A play: the suit led and cards owed (by a leader: its own), whether a trick in that suit had been completed."""

    seat: Seat
    step: int
    trick_no: int
    cards: Cards
    suit: int
    owed: int
    leads: bool
    led_before: bool


class Watched:
    """The public course of a hand."""

    def __init__(self, decks: int) -> None:
        self.decks = decks
        self.step = self.hand_no = 0
        self.declared: list[Declared] = []
        self.closed: DeclarationsClosed | None = None
        self.plays: list[Played] = []
        self.suits_led = 0
        self.led: tuple[int, int] | None = None

    def see(self, event: Event) -> None:
        """One more event."""
        self.step = event.version
        match event:
            case HandDealt():
                self.hand_no = event.hand_no
            case CardDeclared():
                card = parse_card(event.card, self.decks) if event.card is not None else None
                self.declared.append(Declared(event.seat, event.version, card, event.level == "hidden"))
            case DeclarationsClosed():
                self.closed = event
            case CardsPlayed():
                self._see_play(event)
            case TrickTaken():
                self.suits_led |= SUIT_CARDS[self.led[0]] if self.led is not None else 0
                self.led = None

    def _see_play(self, event: CardsPlayed) -> None:
        for opening in event.openings:
            self._open(opening)
        cards = parse_cards(event.cards, self.decks)
        leads = self.led is None
        suit, owed = self.led = self.led or (suit_of(cards[0]), len(cards))
        led_before = bool(self.suits_led & SUIT_CARDS[suit])
        self.plays.append(
            Played(event.seat, event.version, event.trick_no, set_of(cards), suit, owed, leads, led_before)
        )

    def _open(self, opening: PublishedDeclaration) -> None:
        """Turns up one of a seat's cards that lie face down; which of them it was does not matter."""
        for declared in self.declared:
            if declared.seat == opening.seat and declared.card is None:
                declared.card = parse_card(opening.card, self.decks)
                return

    def suppose(self, supposed: Sequence[Cards]) -> None:
        """Takes these cards, by seat, for those that lie face down."""
        for seat, cards in enumerate(supposed):
            for declared, card in zip(self.face_down(seat), cards_in(cards), strict=False):
                declared.card = card

    def played_by(self, seats: Sequence[Seat], since: int = 0) -> Cards:
        """What these seats have played, from a step on."""
        return _union(play.cards for play in self.plays if play.seat in seats and play.step >= since)

    def known_declared(self, seats: Sequence[Seat]) -> Cards:
        """The declared cards of these seats that everyone knows, played or not."""
        return set_of(one.card for one in self.declared if one.seat in seats and one.card is not None)

    def face_down(self, seat: Seat) -> list[Declared]:
        """The declarations of a seat that lie face down."""
        return [one for one in self.declared if one.seat == seat and one.card is None]

    def may_be_held_back(self, play: Played) -> Cards:
        """The seat's cards of the suit that were, or may have been, held back when it played."""
        if play.led_before:
            return 0
        known = self.known_declared([play.seat])
        return SUIT_CARDS[play.suit] & (known | DECLARABLE if self.face_down(play.seat) else known)


def _union(sets: Iterable[Cards]) -> Cards:
    union = 0
    for cards in sets:
        union |= cards
    return union
