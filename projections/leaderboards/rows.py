"""The rows of leaderboards: the ledger, the boards that are its sums, and the ratings."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from domain.seats import BySeat
from projections.read_model import Index, Table


class Amounts(msgspec.Struct, frozen=True):
    """What is added up. Points of different rulesets never are."""

    points: int = 0
    matches: int = 0
    hands: int = 0
    wins: int = 0
    slams: int = 0
    pigs: int = 0

    def plus(self, more: "Amounts", sign: int = 1) -> "Amounts":
        """The sum, or the difference where `sign` is −1."""
        return Amounts(
            self.points + sign * more.points,
            self.matches + sign * more.matches,
            self.hands + sign * more.hands,
            self.wins + sign * more.wins,
            self.slams + sign * more.slams,
            self.pigs + sign * more.pigs,
        )


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the ledger: what one event gives one player.

    `version` is the event the amounts belong to and `at` its time; `recorded_by` the event that said them, the same one
    or a later `HandCorrected`, and `position` where that stands in the log. Of the rows of one version and seat the
    newest counts, unless the match is annulled.
    """

    match: UUID
    version: int
    seat: int
    recorded_by: int
    position: int
    kind: Literal["hand", "settlement"]
    hand_no: int | None
    ruleset: str
    origin: str
    at: datetime
    player: UUID
    points: int
    matches: int
    hands: int
    wins: int
    slams: int
    pigs: int
    counts: bool

    @property
    def amounts(self) -> Amounts:
        """What the row adds where it counts."""
        return Amounts(self.points, self.matches, self.hands, self.wins, self.slams, self.pigs)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A player's sums on one board."""

    ruleset: str
    origin: str
    period: str
    player: UUID
    points: int
    matches: int
    hands: int
    wins: int
    slams: int
    pigs: int

    @property
    def amounts(self) -> Amounts:
        """The sums."""
        return Amounts(self.points, self.matches, self.hands, self.wins, self.slams, self.pigs)


class MatchInPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has not ended; of a blood match also what its hands will have given, by seat."""

    match: UUID
    ruleset: str
    origin: str
    by_blood: bool
    partners: bool
    decks: int
    hands: int = 0
    slams: BySeat[int] = (0, 0, 0, 0)
    pigs: BySeat[int] = (0, 0, 0, 0)


class RatedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A settled match as ratings see it: `results` by seat (points, or totals), higher is better."""

    ruleset: str
    origin: str
    position: int
    match: UUID
    at: datetime
    partners: bool
    players: BySeat[UUID]
    results: BySeat[int]
    annulled: bool = False


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """A player's rating now: mean and uncertainty. `position` is that of the last match in it."""

    ruleset: str
    origin: str
    player: UUID
    position: int
    mu: float
    sigma: float


class RatingStep(msgspec.Struct, frozen=True, kw_only=True):
    """A player's rating before and after one settled match; `at` is when that was settled.

    `position_before` is that of the match whose rating this one started from, 0 for a player's first.
    """

    ruleset: str
    origin: str
    player: UUID
    position: int
    position_before: int
    match: UUID
    at: datetime
    mu_before: float
    sigma_before: float
    mu: float
    sigma: float


ENTRIES: Final = Table(
    "entries",
    Entry,
    ("match", "version", "seat", "recorded_by"),
    [Index(("player", "ruleset", "at"))],
)
STANDINGS: Final = Table(
    "standings",
    Standing,
    ("ruleset", "origin", "period", "player"),
    [Index(("ruleset", "period", "origin", "points DESC", "player")), Index(("player",))],
    revisited=True,
)
MATCHES_IN_PLAY: Final = Table("matches_in_play", MatchInPlay, ("match",), revisited=True)
RATED_MATCHES: Final = Table("rated_matches", RatedMatch, ("ruleset", "origin", "position"))
RATINGS: Final = Table("ratings", Rating, ("ruleset", "origin", "player"), revisited=True)
RATING_STEPS: Final = Table("rating_steps", RatingStep, ("ruleset", "origin", "player", "position"))
