"""Hand replays: one document a finished hand, with what it is searched by (design §6).

While a hand is played only its public events are gathered; the document is written when `HandEnded` has made the rest
public. Annulments and corrections mark the documents of their match; what was recorded stays in them.
"""

from typing import Final

from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    HandCorrected,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    NonceRevealed,
    PlayerLeft,
    PlayerSeated,
    SeatHandedOver,
    SeatTakenBack,
    TrickTaken,
)
from projections.hand_replays import gathering, integrity, publishing
from projections.hand_replays.rows import HAND_SEATS, HANDS, HANDS_IN_PLAY
from projections.runner import Projection

HAND_REPLAYS: Final = Projection(
    name="hand_replays",
    revision=2,
    tables=(HANDS, HAND_SEATS, HANDS_IN_PLAY),
    handlers={
        MatchOpened: gathering.match_opened,
        PlayerSeated: gathering.player_seated,
        PlayerLeft: gathering.player_left,
        NonceRevealed: gathering.nonce_revealed,
        HandDealt: gathering.hand_dealt,
        CardDeclared: gathering.card_declared,
        DeclarationsClosed: gathering.declarations_closed,
        CardsPlayed: gathering.cards_played,
        TrickTaken: gathering.trick_taken,
        SeatHandedOver: gathering.seat_handed_over,
        SeatTakenBack: gathering.seat_taken_back,
        HandEnded: publishing.hand_ended,
        MatchSettled: gathering.match_over,
        MatchAbandoned: gathering.match_over,
        MatchAnnulled: integrity.match_annulled,
        AnnulmentLifted: integrity.annulment_lifted,
        HandCorrected: integrity.hand_corrected,
    },
)
