"""Current tables: every live match as a spectator may see it, and a list of all matches (design §6).

A live match is its public state, folded from public events by the domain's own `evolve`; reading it gives the
spectator's view. It is gone once the match has ended; the list keeps a short row of it.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import (
    EVENT_TYPES,
    AnnulmentLifted,
    Event,
    HandCorrected,
    HandEnded,
    MatchAnnulled,
)
from domain.match import Match, Phase, evolve
from domain.seats import SEATS, BySeat
from domain.visibility import SPECTATOR, MatchView, view
from projections.read_model import Index, Rows, Table
from projections.runner import Projection


class LiveTable(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has not ended. `position` is that of its last event; `state` holds nothing that is not public."""

    match: UUID
    position: int
    updated_at: datetime
    state: Match


class HandResult(msgspec.Struct, frozen=True):
    """A finished hand's raw scores and (zero_sum) points, as they now stand."""

    raw_scores: BySeat[int]
    points: BySeat[int] | None


class ListedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match, live or ended, in short. `blood` and `points` are totals by seat, corrections included."""

    match: UUID
    opened_at_position: int
    ruleset: str
    revision: int
    origin: str
    by_blood: bool
    hands_agreed: int | None
    phase: Phase
    players: BySeat[UUID | None]
    hands: int
    results: tuple[HandResult, ...]
    blood: BySeat[int] | None
    points: BySeat[int]
    opened_at: datetime
    ended_at: datetime | None = None
    annulled: bool = False
    corrected: bool = False


LIVE_TABLES: Final = Table("live_tables", LiveTable, ("match",), revisited=True)
MATCHES: Final = Table(
    "matches",
    ListedMatch,
    ("match",),
    [
        Index(("opened_at_position",)),
        Index(("ruleset", "opened_at_position")),
        Index(("players",), method="gin"),
    ],
    revisited=True,
)


def spectators_view(table: LiveTable) -> MatchView:
    """The match as a spectator may see it."""
    return view(table.state, SPECTATOR)


def _live_event(event: Event, position: int, rows: Rows) -> None:
    """Folds an event of a match that has not ended, and ends it where the event does."""
    table = rows.get(LIVE_TABLES, (event.match,))
    before = table.state if table is not None else None
    match = evolve(before, event)
    if match.ended:
        rows.delete(LIVE_TABLES, (match.id,))
    else:
        rows.put(LIVE_TABLES, LiveTable(match=match.id, position=position, updated_at=event.at, state=match))
    if before is None:
        rows.put(MATCHES, _listed(match, position))
    elif match.phase != before.phase or match.players is not before.players:
        rows.put(MATCHES, _relisted(_known(event, rows), match, event))


def _listed(match: Match, position: int) -> ListedMatch:
    return ListedMatch(
        match=match.id,
        opened_at_position=position,
        ruleset=match.ruleset.name,
        revision=match.ruleset.revision,
        origin=match.opened.origin,
        by_blood=match.ruleset.by_blood,
        hands_agreed=match.opened.hands_agreed,
        phase=match.phase,
        players=match.players,
        hands=0,
        results=(),
        blood=match.blood if match.ruleset.by_blood else None,
        points=match.points,
        opened_at=match.at,
    )


def _relisted(listed: ListedMatch, match: Match, event: Event) -> ListedMatch:
    results = listed.results
    if isinstance(event, HandEnded):
        results = (*results, HandResult(event.raw_scores, event.points))
    return replace(
        listed,
        phase=match.phase,
        players=match.players,
        hands=match.hands_ended,
        results=results,
        blood=match.blood if listed.by_blood else None,
        points=match.points,
        ended_at=event.at if match.ended else None,
    )


def _known(event: Event, rows: Rows) -> ListedMatch:
    listed = rows.get(MATCHES, (event.match,))
    if listed is None:
        raise BrokenLog("this match was never opened", match=event.match, version=event.version)
    return listed


def _annulled(event: MatchAnnulled, _position: int, rows: Rows) -> None:
    rows.put(MATCHES, replace(_known(event, rows), annulled=True))


def _lifted(event: AnnulmentLifted, _position: int, rows: Rows) -> None:
    rows.put(MATCHES, replace(_known(event, rows), annulled=False))


def _corrected(event: HandCorrected, _position: int, rows: Rows) -> None:
    listed = _known(event, rows)
    results = list(listed.results)
    if not 0 < event.hand_no <= len(results):
        raise BrokenLog(f"hand {event.hand_no} has not ended", match=event.match, version=event.version)
    results[event.hand_no - 1] = HandResult(event.raw_scores, event.points)
    blood = _total([result.raw_scores for result in results])
    summed = _total([result.points for result in results if result.points is not None])
    rows.put(
        MATCHES,
        replace(
            listed,
            results=tuple(results),
            blood=blood if listed.by_blood else None,
            points=event.match_points if event.match_points is not None else summed,
            corrected=True,
        ),
    )


def _total(values: list[BySeat[int]]) -> BySeat[int]:
    first, second, third, fourth = (sum(value[seat] for value in values) for seat in SEATS)
    return (first, second, third, fourth)


TABLES: Final = Projection(
    name="tables",
    revision=1,
    tables=(LIVE_TABLES, MATCHES),
    handlers={
        **dict.fromkeys(EVENT_TYPES, _live_event),
        MatchAnnulled: _annulled,
        AnnulmentLifted: _lifted,
        HandCorrected: _corrected,
    },
)
