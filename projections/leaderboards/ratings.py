"""Ratings: one fold for each ruleset and origin over its settled matches, in the order they were settled (design §6).

Weng–Lin by Plackett–Luce as in `openskill`: ranks by points or totals, ties equal, partners as teams of two. Ratings do
not restart by period: a period's board shows the rating at its end, which is the step of its last match before that.
When a match is annulled, counts again or has another result, everything settled from there on is folded anew.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from openskill.models import PlackettLuce

from domain.seats import SIDES, BySeat
from projections.leaderboards.rows import RATED_MATCHES, RATING_STEPS, RATINGS, RatedMatch, Rating, RatingStep
from projections.read_model import Rows

_MODEL: Final = PlackettLuce()


class Skill(NamedTuple):
    """Mean and uncertainty of a player's strength."""

    mu: float
    sigma: float


UNRATED: Final = Skill(25.0, 25.0 / 3.0)
"""What everyone begins with."""


def rated(before: BySeat[Skill], results: BySeat[int], *, partners: bool) -> BySeat[Skill]:
    """The four skills after a match with these results, by seat."""
    sides: tuple[tuple[int, ...], ...] = SIDES if partners else ((0,), (1,), (2,), (3,))
    teams = [[_MODEL.create_rating([before[seat].mu, before[seat].sigma]) for seat in side] for side in sides]
    totals = [sum(results[seat] for seat in side) for side in sides]
    ranks = [float(1 + sum(other > total for other in totals)) for total in totals]
    after = dict(
        zip((s for side in sides for s in side), _flat(_MODEL.rate(teams, ranks=ranks)), strict=True)
    )
    return (after[0], after[1], after[2], after[3])


def _flat(teams: Iterable[Iterable[object]]) -> list[Skill]:
    return [Skill(rating.mu, rating.sigma) for team in teams for rating in team]  # type: ignore[attr-defined]


def rate(match: RatedMatch, rows: Rows) -> None:
    """Lets a match that counts change its players' ratings. It must be the last settled one so far."""
    known = rows.get_many(RATINGS, [(match.ruleset, match.origin, player) for player in match.players])
    first, second, third, fourth = (UNRATED if k is None else Skill(k.mu, k.sigma) for k in known)
    before = (first, second, third, fourth)
    after = rated(before, match.results, partners=match.partners)
    for seat, player in enumerate(match.players):
        rows.put(RATING_STEPS, _step(match, player, known[seat], before[seat], after[seat]))
        rows.put(RATINGS, _rating(match, player, match.position, after[seat]))


def refold(first: RatedMatch, rows: Rows) -> None:
    """Folds anew everything settled from `first` on, after it was changed."""
    group = (first.ruleset, first.origin)
    matches = list(rows.scan(RATED_MATCHES, group, (first.position,)))
    for player in {player for match in matches for player in match.players}:
        _rewind(first, player, rows)
    for match in matches:
        if not match.annulled:
            rate(match, rows)


def _rewind(first: RatedMatch, player: UUID, rows: Rows) -> None:
    """Takes a player's rating back to where it was before `first`."""
    key = (first.ruleset, first.origin, player)
    undone = list(rows.scan(RATING_STEPS, key, (first.position,)))
    if not undone:
        return
    for step in undone:
        rows.delete(RATING_STEPS, (*key, step.position))
    skill = Skill(undone[0].mu_before, undone[0].sigma_before)
    if undone[0].position_before == 0:
        rows.delete(RATINGS, key)
    else:
        rows.put(RATINGS, _rating(first, player, undone[0].position_before, skill))


def _step(match: RatedMatch, player: UUID, known: Rating | None, before: Skill, after: Skill) -> RatingStep:
    return RatingStep(
        ruleset=match.ruleset,
        origin=match.origin,
        player=player,
        position=match.position,
        position_before=0 if known is None else known.position,
        match=match.match,
        at=match.at,
        mu_before=before.mu,
        sigma_before=before.sigma,
        mu=after.mu,
        sigma=after.sigma,
    )


def _rating(match: RatedMatch, player: UUID, position: int, skill: Skill) -> Rating:
    return Rating(
        ruleset=match.ruleset,
        origin=match.origin,
        player=player,
        position=position,
        mu=skill.mu,
        sigma=skill.sigma,
    )
