"""The match aggregate: its state, and how each event changes it.

A match goes through these phases:

    seating ──HandDealt──▶ declaring ──DeclarationsClosed──▶ playing ──HandEnded──▶ between_hands
                               ▲                                                     │      │
                               └──────────────────────HandDealt──────────────────────┘      └─MatchSettled─▶ settled
    any of them but settled ──MatchAbandoned──▶ abandoned

`evolve` folds one event into the state. It never refuses, reads no clock and draws no number: what happened has
happened. It works on full events and on their public forms alike; of a hand folded from public forms the cards in
hand, the deal and hidden cards are simply not known (None). What may be asked of a match is decided in `decisions`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias
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
from domain.errors import BrokenLog, CommandRefused
from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    CardsPlayed,
    DealSecret,
    DeclarationDone,
    DeclarationsClosed,
    DeclarationSecret,
    Event,
    HandCorrected,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    NonceRevealed,
    PlayerLeft,
    PlayerSeated,
    PublishedDeclaration,
    RootSecret,
    SeatHandedOver,
    SeatTakenBack,
    TrickTaken,
    public_form,
    secret_of,
)
from domain.rulesets import Ruleset
from domain.seats import NEXT, BySeat, Seat, replaced
from domain.settlement import hand_points

Phase = Literal["seating", "declaring", "playing", "between_hands", "settled", "abandoned"]
ENDED: Final = ("settled", "abandoned")

NOBODY: Final[BySeat[None]] = (None, None, None, None)


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


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a match after its `version`-th event.

    `blood` and `points` are totals by seat, `raw_scores` every finished hand's as they now stand (corrections
    included). `opened` is the first event in its public form; the secret chain root stands beside it. `last_hand` is
    the newest finished hand as it was recorded.
    """

    id: UUID
    version: int
    at: datetime
    phase: Phase
    opened: MatchOpened
    root: bytes | None
    players: BySeat[UUID | None] = NOBODY
    commitments: BySeat[str | None] = NOBODY
    nonces: BySeat[bytes | None] = NOBODY
    full_since: datetime | None = None
    autopilot: BySeat[bool] = (False, False, False, False)
    hand: Hand | None = None
    hands_ended: int = 0
    raw_scores: tuple[BySeat[int], ...] = ()
    blood: BySeat[int] = (0, 0, 0, 0)
    points: BySeat[int] = (0, 0, 0, 0)
    next_leader: Seat | None = None
    last_hand: HandEnded | None = None
    annulled: bool = False
    corrected: bool = False

    def __repr__(self) -> str:
        return f"Match(id={self.id}, version={self.version}, phase={self.phase!r})"

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset the match is played by."""
        return self.opened.ruleset

    @property
    def ended(self) -> bool:
        """Whether the match is settled or abandoned."""
        return self.phase in ENDED


def evolve(match: Match | None, event: Event) -> Match:
    """The match after an event. Raises `BrokenLog` for an event that cannot follow."""
    if match is None:
        if not isinstance(event, MatchOpened) or event.version != 1:
            raise _broken(event, "a match begins with MatchOpened at version 1")
        return _opened(event)
    # Comparing identifiers costs more than folding most events; live events carry the match's own object.
    if event.version != match.version + 1 or (event.match is not match.id and event.match != match.id):
        raise _broken(event, f"expected version {match.version + 1} of match {match.id}")
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise _broken(event, "this event cannot follow the first")
    try:
        return handler(match, event)
    except (_Impossible, CommandRefused, ValueError, IndexError, OverflowError) as impossible:
        # A card that is none, hex that is none, a fifth seat: what no decision could have led to.
        raise _broken(event, str(impossible)) from None


def fold(events: Iterable[Event], match: Match | None = None) -> Match | None:
    """The match after all of these events, from nothing or from a state."""
    for event in events:
        match = evolve(match, event)
    return match


class _Impossible(Exception):
    """An event that contradicts the state."""


def _broken(event: Event, what: str) -> BrokenLog:
    return BrokenLog(
        what, match=event.match, version=event.version, tag=f"{type(event).__name__}.{event.schema}"
    )


def _hand(match: Match, hand_no: int | None) -> Hand:
    if match.hand is None or (hand_no is not None and match.hand.number != hand_no):
        raise _Impossible(f"hand {hand_no} is not in progress")
    return match.hand


def _with_hand(match: Match, event: Event, hand: Hand) -> Match:
    return replace(match, version=event.version, at=event.at, hand=hand)


def _opened(event: MatchOpened) -> Match:
    secret = secret_of(event)
    return Match(
        id=event.match,
        version=event.version,
        at=event.at,
        phase="seating",
        opened=public_form(event),
        root=secret.root if isinstance(secret, RootSecret) else None,
    )


def _player_seated(match: Match, event: PlayerSeated) -> Match:
    players = replaced(match.players, event.seat, event.player)
    return replace(
        match,
        version=event.version,
        at=event.at,
        players=players,
        commitments=replaced(match.commitments, event.seat, event.commitment),
        full_since=event.at if None not in players else None,
    )


def _player_left(match: Match, event: PlayerLeft) -> Match:
    return replace(
        match,
        version=event.version,
        at=event.at,
        players=replaced(match.players, event.seat, None),
        commitments=replaced(match.commitments, event.seat, None),
        nonces=replaced(match.nonces, event.seat, None),
        full_since=None,
    )


def _nonce_revealed(match: Match, event: NonceRevealed) -> Match:
    nonces = replaced(match.nonces, event.seat, bytes.fromhex(event.nonce))
    return replace(match, version=event.version, at=event.at, nonces=nonces)


def _hand_dealt(match: Match, event: HandDealt) -> Match:
    secret = secret_of(event)
    order, seed, leader = None, None, event.leader
    if isinstance(secret, DealSecret):
        order, seed, leader = tuple(secret.order), secret.seed, secret.leader
    elif event.deal is not None:
        order = order_of(event.deal, match.ruleset.decks)
    hand = Hand(
        number=event.hand_no,
        dealt_at=event.at,
        leader=leader,
        order=order,
        order_known=event.deal is None or event.deal.order == "dealt",
        seed=seed,
        holdings=hands_of(order) if order is not None else None,
        turn_since=event.at,
    )
    return replace(match, version=event.version, at=event.at, phase="declaring", hand=hand)


def _card_declared(match: Match, event: CardDeclared) -> Match:
    hand = _hand(match, event.hand_no)
    secret = secret_of(event)
    card, opening = None, None
    if isinstance(secret, DeclarationSecret):
        card, opening = secret.card, secret.opening
    elif event.card is not None:
        card = parse_card(event.card, match.ruleset.decks)
    declaration = Declaration(
        event.seat,
        event.level,
        card,
        event.automatic,
        event.commitment,
        opening,
        public=event.card is not None,
    )
    return _with_hand(match, event, _with_declarations(hand, (*hand.declarations, declaration)))


def _with_declarations(hand: Hand, declarations: tuple[Declaration, ...]) -> Hand:
    held = held_back(declared_cards(declarations), hand.suits_led)
    return replace(hand, declarations=declarations, held=held)


def _declaration_done(match: Match, event: DeclarationDone) -> Match:
    hand = _hand(match, event.hand_no)
    return _with_hand(match, event, replace(hand, done=replaced(hand.done, event.seat, value=True)))


def _declarations_closed(match: Match, event: DeclarationsClosed) -> Match:
    hand = _hand(match, event.hand_no)
    hand = replace(hand, leader=event.leader, turn=event.leader, turn_since=event.at)
    return replace(match, version=event.version, at=event.at, phase="playing", hand=hand)


def _cards_played(match: Match, event: CardsPlayed) -> Match:
    hand = _hand(match, event.hand_no)
    cards = parse_cards(event.cards, match.ruleset.decks)
    played = set_of(cards)
    for opening in event.openings:
        hand = _made_public(match, hand, opening)
    holdings = hand.holdings
    if holdings is not None:
        if played & ~holdings[event.seat]:
            raise _Impossible(f"seat {event.seat} does not hold {' '.join(event.cards)}")
        holdings = replaced(holdings, event.seat, holdings[event.seat] & ~played)
    hand = replace(
        hand,
        holdings=holdings,
        plays=(*hand.plays, Play(event.seat, cards, played)),
        turn=NEXT[event.seat],
        turn_since=event.at,
    )
    return replace(match, version=event.version, at=event.at, hand=hand)


def _made_public(match: Match, hand: Hand, opening: PublishedDeclaration) -> Hand:
    """The hand once a hidden declaration is public; a reader who knew it already learns nothing."""
    card = parse_card(opening.card, match.ruleset.decks)
    declarations = list(hand.declarations)
    for index, declaration in enumerate(declarations):
        if declaration.card == card:
            declarations[index] = replace(declaration, public=True)
            return replace(hand, declarations=tuple(declarations))
    unseen = [i for i, d in enumerate(hand.declarations) if d.seat == opening.seat and d.card is None]
    if not unseen:
        raise _Impossible(f"seat {opening.seat} has no hidden declaration to open")
    commitment = opened_commitment(match.id, hand.number, opening)
    chosen = next((i for i in unseen if hand.declarations[i].commitment == commitment), unseen[0])
    declarations[chosen] = replace(declarations[chosen], card=card, public=True)
    return _with_declarations(hand, tuple(declarations))


def opened_commitment(match: UUID, hand_no: int, opening: PublishedDeclaration) -> str | None:
    """The commitment that a published opening belongs to, None where it has no opening."""
    if opening.opening is None:
        return None
    return commitment_of(match.bytes, hand_no, opening.seat, opening.card, bytes.fromhex(opening.opening))


def _trick_taken(match: Match, event: TrickTaken) -> Match:
    hand = _hand(match, event.hand_no)
    if not hand.plays:
        raise _Impossible("no trick is in progress")
    scoring = [card for play in hand.plays for card in play.cards if SCORING >> card & 1]
    suits_led = hand.suits_led | SUIT_CARDS[suit_of(hand.plays[0].cards[0])]
    pig_taker = hand.pig_taker
    if pig_taker is None and any(_is_pig(card) for card in scoring):
        pig_taker = event.seat
    hand = replace(
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
    return replace(match, version=event.version, at=event.at, hand=hand)


def _is_pig(card: Card) -> bool:
    return bool(PIGS >> card & 1)


def _hand_ended(match: Match, event: HandEnded) -> Match:
    _hand(match, event.hand_no)
    return replace(
        match,
        version=event.version,
        at=event.at,
        phase="between_hands",
        hand=None,
        hands_ended=event.hand_no,
        raw_scores=(*match.raw_scores, event.raw_scores),
        blood=event.blood if event.blood is not None else match.blood,
        points=_added(match.points, event.points) if event.points is not None else match.points,
        next_leader=event.next_leader,
        last_hand=event,
    )


def _added(totals: BySeat[int], more: BySeat[int]) -> BySeat[int]:
    return (totals[0] + more[0], totals[1] + more[1], totals[2] + more[2], totals[3] + more[3])


def _match_settled(match: Match, event: MatchSettled) -> Match:
    return replace(match, version=event.version, at=event.at, phase="settled", points=event.points)


def _match_abandoned(match: Match, event: MatchAbandoned) -> Match:
    return replace(match, version=event.version, at=event.at, phase="abandoned", hand=None, next_leader=None)


def _seat_handed_over(match: Match, event: SeatHandedOver) -> Match:
    return replace(
        match, version=event.version, at=event.at, autopilot=replaced(match.autopilot, event.seat, value=True)
    )


def _seat_taken_back(match: Match, event: SeatTakenBack) -> Match:
    return replace(
        match,
        version=event.version,
        at=event.at,
        autopilot=replaced(match.autopilot, event.seat, value=False),
    )


def _match_annulled(match: Match, event: MatchAnnulled) -> Match:
    return replace(match, version=event.version, at=event.at, annulled=True)


def _annulment_lifted(match: Match, event: AnnulmentLifted) -> Match:
    return replace(match, version=event.version, at=event.at, annulled=False)


def _hand_corrected(match: Match, event: HandCorrected) -> Match:
    if not 0 < event.hand_no <= len(match.raw_scores):
        raise _Impossible(f"hand {event.hand_no} has not ended")
    raw_scores = list(match.raw_scores)
    raw_scores[event.hand_no - 1] = event.raw_scores
    blood, points = match_result(match.ruleset, raw_scores)
    settled = event.match_points if event.match_points is not None else match.points
    return replace(
        match,
        version=event.version,
        at=event.at,
        raw_scores=tuple(raw_scores),
        blood=blood,
        points=settled if match.ruleset.by_blood else points,
        corrected=True,
    )


def match_result(ruleset: Ruleset, raw_scores: Iterable[BySeat[int]]) -> tuple[BySeat[int], BySeat[int]]:
    """The blood, and the sum of each hand's points, after hands with these raw scores (0 in the other family)."""
    blood = points = (0, 0, 0, 0)
    for raw in raw_scores:
        if ruleset.by_blood:
            blood = _added(blood, raw)
        else:
            points = _added(points, hand_points(ruleset, raw))
    return blood, points


Handler: TypeAlias = Callable[[Match, Any], Match]

_HANDLERS: Final[dict[type[Event], Handler]] = {
    PlayerSeated: _player_seated,
    PlayerLeft: _player_left,
    NonceRevealed: _nonce_revealed,
    HandDealt: _hand_dealt,
    CardDeclared: _card_declared,
    DeclarationDone: _declaration_done,
    DeclarationsClosed: _declarations_closed,
    CardsPlayed: _cards_played,
    TrickTaken: _trick_taken,
    SeatHandedOver: _seat_handed_over,
    SeatTakenBack: _seat_taken_back,
    HandEnded: _hand_ended,
    MatchSettled: _match_settled,
    MatchAbandoned: _match_abandoned,
    MatchAnnulled: _match_annulled,
    AnnulmentLifted: _annulment_lifted,
    HandCorrected: _hand_corrected,
}
"""What each event after the first does."""
