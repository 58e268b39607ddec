"""One hand in progress: its state, and what each event of a hand makes of it.

The functions give the hand after an event and never refuse; an event that contradicts the state raises
`ImpossibleEvent`, which `match` turns into a broken log. None stands for what this reader does not know.
"""

from datetime import datetime
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.cards import (
    PIGS,
    SCORING,
    SUIT_CARDS,
    Card,
    Cards,
    Suit,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from domain.dealing import hands_of, order_of
from domain.declarations import Declaration, commitment_of, declared_cards, held_back
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DealSecret,
    DeclarationDone,
    DeclarationsClosed,
    DeclarationSecret,
    HandDealt,
    PublishedDeclaration,
    TrickTaken,
    secret_of,
)
from domain.seats import NEXT, BySeat, Seat, replaced


class ImpossibleEvent(Exception):
    """An event that contradicts the state."""


class Play(msgspec.Struct, frozen=True):
    """One seat's cards in a trick, in the order given and as a set."""

    seat: Seat
    cards: tuple[Card, ...]
    as_set: Cards


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """One hand in progress. None stands for what this reader does not know.

    `order` is the deal (card i to seat i mod 4), `holdings` the cards still in hand by seat, `held` the declared
    cards that are held back, `taken` the scoring cards each seat has taken in the order it took them, `takers` the
    seats that took tricks 1, 2, 3 …, `cards_spent` how many cards each seat has played to completed tricks.
    """

    number: int
    dealt_at: datetime
    leader: Seat | None
    order: tuple[Card, ...] | None
    order_known: bool
    seed: bytes | None
    holdings: BySeat[Cards] | None
    declarations: tuple[Declaration, ...] = ()
    done: BySeat[bool] = (False, False, False, False)
    suits_led: Cards = 0
    held: Cards = 0
    trick_no: int = 1
    plays: tuple[Play, ...] = ()
    turn: Seat | None = None
    turn_since: datetime
    taken: BySeat[tuple[Card, ...]] = ((), (), (), ())
    takers: tuple[Seat, ...] = ()
    last_trick: tuple[Play, ...] = ()
    pig_taker: Seat | None = None
    cards_spent: int = 0

    def __repr__(self) -> str:
        return f"Hand(number={self.number}, trick_no={self.trick_no}, turn={self.turn})"

    @property
    def led_suit(self) -> Suit | None:
        """The suit of the trick in progress, None before its lead."""
        return suit_of(self.plays[0].cards[0]) if self.plays else None

    @property
    def owed(self) -> int | None:
        """How many cards each seat plays to the trick in progress, None before its lead."""
        return len(self.plays[0].cards) if self.plays else None


def dealt(event: HandDealt, decks: int) -> Hand:
    """The hand that begins."""
    secret = secret_of(event)
    order, seed, leader = None, None, event.leader
    if isinstance(secret, DealSecret):
        order, seed, leader = tuple(secret.order), secret.seed, secret.leader
    elif event.deal is not None:
        order = order_of(event.deal, decks)
    return Hand(
        number=event.hand_no,
        dealt_at=event.at,
        leader=leader,
        order=order,
        order_known=event.deal is None or event.deal.order == "dealt",
        seed=seed,
        holdings=hands_of(order) if order is not None else None,
        turn_since=event.at,
    )


def with_declaration(hand: Hand, event: CardDeclared, decks: int) -> Hand:
    """The hand after a declaration."""
    secret = secret_of(event)
    card, opening = None, None
    if isinstance(secret, DeclarationSecret):
        card, opening = secret.card, secret.opening
    elif event.card is not None:
        card = parse_card(event.card, decks)
    declaration = Declaration(
        event.seat,
        event.level,
        card,
        event.automatic,
        event.commitment,
        opening,
        public=event.card is not None,
    )
    return _with_declarations(hand, (*hand.declarations, declaration))


def _with_declarations(hand: Hand, declarations: tuple[Declaration, ...]) -> Hand:
    held = held_back(declared_cards(declarations), hand.suits_led)
    return replace(hand, declarations=declarations, held=held)


def with_done(hand: Hand, event: DeclarationDone, _decks: int) -> Hand:
    """The hand after a seat has said that it declares no more."""
    return replace(hand, done=replaced(hand.done, event.seat, value=True))


def closed(hand: Hand, event: DeclarationsClosed) -> Hand:
    """The hand once its window is closed: the leader is to play."""
    return replace(hand, leader=event.leader, turn=event.leader, turn_since=event.at)


def with_play(hand: Hand, event: CardsPlayed, decks: int) -> Hand:
    """The hand after a play."""
    cards = parse_cards(event.cards, decks)
    played = set_of(cards)
    for opening in event.openings:
        hand = _made_public(hand, opening, event.match, decks)
    holdings = hand.holdings
    if holdings is not None:
        if played & ~holdings[event.seat]:
            raise ImpossibleEvent(f"seat {event.seat} does not hold {' '.join(event.cards)}")
        holdings = replaced(holdings, event.seat, holdings[event.seat] & ~played)
    return replace(
        hand,
        holdings=holdings,
        plays=(*hand.plays, Play(event.seat, cards, played)),
        turn=NEXT[event.seat],
        turn_since=event.at,
    )


def _made_public(hand: Hand, opening: PublishedDeclaration, match: UUID, decks: int) -> Hand:
    """The hand once a hidden declaration is public; a reader who knew it already learns nothing."""
    card = parse_card(opening.card, decks)
    declarations = list(hand.declarations)
    for index, declaration in enumerate(declarations):
        if declaration.card == card:
            declarations[index] = replace(declaration, public=True)
            return replace(hand, declarations=tuple(declarations))
    unseen = [i for i, d in enumerate(hand.declarations) if d.seat == opening.seat and d.card is None]
    if not unseen:
        raise ImpossibleEvent(f"seat {opening.seat} has no hidden declaration to open")
    commitment = opened_commitment(match, hand.number, opening)
    chosen = next((i for i in unseen if hand.declarations[i].commitment == commitment), unseen[0])
    declarations[chosen] = replace(declarations[chosen], card=card, public=True)
    return _with_declarations(hand, tuple(declarations))


def opened_commitment(match: UUID, hand_no: int, opening: PublishedDeclaration) -> str | None:
    """The commitment that a published opening belongs to, None where it has no opening."""
    if opening.opening is None:
        return None
    return commitment_of(match.bytes, hand_no, opening.seat, opening.card, bytes.fromhex(opening.opening))


def with_trick(hand: Hand, event: TrickTaken, _decks: int) -> Hand:
    """The hand after a trick is taken."""
    if not hand.plays:
        raise ImpossibleEvent("no trick is in progress")
    scoring = [
        card for play in hand.plays if play.as_set & SCORING for card in play.cards if SCORING >> card & 1
    ]
    suits_led = hand.suits_led | SUIT_CARDS[suit_of(hand.plays[0].cards[0])]
    pig_taker = hand.pig_taker
    if pig_taker is None and any(play.as_set & PIGS for play in hand.plays):
        pig_taker = event.seat
    return replace(
        hand,
        suits_led=suits_led,
        held=hand.held & ~suits_led,
        trick_no=event.trick_no + 1,
        plays=(),
        last_trick=hand.plays,
        turn=event.seat,
        turn_since=event.at,
        taken=replaced(hand.taken, event.seat, (*hand.taken[event.seat], *scoring))
        if scoring
        else hand.taken,
        takers=(*hand.takers, event.seat),
        pig_taker=pig_taker,
        cards_spent=hand.cards_spent + len(hand.plays[0].cards),
    )
