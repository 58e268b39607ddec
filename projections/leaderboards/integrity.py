"""What integrity staff decide, on the boards: annulments, their end, and corrected hands.

Nothing booked is lost: an entry that does not count any more stays, and the sums follow. Annulling a match and lifting
that gives back the same boards to the digit.
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from projections.leaderboards import ratings
from projections.leaderboards.booking import wins
from projections.leaderboards.rows import ENTRIES, RATED_MATCHES, Entry, RatedMatch
from projections.leaderboards.standings import NOTHING, add
from projections.read_model import Rows


def match_annulled(event: MatchAnnulled, _position: int, rows: Rows) -> None:
    """Takes what counts of a match off the boards."""
    entries = newest(rows.scan(ENTRIES, (event.match,)))
    _let_count(entries, rows, counts=False)
    _change_rated(entries, rows, lambda rated: replace(rated, annulled=True))


def annulment_lifted(event: AnnulmentLifted, _position: int, rows: Rows) -> None:
    """Puts it back."""
    entries = newest(rows.scan(ENTRIES, (event.match,)))
    _let_count(entries, rows, counts=True)
    _change_rated(entries, rows, lambda rated: replace(rated, annulled=False))


def hand_corrected(event: HandCorrected, position: int, rows: Rows) -> None:
    """Replaces the points of a hand and of the settlement; amounts stay in the period of the event they belong to."""
    entries = newest(rows.scan(ENTRIES, (event.match,)))
    for entry in entries:
        given = _corrected(entry, event, by_blood=event.points is None)
        if given is not None:
            _replace(entry, replace(given, recorded_by=event.version, position=position), rows)
    if event.match_points is not None:
        results = event.match_points
        _change_rated(entries, rows, lambda rated: replace(rated, results=results))


def newest(entries: Iterable[Entry]) -> list[Entry]:
    """Of each event and seat the entry recorded last."""
    last = {(entry.version, entry.seat): entry for entry in sorted(entries, key=lambda e: e.recorded_by)}
    return list(last.values())


def _corrected(entry: Entry, event: HandCorrected, *, by_blood: bool) -> Entry | None:
    """The entry as the correction has it, None where it does not touch it."""
    if entry.kind == "hand":
        touched = event.points is not None and entry.hand_no == event.hand_no
        return (
            replace(entry, points=event.points[entry.seat]) if touched and event.points is not None else None
        )
    if event.match_points is None:
        return None
    won = wins(event.match_points, by_blood=by_blood)[entry.seat]
    points = event.match_points[entry.seat] if by_blood else entry.points
    return replace(entry, points=points, wins=won)


def _replace(old: Entry, new: Entry, rows: Rows) -> None:
    rows.put(ENTRIES, replace(old, counts=False))
    rows.put(ENTRIES, new)
    if old.counts:
        add([(new, new.amounts.plus(old.amounts, -1))], rows)


def _let_count(entries: Iterable[Entry], rows: Rows, *, counts: bool) -> None:
    changed = [entry for entry in entries if entry.counts != counts]
    for entry in changed:
        rows.put(ENTRIES, replace(entry, counts=counts))
    sign = 1 if counts else -1
    add([(entry, NOTHING.plus(entry.amounts, sign)) for entry in changed], rows)


def _change_rated(entries: Iterable[Entry], rows: Rows, change: Callable[[RatedMatch], RatedMatch]) -> None:
    """Changes the match that ratings see, if it was settled, and folds them anew from there."""
    for entry in entries:
        if entry.kind == "settlement":
            position = _settled_at(entry, rows)
            rated = rows.get(RATED_MATCHES, (entry.ruleset, entry.origin, position))
            if rated is not None:
                changed = change(rated)
                rows.put(RATED_MATCHES, changed)
                ratings.refold(changed, rows)
            return


def _settled_at(entry: Entry, rows: Rows) -> int:
    """The position of a settlement: that of its first entry."""
    first = rows.get(ENTRIES, (entry.match, entry.version, entry.seat, entry.version))
    return entry.position if first is None else first.position
