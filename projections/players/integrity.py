"""What integrity staff decide, in the statistics: annulments, their end, and corrected hands."""

from msgspec.structs import replace

from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from projections.leaderboards.booking import wins
from projections.players.rows import Participation, Statistics
from projections.players.sums import change, participations
from projections.read_model import Rows


def match_annulled(event: MatchAnnulled, _position: int, rows: Rows) -> None:
    """Nothing of the match counts."""
    for before in participations(event, rows):
        change(before, replace(before, counts=False), rows)


def annulment_lifted(event: AnnulmentLifted, _position: int, rows: Rows) -> None:
    """It counts again."""
    for before in participations(event, rows):
        change(before, replace(before, counts=True), rows)


def hand_corrected(event: HandCorrected, _position: int, rows: Rows) -> None:
    """Another result of a hand, and what follows from it for the match."""
    for before in participations(event, rows):
        seat, results = before.seat, list(before.results)
        old = results[event.hand_no - 1]
        new = (event.raw_scores[seat], 0 if event.points is None else event.points[seat])
        results[event.hand_no - 1] = new
        more = Statistics(raw_score=new[0] - old[0], points=new[1] - old[1])
        settled = _settled_anew(before, event)
        if settled is not None and before.settled is not None:
            points, won = settled[0] - before.settled[0], settled[1] - before.settled[1]
            more = more.plus(Statistics(points=points, wins=won))
        changed = replace(before, results=tuple(results), statistics=before.statistics.plus(more))
        change(before, replace(changed, settled=settled), rows)


def _settled_anew(before: Participation, event: HandCorrected) -> tuple[int, int] | None:
    """What the settlement gives after a correction: points (of blood) and wins."""
    if event.match_points is None or before.settled is None:
        return before.settled
    by_blood = event.points is None
    won = wins(event.match_points, by_blood=by_blood)[before.seat]
    return (event.match_points[before.seat] if by_blood else 0, won)
