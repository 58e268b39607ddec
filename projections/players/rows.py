"""The rows of player statistics: what each match gives each player, and the sums."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import asdict

from domain.seats import BySeat, Seat
from projections.read_model import Index, Table


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted. `declared_pigs_taken`: own declared pigs that came back; `think_ms` over plays of one's own."""

    matches: int = 0
    wins: int = 0
    hands: int = 0
    points: int = 0
    raw_score: int = 0
    pigs: int = 0
    slams: int = 0
    all_hearts: int = 0
    lone_transformers: int = 0
    declared_open: int = 0
    declared_hidden: int = 0
    declared_pigs_taken: int = 0
    plays: int = 0
    autopilot_plays: int = 0
    think_ms: int = 0

    def plus(self, more: "Statistics", sign: int = 1) -> "Statistics":
        """The sum, or the difference where `sign` is −1."""
        added = asdict(more)
        return Statistics(**{name: value + sign * added[name] for name, value in asdict(self).items()})


NOTHING: Final = Statistics()


class Participation(msgspec.Struct, frozen=True, kw_only=True):
    """What one match gives one player. `results` are raw score and points of each hand, as they now stand."""

    match: UUID
    seat: Seat
    player: UUID
    ruleset: str
    origin: str
    last_at: datetime
    results: tuple[tuple[int, int], ...]
    settled: tuple[int, int] | None
    counts: bool
    statistics: Statistics


class PlayerStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """A player's sums in one ruleset and origin."""

    player: UUID
    ruleset: str
    origin: str
    last_at: datetime
    statistics: Statistics


class SeatsInPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A live match: what its participations depend on, and the plays of the hand in play by seat."""

    match: UUID
    ruleset: str
    origin: str
    by_blood: bool
    decks: int
    plays: BySeat[int] = (0, 0, 0, 0)
    autopilot_plays: BySeat[int] = (0, 0, 0, 0)
    think_ms: BySeat[int] = (0, 0, 0, 0)


PARTICIPATIONS: Final = Table(
    "participations", Participation, ("match", "seat"), [Index(("player", "ruleset"))]
)
PLAYERS: Final = Table("players", PlayerStatistics, ("player", "ruleset", "origin"), revisited=True)
SEATS_IN_PLAY: Final = Table("seats_in_play", SeatsInPlay, ("match",), revisited=True)
