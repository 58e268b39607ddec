"""What annulling matches would do to a board: the same handlers, over rows that stay as they are."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from domain.events import MatchAnnulled
from projections.leaderboards.integrity import match_annulled
from projections.leaderboards.rows import RATINGS, STANDINGS, Standing
from projections.overlay import Overlay
from projections.periods import ALL_TIME
from projections.read_model import Rows


class BoardPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A player's place on a board; ranks of equal points are equal. `rating` is mean − 3 × uncertainty."""

    rank: int
    points: int
    matches: int
    hands: int
    rating: float | None


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A player before and after; None where he is not on the board."""

    player: UUID
    before: BoardPlace | None
    after: BoardPlace | None


def what_if(ruleset: str, origin: str, matches: Sequence[UUID], at: datetime, rows: Rows) -> list[Changed]:
    """The board of all time without these matches beside what it is, by the places it would have."""
    over = Overlay(rows)
    for match in matches:
        event = MatchAnnulled(match=match, version=1, at=at, case="", cause="", by="")
        match_annulled(event, 0, over)
    before, after = _board(ruleset, origin, rows), _board(ruleset, origin, over)
    players = [*after, *(player for player in before if player not in after)]
    return [Changed(player=one, before=before.get(one), after=after.get(one)) for one in players]


def _board(ruleset: str, origin: str, rows: Rows) -> dict[UUID, BoardPlace]:
    """Everyone on a board, from its top."""
    standings = sorted(
        rows.scan(STANDINGS, (ruleset, origin, ALL_TIME)), key=lambda one: (-one.points, one.player)
    )
    ratings = rows.get_many(RATINGS, [(ruleset, origin, one.player) for one in standings])
    board: dict[UUID, BoardPlace] = {}
    rank, last = 0, None
    for number, (standing, rating) in enumerate(zip(standings, ratings, strict=True), 1):
        rank, last = (rank if standing.points == last else number), standing.points
        skill = None if rating is None else rating.mu - 3 * rating.sigma
        board[standing.player] = _place(rank, standing, skill)
    return board


def _place(rank: int, standing: Standing, rating: float | None) -> BoardPlace:
    return BoardPlace(
        rank=rank, points=standing.points, matches=standing.matches, hands=standing.hands, rating=rating
    )
