"""Writes the document of a hand that has ended, and what it is searched by."""

from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import HandEnded
from domain.seats import SEATS, BySeat, Seat
from projections.hand_replays.document import HandReplay, Proof
from projections.hand_replays.gathering import in_play
from projections.hand_replays.rows import (
    HAND_SEATS,
    HANDS,
    HANDS_IN_PLAY,
    FinishedHand,
    HandInPlay,
    HandSeat,
)
from projections.hand_replays.specials import Special, of_hand, specials_by_seat, swing_of
from projections.read_model import Rows


def hand_ended(event: HandEnded, position: int, rows: Rows) -> None:
    """One document for the hand, one row for each of its players."""
    hand = in_play(event, rows)
    document = document_of(hand, event)
    specials = specials_by_seat(event, hand.decks, hand.plays, hand.takers)
    rows.put(HANDS, _finished(document, position, specials))
    for seat in SEATS:
        rows.put(HAND_SEATS, _seat(document, position, seat, specials[seat]))
    rows.put(HANDS_IN_PLAY, replace(hand, dealt_at=None, declared=(), plays=(), takers=(), hand_overs=()))


def document_of(hand: HandInPlay, event: HandEnded) -> HandReplay:
    """The document. Raises `BrokenLog` where its parts are not there."""
    if hand.dealt_at is None or hand.closed_at is None or hand.closed_by is None or hand.leader is None:
        raise BrokenLog(f"hand {event.hand_no} was not played", match=event.match, version=event.version)
    return HandReplay(
        match=event.match,
        hand_no=event.hand_no,
        ruleset=hand.ruleset,
        revision=hand.revision,
        decks=hand.decks,
        partners=hand.partners,
        origin=hand.origin,
        players=event.players,
        dealt_at=hand.dealt_at,
        closed_at=hand.closed_at,
        ended_at=event.at,
        leader=hand.leader,
        closed_by=hand.closed_by,
        deal=event.deal,
        declared=hand.declared,
        declarations=event.declarations,
        plays=hand.plays,
        takers=hand.takers,
        hand_overs=hand.hand_overs,
        raw_scores=event.raw_scores,
        accounts=event.accounts,
        blood=event.blood,
        points=event.points,
        next_leader=event.next_leader,
        proof=Proof(
            anchor=hand.anchor,
            chain_length=hand.chain_length,
            seed=event.seed,
            commitments=hand.commitments,
            nonces=hand.nonces,
        ),
    )


def _finished(document: HandReplay, position: int, specials: BySeat[tuple[Special, ...]]) -> FinishedHand:
    return FinishedHand(
        match=document.match,
        hand_no=document.hand_no,
        position=position,
        ruleset=document.ruleset,
        origin=document.origin,
        dealt_at=document.dealt_at,
        ended_at=document.ended_at,
        players=document.players,
        raw_scores=document.raw_scores,
        points=document.points,
        partners=document.partners,
        swing=swing_of(document.raw_scores),
        highest=max(document.raw_scores),
        lowest=min(document.raw_scores),
        specials=of_hand(specials),
        autopilot_plays=sum(play.by == "autopilot" for play in document.plays),
        document=document,
    )


def _seat(document: HandReplay, position: int, seat: Seat, specials: tuple[Special, ...]) -> HandSeat:
    return HandSeat(
        match=document.match,
        hand_no=document.hand_no,
        seat=seat,
        position=position,
        player=document.players[seat],
        ruleset=document.ruleset,
        origin=document.origin,
        ended_at=document.ended_at,
        raw_score=document.raw_scores[seat],
        points=None if document.points is None else document.points[seat],
        partners=document.partners,
        swing=swing_of(document.raw_scores),
        specials=specials,
    )
