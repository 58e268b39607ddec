"""Per-player statistics by ruleset and origin: sums over the hands and matches a player took part in.

What one match gives one player is a row of its own; a player's row is the sum of those that count. Hands count when
they end, also those of a match that is abandoned later; an annulled match counts for nothing until that is lifted.
"""

from typing import Final

from domain.events import (
    AnnulmentLifted,
    CardsPlayed,
    HandCorrected,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
)
from projections.players import counting, integrity
from projections.players.rows import PARTICIPATIONS, PLAYERS, SEATS_IN_PLAY
from projections.runner import Projection

PLAYER_STATISTICS: Final = Projection(
    name="players",
    revision=1,
    tables=(PLAYERS, PARTICIPATIONS, SEATS_IN_PLAY),
    handlers={
        MatchOpened: counting.match_opened,
        HandDealt: counting.hand_dealt,
        CardsPlayed: counting.cards_played,
        HandEnded: counting.hand_ended,
        MatchSettled: counting.match_settled,
        MatchAbandoned: counting.match_abandoned,
        MatchAnnulled: integrity.match_annulled,
        AnnulmentLifted: integrity.annulment_lifted,
        HandCorrected: integrity.hand_corrected,
    },
)
