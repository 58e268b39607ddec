"""The events of a match: what is appended to the log, in the order it happened (design §3).

Every field of a struct here is public, in the order it is written, but one: `secret`, where a type has it, holds what
nobody outside the match service may know before the hand ends. `public_form` takes it off; an event that still has it
cannot be encoded. Card texts, player ids and seats are as consumers read them. Shapes are data for ever, frozen from
schema 1 of each type on: a changed shape is a new `schema` with an upcast and a file of its own in
`tests/recorded/events/`, which holds one for every type and schema.
"""

from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar, get_args
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from domain.dealing import Deal
from domain.rulesets import Level, Ruleset
from domain.scoring import Account
from domain.seats import BySeat, Seat
from domain.secret import Secret

Origin = Literal["served", "bots", "seeded", "imported"]
"""At least one person played; four bots under a secret root; under a root drawn from a given seed; a foreign record."""
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
By = Literal["player", "autopilot"]
Abandonment = Literal["play_on", "abandon"]
"""What becomes of a match whose seat is gone for long: the autopilot plays on, or the match is abandoned."""


SomeEvent = TypeVar("SomeEvent", bound="Event")


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """The clocks of a match, in seconds.

    In order: for nonces after the fourth seat is taken, the declaration window, a turn, the pause between hands, and
    the grace after a start of the service.
    """

    seat_s: int = 30
    declare_s: int = 15
    play_s: int = 20
    pause_s: int = 5
    grace_s: int = 10


class PublishedDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration once its card is public. `opening` (hex) opens the commitment of a hidden one."""

    seat: Seat
    card: str
    level: Level
    automatic: bool = False
    opening: str | None = None


class SecretPart(msgspec.Struct, frozen=True, array_like=True):
    """What of an event nobody may know yet. It is never printed."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<secret>)"


class RootSecret(SecretPart, frozen=True, array_like=True):
    """The chain root of a match: 64 bytes, never published."""

    root: bytes


class DealSecret(SecretPart, frozen=True, array_like=True):
    """A live hand: the order of its deal (one byte a card), its seed, and who leads it (of interest in hand 1)."""

    order: bytes
    seed: bytes
    leader: Seat


class DeclarationSecret(SecretPart, frozen=True, array_like=True):
    """The card of a hidden declaration and the random opening of its commitment."""

    card: int
    opening: bytes


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What every event carries. `version` counts from 1 within the match; `at` never goes back within it."""

    schema: int = 1
    match: UUID
    version: int
    at: datetime


class MatchOpened(Event, frozen=True, kw_only=True, tag="MatchOpened"):
    """A match is on offer. `hands_agreed` counts for zero_sum; `anchor` is s₀ in hex (none for imports)."""

    ruleset: Ruleset
    hands_agreed: int | None
    clocks: Clocks
    abandonment: Abandonment
    origin: Origin
    anchor: str | None
    chain_length: int | None
    opened_by: UUID | None
    secret: Secret[RootSecret] | UnsetType = UNSET


class PlayerSeated(Event, frozen=True, kw_only=True, tag="PlayerSeated"):
    """A player sits down. `commitment` is the hex SHA-256 of the nonce the seat will reveal, if it gave one."""

    seat: Seat
    player: UUID
    commitment: str | None


class PlayerLeft(Event, frozen=True, kw_only=True, tag="PlayerLeft"):
    """A seat is free again, before the deal."""

    seat: Seat
    player: UUID
    cause: str


class NonceRevealed(Event, frozen=True, kw_only=True, tag="NonceRevealed"):
    """A seat shows the nonce (hex, 32 bytes) it committed to."""

    seat: Seat
    nonce: str


class HandDealt(Event, frozen=True, kw_only=True, tag="HandDealt"):
    """Each seat has its cards. `leader` is public from hand 2 on; `deal` only where it was public before (imports)."""

    hand_no: int
    leader: Seat | None
    deal: Deal | None = None
    secret: Secret[DealSecret] | UnsetType = UNSET


class CardDeclared(Event, frozen=True, kw_only=True, tag="CardDeclared"):
    """A declaration. An open one names its card; a hidden one its commitment (hex)."""

    hand_no: int
    seat: Seat
    level: Level
    automatic: bool
    card: str | None
    commitment: str | None
    secret: Secret[DeclarationSecret] | UnsetType = UNSET


class DeclarationDone(Event, frozen=True, kw_only=True, tag="DeclarationDone"):
    """A seat declares no more."""

    hand_no: int
    seat: Seat


class DeclarationsClosed(Event, frozen=True, kw_only=True, tag="DeclarationsClosed"):
    """The window is closed; `leader` leads the first trick."""

    hand_no: int
    cause: Literal["all_done", "time"]
    leader: Seat


class CardsPlayed(Event, frozen=True, kw_only=True, tag="CardsPlayed"):
    """One or two cards are played, in the order given; `openings` are the hidden declarations they make public."""

    hand_no: int
    trick_no: int
    seat: Seat
    cards: tuple[str, ...]
    by: By
    think_ms: int
    openings: tuple[PublishedDeclaration, ...] = ()


class TrickTaken(Event, frozen=True, kw_only=True, tag="TrickTaken"):
    """A trick is complete; `seat` takes `cards`, in the order played."""

    hand_no: int
    trick_no: int
    seat: Seat
    cards: tuple[str, ...]


class SeatHandedOver(Event, frozen=True, kw_only=True, tag="SeatHandedOver"):
    """The autopilot plays for this seat from now on."""

    hand_no: int | None
    seat: Seat
    cause: str


class SeatTakenBack(Event, frozen=True, kw_only=True, tag="SeatTakenBack"):
    """The player plays for this seat again."""

    hand_no: int | None
    seat: Seat
    cause: str


class HandEnded(Event, frozen=True, kw_only=True, tag="HandEnded"):
    """All cards are played: scores with their accounts, and everything that was secret. By seat where four.

    `blood` is the total after this hand (blood family), `points` this hand's (zero_sum). `seed` is s_k in hex.
    """

    hand_no: int
    players: BySeat[UUID]
    raw_scores: BySeat[int]
    accounts: BySeat[Account]
    blood: BySeat[int] | None
    points: BySeat[int] | None
    next_leader: Seat
    deal: Deal
    seed: str | None
    declarations: tuple[PublishedDeclaration, ...]


class MatchSettled(Event, frozen=True, kw_only=True, tag="MatchSettled"):
    """The match is over; `points` by seat are what it adds to its players' standings."""

    players: BySeat[UUID]
    blood: BySeat[int] | None
    points: BySeat[int]
    cause: Literal["threshold", "hands_played", "limit"]


