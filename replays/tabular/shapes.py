"""The shapes of the flat rows: each field is a column, in this order; `infra/exports.md` tells what each one holds.

Scores without `recorded_` before their names are those that now stand, corrections included. Times are in UTC.
"""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from domain.events import Abandonment, By, Origin
from domain.rulesets import Level
from domain.seats import Seat


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has ended."""

    match: UUID
    ruleset: str
    revision: int
    decks: int
    partners: bool
    first_lead: str
    origin: Origin
    hands_agreed: int | None
    opened_by: UUID | None
    opened_at: datetime
    ended_at: datetime
    ended: Literal["settled", "abandoned"]
    cause: str
    annulled: bool
    corrections: int
    hands: int
    events: int
    player_0: UUID | None
    player_1: UUID | None
    player_2: UUID | None
    player_3: UUID | None
    points_0: int
    points_1: int
    points_2: int
    points_3: int
    blood_0: int | None
    blood_1: int | None
    blood_2: int | None
    blood_3: int | None
    recorded_points_0: int | None
    recorded_points_1: int | None
    recorded_points_2: int | None
    recorded_points_3: int | None
    seat_s: int
    declare_s: int
    play_s: int
    pause_s: int
    grace_s: int
    abandonment: Abandonment
    anchor: str | None
    chain_length: int | None


class HandRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand as one player played it: four rows a hand."""

    match: UUID
    hand_no: int
    seat: Seat
    player: UUID
    partner: UUID | None
    next_player: UUID
    across_player: UUID
    previous_player: UUID
    ruleset: str
    decks: int
    partners: bool
    origin: Origin
    annulled: bool
    dealt_at: datetime
    closed_at: datetime
    ended_at: datetime
    closed_by: Literal["all_done", "time"]
    leads: bool
    cards: tuple[str, ...]
    order_known: bool
    raw_score: int
    points: int | None
    blood: int | None
    corrected: bool
    recorded_raw_score: int
    recorded_points: int | None
    recorded_blood: int | None
    rule: Literal["nothing", "sum", "lone_transformer", "slam"]
    hearts: int
    hearts_factor: int
    all_hearts: bool
    pigs: int
    sheep: int
    transformers: int
    factor: int
    tricks: int
    declared: int
    plays: int
    autopilot_plays: int
    think_ms: int


class PlayRow(msgspec.Struct, frozen=True, kw_only=True):
    """One or two cards played by a seat to a trick."""

    match: UUID
    hand_no: int
    trick_no: int
    play_no: int
    place: int
    seat: Seat
    player: UUID
    partner: UUID | None
    ruleset: str
    origin: Origin
    annulled: bool
    void: bool
    played_at: datetime
    card: str
    second_card: str | None
    led_suit: str
    played_by: By
    think_ms: int
    taken_by: Seat | None
    takes: bool | None


class DeclarationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A card declared."""

    match: UUID
    hand_no: int
    declaration_no: int
    seat: Seat
    player: UUID
    partner: UUID | None
    ruleset: str
    origin: Origin
    annulled: bool
    void: bool
    declared_at: datetime
    level: Level
    automatic: bool
    card: str | None
    played_in_trick: int | None
    commitment: str | None
    opening: str | None


FlatRow = MatchRow | HandRow | PlayRow | DeclarationRow

TABLES: Final[dict[str, type[FlatRow]]] = {
    "matches": MatchRow,
    "hands": HandRow,
    "plays": PlayRow,
    "declarations": DeclarationRow,
}
"""The tables by name, with the shape of their rows."""
