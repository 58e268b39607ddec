"""How a player's decisions did over many hands of a ruleset: agreement with the best, cost, luck put aside."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from domain.seats import Seat
from replays.review.estimates import Estimate, mean_of
from replays.review.hands import HandReview, Reviewed
from replays.review.sizes import COSTLY, SIZES


class PlayerReview(msgspec.Struct, frozen=True, kw_only=True):
    """What the reviewed hands of one ruleset say of a player; forced decisions and the autopilot's are left out.

    `agreement`: the share of decisions that were worth most, `sound`: those without an inaccuracy or worse. `cost`: of
    all decisions of a hand together, knowing what he knew; `shown_cost` with all cards shown; `result`, `luck` and
    `adjusted` as in `luck`. Means over hands, with standard errors.
    """

    player: UUID
    ruleset: str
    hands: int
    decisions: int
    agreement: float
    sound: float
    sizes: dict[str, int]
    cost: Estimate
    shown_cost: Estimate
    result: Estimate
    luck: Estimate
    adjusted: Estimate


def player_reviews(player: UUID, reviews: Iterable[HandReview]) -> list[PlayerReview]:
    """A player's hands together, one row a ruleset, for scores of different rulesets do not add up."""
    by_ruleset: dict[str, list[HandReview]] = {}
    for review in reviews:
        if player in review.players:
            by_ruleset.setdefault(review.ruleset, []).append(review)
    return [_of_ruleset(player, ruleset, hands) for ruleset, hands in sorted(by_ruleset.items())]


def own_decisions(review: HandReview, seat: Seat) -> list[Reviewed]:
    """The decisions that were a seat's own to make."""
    return [
        one for one in review.decisions if one.seat == seat and one.by == "player" and one.size != "forced"
    ]


def _of_ruleset(player: UUID, ruleset: str, reviews: Sequence[HandReview]) -> PlayerReview:
    seats = [review.players.index(player) for review in reviews]
    by_hand = [own_decisions(review, seat) for review, seat in zip(reviews, seats, strict=True)]
    decisions = [one for hand in by_hand for one in hand]
    lucks = [review.luck[seat] for review, seat in zip(reviews, seats, strict=True)]
    return PlayerReview(
        player=player,
        ruleset=ruleset,
        hands=len(reviews),
        decisions=len(decisions),
        agreement=_share([one.chosen == one.best for one in decisions]),
        sound=_share([one.size not in COSTLY for one in decisions]),
        sizes={size: sum(one.size == size for one in decisions) for size in SIZES if size != "forced"},
        cost=mean_of([sum(one.made.known_cost.mean for one in hand) for hand in by_hand]),
        shown_cost=mean_of([sum(one.made.shown_cost.mean for one in hand) for hand in by_hand]),
        result=mean_of([luck.result for luck in lucks]),
        luck=mean_of([luck.deal.mean for luck in lucks]),
        adjusted=mean_of([luck.adjusted for luck in lucks]),
    )


def _share(of: Sequence[bool]) -> float:
    return sum(of) / len(of) if of else 0.0
