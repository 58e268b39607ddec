"""How much of a hand's result was the deal: what plain players make of the same cards and declarations.

Luck is the mean value, to each seat, of playouts of the true deal from its first lead on, with the declarations as they
were made. What a seat got beyond it is its own play and that of the others; over many hands the others' part averages
out, and so does the luck.
"""

import msgspec

from domain.events import HandEnded
from domain.match import Match
from domain.seats import SEATS
from domain.streams import Stream
from replays.review.estimates import Estimate, columns_of
from replays.rollouts import evaluate, position_of, value_of
from replays.worlds import world_of


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """A seat's result in a hand as value, what plain players make of its deal, and the difference."""

    result: float
    deal: Estimate
    adjusted: float


def luck_of(closed: Match, ended: HandEnded, playouts: int, seed: Stream) -> tuple[Luck, ...]:
    """The luck of each seat; `closed` is the match at the close of the hand's declarations."""
    assert closed.hand is not None
    worlds = [world_of(closed.hand)] * playouts
    outcomes = evaluate(position_of(closed), worlds, [0], seed=seed)
    lucks = []
    for seat in SEATS:
        (deal,) = columns_of([outcomes], seat).means()
        result = value_of(closed.ruleset, ended.raw_scores, seat)
        lucks.append(Luck(result=round(result, 2), deal=deal, adjusted=round(result - deal.mean, 2)))
    return tuple(lucks)
