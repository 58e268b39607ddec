"""The document of a finished hand: everything that happened in it, and what proves the deal."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from domain.dealing import Deal
from domain.events import By, PublishedDeclaration
from domain.rulesets import Level
from domain.scoring import Account
from domain.seats import BySeat, Seat


class DeclarationMade(msgspec.Struct, frozen=True, omit_defaults=True):
    """A declaration as all saw it when it was made: its card where open, its commitment (hex) where hidden."""

    at: datetime
    seat: Seat
    level: Level
    automatic: bool = False
    card: str | None = None
    commitment: str | None = None


class PlayMade(msgspec.Struct, frozen=True, omit_defaults=True):
    """One or two cards played, in the order given, and the hidden declarations this made public."""

    at: datetime
    trick_no: int
    seat: Seat
    cards: tuple[str, ...]
    think_ms: int
    by: By = "player"
    openings: tuple[PublishedDeclaration, ...] = ()


class HandOver(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat handed to the autopilot, or taken back, after so many plays of the hand."""

    at: datetime
    seat: Seat
    after_plays: int
    taken_back: bool = False


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What verifies the deal: the match's anchor s₀, this hand's seed s_k, and the seats' nonces, all hex.

    Imported hands have none.
    """

    anchor: str | None
    chain_length: int | None
    seed: str | None
    commitments: BySeat[str | None]
    nonces: BySeat[str | None]


class HandReplay(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand as it was recorded; corrections stand beside it. By seat where four.

    `takers` are the seats that took tricks 1, 2, 3 …; `declared` is how the window went, `declarations` the cards with
    their openings; `blood` the total after this hand (blood family), `points` this hand's (zero_sum).
    """

    match: UUID
    hand_no: int
    ruleset: str
    revision: int
    decks: int
    partners: bool
    origin: str
    players: BySeat[UUID]
    dealt_at: datetime
    closed_at: datetime
    ended_at: datetime
    leader: Seat
    closed_by: Literal["all_done", "time"]
    deal: Deal
    declared: tuple[DeclarationMade, ...]
    declarations: tuple[PublishedDeclaration, ...]
    plays: tuple[PlayMade, ...]
    takers: tuple[Seat, ...]
    hand_overs: tuple[HandOver, ...]
    raw_scores: BySeat[int]
    accounts: BySeat[Account]
    blood: BySeat[int] | None
    points: BySeat[int] | None
    next_leader: Seat
    proof: Proof
