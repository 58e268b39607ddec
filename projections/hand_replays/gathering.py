"""Gathers what is public of the hand in play of each match."""

from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    Event,
    HandDealt,
    MatchAbandoned,
    MatchOpened,
    MatchSettled,
    NonceRevealed,
    PlayerLeft,
    PlayerSeated,
    SeatHandedOver,
    SeatTakenBack,
    TrickTaken,
)
from domain.seats import replaced
from projections.hand_replays.document import DeclarationMade, HandOver, PlayMade
from projections.hand_replays.rows import HANDS_IN_PLAY, HandInPlay
from projections.read_model import Rows


def in_play(event: Event, rows: Rows) -> HandInPlay:
    """The match an event belongs to, with its hand. Raises `BrokenLog` where it is not live."""
    hand = rows.get(HANDS_IN_PLAY, (event.match,))
    if hand is None:
        raise BrokenLog("this match is not in play", match=event.match, version=event.version)
    return hand


def match_opened(event: MatchOpened, _position: int, rows: Rows) -> None:
    """Begins to follow a match."""
    ruleset = event.ruleset
    rows.put(
        HANDS_IN_PLAY,
        HandInPlay(
            match=event.match,
            ruleset=ruleset.name,
            revision=ruleset.revision,
            decks=ruleset.decks,
            partners=ruleset.partners,
            origin=event.origin,
            anchor=event.anchor,
            chain_length=event.chain_length,
        ),
    )


def match_over(event: MatchSettled | MatchAbandoned, _position: int, rows: Rows) -> None:
    """Stops following it; a hand that was in play is void and has no document."""
    rows.delete(HANDS_IN_PLAY, (event.match,))


def player_seated(event: PlayerSeated, _position: int, rows: Rows) -> None:
    """A player with the commitment to his nonce."""
    hand, seat = in_play(event, rows), event.seat
    players = replaced(hand.players, seat, event.player)
    commitments = replaced(hand.commitments, seat, event.commitment)
    rows.put(HANDS_IN_PLAY, replace(hand, players=players, commitments=commitments))


def player_left(event: PlayerLeft, _position: int, rows: Rows) -> None:
    """Takes his commitment and nonce along."""
    hand, seat = in_play(event, rows), event.seat
    rows.put(
        HANDS_IN_PLAY,
        replace(
            hand,
            players=replaced(hand.players, seat, None),
            commitments=replaced(hand.commitments, seat, None),
            nonces=replaced(hand.nonces, seat, None),
        ),
    )


def nonce_revealed(event: NonceRevealed, _position: int, rows: Rows) -> None:
    """A nonce that goes into the match's deals."""
    hand = in_play(event, rows)
    rows.put(HANDS_IN_PLAY, replace(hand, nonces=replaced(hand.nonces, event.seat, event.nonce)))


def hand_dealt(event: HandDealt, _position: int, rows: Rows) -> None:
    """Begins a hand; what is left of the last one goes."""
    rows.put(
        HANDS_IN_PLAY,
        replace(
            in_play(event, rows),
            hand_no=event.hand_no,
            dealt_at=event.at,
            closed_at=None,
            closed_by=None,
            leader=event.leader,
            declared=(),
            plays=(),
            takers=(),
            hand_overs=(),
        ),
    )


def card_declared(event: CardDeclared, _position: int, rows: Rows) -> None:
    """A declaration as all saw it."""
    hand = in_play(event, rows)
    made = DeclarationMade(event.at, event.seat, event.level, event.automatic, event.card, event.commitment)
    rows.put(HANDS_IN_PLAY, replace(hand, declared=(*hand.declared, made)))


def declarations_closed(event: DeclarationsClosed, _position: int, rows: Rows) -> None:
    """Who leads, and how the window was closed."""
    hand = in_play(event, rows)
    rows.put(HANDS_IN_PLAY, replace(hand, leader=event.leader, closed_at=event.at, closed_by=event.cause))


def cards_played(event: CardsPlayed, _position: int, rows: Rows) -> None:
    """A play."""
    hand = in_play(event, rows)
    made = PlayMade(
        event.at, event.trick_no, event.seat, event.cards, event.think_ms, event.by, event.openings
    )
    rows.put(HANDS_IN_PLAY, replace(hand, plays=(*hand.plays, made)))


def trick_taken(event: TrickTaken, _position: int, rows: Rows) -> None:
    """Who took a trick; its cards are those of its plays."""
    hand = in_play(event, rows)
    rows.put(HANDS_IN_PLAY, replace(hand, takers=(*hand.takers, event.seat)))


def seat_handed_over(event: SeatHandedOver, _position: int, rows: Rows) -> None:
    """The autopilot plays for a seat."""
    hand = in_play(event, rows)
    over = HandOver(event.at, event.seat, len(hand.plays))
    rows.put(HANDS_IN_PLAY, replace(hand, hand_overs=(*hand.hand_overs, over)))


def seat_taken_back(event: SeatTakenBack, _position: int, rows: Rows) -> None:
    """The player plays again."""
    hand = in_play(event, rows)
    over = HandOver(event.at, event.seat, len(hand.plays), taken_back=True)
    rows.put(HANDS_IN_PLAY, replace(hand, hand_overs=(*hand.hand_overs, over)))
