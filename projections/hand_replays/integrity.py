"""Marks the documents of annulled and corrected matches. What was recorded stays in them."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from domain.seats import BySeat
from projections.hand_replays.rows import HAND_SEATS, HANDS, Correction, FinishedHand, HandSeat
from projections.hand_replays.specials import SPECIALS, of_hand, swing_ends, swing_of
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
    seats = list(rows.scan(HAND_SEATS, (event.match, event.hand_no)))
    specials = _corrected_specials(hand, event.raw_scores, seats)
    rows.put(HANDS, _corrected(hand, event, of_hand(specials)))
    for row in seats:
        points = None if event.points is None else event.points[row.seat]
        changed = replace(row, raw_score=event.raw_scores[row.seat], points=points)
        rows.put(HAND_SEATS, replace(changed, swing=swing_of(event.raw_scores), specials=specials[row.seat]))


def _corrected(hand: FinishedHand, event: HandCorrected, specials: tuple[str, ...]) -> FinishedHand:
    return replace(
        hand,
        raw_scores=event.raw_scores,
        points=event.points,
        swing=swing_of(event.raw_scores),
        highest=max(event.raw_scores),
        lowest=min(event.raw_scores),
        specials=specials,
        corrections=(*hand.corrections, _correction(event)),
    )


def _corrected_specials(
    hand: FinishedHand, raw_scores: BySeat[int], seats: Sequence[HandSeat]
) -> BySeat[tuple[str, ...]]:
    """The specials by seat: of what happened in a hand a correction changes nothing but the swing of its scores."""
    ends = swing_ends(raw_scores, hand.document.decks, by_blood=hand.document.blood is not None)
    found: list[tuple[str, ...]] = [(), (), (), ()]
    for row in seats:
        found[row.seat] = tuple(
            special
            for special in SPECIALS
            if (row.seat in ends if special == "big_swing" else special in row.specials)
        )
    return (found[0], found[1], found[2], found[3])


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
