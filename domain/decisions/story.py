"""One command as it unfolds: each event it leads to is seen by the next."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from domain.cards import Cards
from domain.errors import DealUnavailable, MatchNotOpen, NotASeat, WrongPhase
from domain.events import DealSecret, Event
from domain.match import Hand, Match, evolve
from domain.seats import SEATS, BySeat, Seat

Dealer: TypeAlias = Callable[[Match], DealSecret | None]
"""What gives a match its next deal; None where the cards are not known to this reader."""


class Story:
    """The events of one command as they unfold, each seen by the next."""

    def __init__(self, match: Match | None, at: datetime, dealer: Dealer) -> None:
        self._match = match
        self.at = at
        self.dealer = dealer
        self.events: list[Event] = []

    @property
    def match(self) -> Match:
        """The match as the events so far have left it. Raises `MatchNotOpen`."""
        if self._match is None:
            raise MatchNotOpen(match="of this id")
        return self._match

    @property
    def is_new(self) -> bool:
        """Whether no event has opened the match."""
        return self._match is None

    @property
    def hand(self) -> Hand:
        """The hand in progress. Raises `WrongPhase`."""
        if self.match.hand is None:
            raise WrongPhase(what="this", phase=self.match.phase)
        return self.match.hand

    def add(self, event_type: Callable[..., Event], **fields: Any) -> None:
        """Let an event of this type happen next."""
        match = self._match
        event = event_type(
            match=match.id if match else fields.pop("match"), version=self._next, at=self.at, **fields
        )
        self._match = evolve(match, event)
        self.events.append(event)

    @property
    def _next(self) -> int:
        return 1 if self._match is None else self._match.version + 1


def seat_named(seat: Seat) -> Seat:
    """The seat, if there is one of this number. Raises `NotASeat`."""
    if seat not in SEATS:
        raise NotASeat(given=seat)
    return seat


def require_phase(match: Match, what: str, *phases: str, seat: Seat | None = None) -> None:
    """Refuses `what` outside these phases. Raises `WrongPhase`."""
    if match.phase not in phases:
        raise WrongPhase(seat=seat, what=what, phase=match.phase.replace("_", " "))


def known_holdings(hand: Hand) -> BySeat[Cards]:
    """The cards in hand by seat. Raises `DealUnavailable` where they are sealed from this process."""
    if hand.holdings is None:
        raise DealUnavailable
    return hand.holdings


def by_seat(values: Sequence[int]) -> BySeat[int]:
    """Four values as a tuple by seat."""
    return (values[0], values[1], values[2], values[3])