class MatchAbandoned(Event, frozen=True, kw_only=True, tag="MatchAbandoned"):
    """The match ends without a settlement; the hand in progress, if any, is void and becomes public.

    `deal_unavailable`: a hand was in progress, but the key that could open it was not there.
    """

    players: BySeat[UUID | None]
    cause: str
    by: str
    hand_no: int | None
    deal: Deal | None
    seed: str | None
    declarations: tuple[PublishedDeclaration, ...]
    deal_unavailable: bool = False


class MatchAnnulled(Event, frozen=True, kw_only=True, tag="MatchAnnulled"):
    """Integrity staff take an ended match off the boards."""

    case: str
    cause: str
    by: str


class AnnulmentLifted(Event, frozen=True, kw_only=True, tag="AnnulmentLifted"):
    """An annulled match counts again."""

    case: str
    cause: str
    by: str


class HandCorrected(Event, frozen=True, kw_only=True, tag="HandCorrected"):
    """Integrity staff replace a hand's raw scores; what follows from them is recomputed over the hands played.

    `blood` or `points` are those after or of this hand; `match_points` the whole match's, where it is settled.
    """

    case: str
    cause: str
    by: str
    hand_no: int
    players: BySeat[UUID]
    raw_scores: BySeat[int]
    blood: BySeat[int] | None
    points: BySeat[int] | None
    match_points: BySeat[int] | None


EventTypes: TypeAlias = (
    MatchOpened
    | PlayerSeated
    | PlayerLeft
    | NonceRevealed
    | HandDealt
    | CardDeclared
    | DeclarationDone
    | DeclarationsClosed
    | CardsPlayed
    | TrickTaken
    | SeatHandedOver
    | SeatTakenBack
    | HandEnded
    | MatchSettled
    | MatchAbandoned
    | MatchAnnulled
    | AnnulmentLifted
    | HandCorrected
)

EVENT_TYPES: Final[tuple[type[Event], ...]] = (
    MatchOpened,
    PlayerSeated,
    PlayerLeft,
    NonceRevealed,
    HandDealt,
    CardDeclared,
    DeclarationDone,
    DeclarationsClosed,
    CardsPlayed,
    TrickTaken,
    SeatHandedOver,
    SeatTakenBack,
    HandEnded,
    MatchSettled,
    MatchAbandoned,
    MatchAnnulled,
    AnnulmentLifted,
    HandCorrected,
)
"""Every event type, in the order a match meets them."""

SECRET_TYPES: Final[dict[type[Event], type[SecretPart]]] = {
    MatchOpened: RootSecret,
    HandDealt: DealSecret,
    CardDeclared: DeclarationSecret,
}
"""The event types that can carry a secret part, with its shape."""


def name_of_type(event_type: type[Event]) -> str:
    """The stable name of an event type, as `type` in its public form."""
    return event_type.__name__


def secret_of(event: Event) -> SecretPart | None:
    """The secret part an event carries, or None."""
    held = getattr(event, "secret", UNSET)
    return held.value if isinstance(held, Secret) else None


def public_form(event: SomeEvent) -> SomeEvent:
    """The event as everyone may see it, now and later: without its secret part."""
    if getattr(event, "secret", UNSET) is UNSET:
        return event
    return msgspec.structs.replace(event, secret=UNSET)
