"""Reviews: how good each decision of a hand was, by what the player could know, and beside it with all cards shown.

    timeline = Timeline(events)                                    # of a match; the hand must have ended
    review = review_hand(timeline, 1, ReviewSettings(worlds=1000, seed=1))
    review.decisions[0].made.known_cost                            # an Estimate: mean and standard error
    player_reviews(player, reviews)                                # many hands together, a row a ruleset
    exercises_of(timeline, review, seats)                          # costly decisions as questions

A decision is judged by worlds drawn from what its player knew, each choice played out in each of them (the column
`known`, which grades); and by the true cards (`shown`, which explains). A choice's cost is the best's worth less its
own, in points of value: own raw score less the others' mean, with partners own side's less the other's. Its size is
that cost by its share of the stakes of the hand (`sizes`). Luck is defined in `luck`; `LIMITS` goes with every page and
export.

The same settings give the same review, with and without numba. `keep_going` is asked for time, never a clock.
"""

from replays.review.estimates import Estimate
from replays.review.exercises import Exercise, exercises_of
from replays.review.hands import Choice, HandNotEnded, HandReview, Reviewed, Stopped, review_hand
from replays.review.limits import LIMITS, LIMITS_ZH
from replays.review.luck import Luck
from replays.review.players import PlayerReview, player_reviews
from replays.review.settings import ENOUGH_WORLDS, EVALUATOR, ReviewSettings
from replays.review.sizes import COSTLY, SIZES, Size

__all__ = [
    "COSTLY",
    "ENOUGH_WORLDS",
    "EVALUATOR",
    "LIMITS",
    "LIMITS_ZH",
    "SIZES",
    "Choice",
    "Estimate",
    "Exercise",
    "HandNotEnded",
    "HandReview",
    "Luck",
    "PlayerReview",
    "ReviewSettings",
    "Reviewed",
    "Size",
    "Stopped",
    "exercises_of",
    "player_reviews",
    "review_hand",
]
