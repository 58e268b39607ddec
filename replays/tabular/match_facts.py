"""What all rows of one match have in common."""

from collections.abc import Sequence
from uuid import UUID

from domain.events import (
    AnnulmentLifted,
    Event,
    HandCorrected,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
)
from domain.seats import SEATS, BySeat, Seat


class MatchFacts:
    """A match that has ended, from its public events. `raw_scores` are those that now stand, by hand."""

    def __init__(self, events: Sequence[Event]) -> None:
        opened = events[0]
        assert isinstance(opened, MatchOpened), "a match begins with its opening"
        self.events = events
        self.opened = opened
        self.ending = next(one for one in events if isinstance(one, MatchSettled | MatchAbandoned))
        self.players: BySeat[UUID | None] = self.ending.players
        with_partners = opened.ruleset.partners
        self.partners = [self.players[(seat + 2) % 4] if with_partners else None for seat in SEATS]
        self.ended = [event for event in events if isinstance(event, HandEnded)]
        self.corrections = [event for event in events if isinstance(event, HandCorrected)]
        marks = [event for event in events if isinstance(event, MatchAnnulled | AnnulmentLifted)]
        self.annulled = bool(marks) and isinstance(marks[-1], MatchAnnulled)
        standing = {event.hand_no: event.raw_scores for event in self.ended}
        standing |= {event.hand_no: event.raw_scores for event in self.corrections}
        self.raw_scores = [standing[event.hand_no] for event in self.ended]

    def player(self, seat: Seat) -> UUID:
        """Who sits there while hands are played."""
        player = self.players[seat % 4]
        assert player is not None, "nobody leaves once the cards are dealt"
        return player
