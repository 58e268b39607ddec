"""The lines of the worked cases: one struct a kind, as they stand in their files.

Cards are texts, seats count from 0, four values stand by seat. What a line must have and what it may leave out is
said here; what it means is checked in `conformance`.
"""

from typing import Annotated, TypeAlias

import msgspec

from domain.rulesets import Level
from domain.seats import BySeat

SeatNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=3)]
CardNames: TypeAlias = tuple[str, ...]
SeatPlay: TypeAlias = tuple[SeatNumber, CardNames]
Declared: TypeAlias = dict[str, Level]


class ScoreLine(msgspec.Struct, frozen=True, kw_only=True):
    """The scoring cards one player took and all declarations of the hand."""

    ruleset: str
    taken: CardNames
    declared: Declared
    raw_score: int


class PairTrickLine(msgspec.Struct, frozen=True, kw_only=True):
    """A trick led with a pair, in the order played."""

    ruleset: str
    plays: tuple[SeatPlay, SeatPlay, SeatPlay, SeatPlay]
    winner: SeatNumber


class PositionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A seat to move, and every play it may make."""

    ruleset: str
    seat: SeatNumber
    hand: CardNames
    declared: Declared
    suits_already_led: tuple[str, ...]
    trick_so_far: tuple[SeatPlay, ...]
    first_lead_of_match: bool
    legal: tuple[CardNames, ...]


class HandLine(msgspec.Struct, frozen=True, kw_only=True):
    """One hand from its deal to its scores; `points` and `points_partners` in the zero_sum family only."""

    ruleset: str
    first_hand: bool = True
    deal_order: CardNames
    leader: SeatNumber
    declared: Declared
    plays: tuple[SeatPlay, ...]
    legal_counts: tuple[int, ...]
    tricks: tuple[SeatNumber, ...]
    taken: BySeat[CardNames]
    raw_scores: BySeat[int]
    next_leader: SeatNumber
    points: BySeat[int] | None = None
    points_partners: BySeat[int] | None = None


class MatchHand(msgspec.Struct, frozen=True, kw_only=True):
    """One hand of a match; `blood_after` in the blood family, its `points` in the other."""

    deal_order: CardNames
    leader: SeatNumber
    declared: Declared
    plays: tuple[SeatPlay, ...]
    raw_scores: BySeat[int]
    blood_after: BySeat[int] | None = None
    points: BySeat[int] | None = None


class MatchLine(msgspec.Struct, frozen=True, kw_only=True):
    """A whole match: it ends with its last hand and not before."""

    ruleset: str
    hands_agreed: int | None = None
    hands: tuple[MatchHand, ...]
    points: BySeat[int]


class SettlementLine(msgspec.Struct, frozen=True, kw_only=True):
    """Blood totals after a hand; `points` is null where the match goes on."""

    ruleset: str
    blood: BySeat[int]
    points: BySeat[int] | None
