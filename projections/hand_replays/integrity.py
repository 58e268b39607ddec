"""Marks the documents of annulled and corrected matches. What was recorded stays in them."""

from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from domain.seats import SEATS
from projections.hand_replays.rows import HAND_SEATS, HANDS, Correction
from projections.read_model import Rows


def match_annulled(event: MatchAnnulled, _position: int, rows: Rows) -> None:
    """All hands of the match are annulled."""
    for hand in list(rows.scan(HANDS, (event.match,))):
        rows.put(HANDS, replace(hand, annulled=True))


def annulment_lifted(event: AnnulmentLifted, _position: int, rows: Rows) -> None:
    """They count again."""
    for hand in list(rows.scan(HANDS, (event.match,))):
        rows.put(HANDS, replace(hand, annulled=False))


def hand_corrected(event: HandCorrected, _position: int, rows: Rows) -> None:
    """The hand is found by its corrected scores; each correction is kept."""
    hand = rows.get(HANDS, (event.match, event.hand_no))
    if hand is None:
        raise BrokenLog(f"hand {event.hand_no} has not ended", match=event.match, version=event.version)
    rows.put(
        HANDS,
        replace(
            hand,
            raw_scores=event.raw_scores,
            points=event.points,
            corrections=(*hand.corrections, _correction(event)),
        ),
    )
    for seat in SEATS:
        row = rows.get(HAND_SEATS, (event.match, event.hand_no, seat))
        if row is not None:
            points = None if event.points is None else event.points[seat]
            rows.put(HAND_SEATS, replace(row, raw_score=event.raw_scores[seat], points=points))


def _correction(event: HandCorrected) -> Correction:
    return Correction(
        version=event.version,
        at=event.at,
        case=event.case,
        cause=event.cause,
        by=event.by,
        raw_scores=event.raw_scores,
        blood=event.blood,
        points=event.points,
    )
