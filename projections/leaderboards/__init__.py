"""Leaderboards by ruleset, origin and period: sums of a ledger whose rows name the events they come from (design §6).

An amount belongs to the period of its event's `at`: of `HandEnded` for zero_sum, of `MatchSettled` for blood. A blood
match that is abandoned gives nothing, a zero_sum match its finished hands.
"""

from typing import Final

from domain.events import (
    AnnulmentLifted,
    HandCorrected,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
)
from projections.leaderboards import booking, integrity
from projections.leaderboards.rows import (
    ENTRIES,
    MATCHES_IN_PLAY,
    RATED_MATCHES,
    RATING_STEPS,
    RATINGS,
    STANDINGS,
)
from projections.runner import Projection

LEADERBOARDS: Final = Projection(
    name="leaderboards",
    revision=1,
    tables=(ENTRIES, STANDINGS, MATCHES_IN_PLAY, RATED_MATCHES, RATINGS, RATING_STEPS),
    handlers={
        MatchOpened: booking.match_opened,
        HandEnded: booking.hand_ended,
        MatchSettled: booking.match_settled,
        MatchAbandoned: booking.match_abandoned,
        MatchAnnulled: integrity.match_annulled,
        AnnulmentLifted: integrity.annulment_lifted,
        HandCorrected: integrity.hand_corrected,
    },
)
