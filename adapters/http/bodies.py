"""What clients send and what they are answered, as JSON. Unknown fields are refused, so that a typo is not ignored."""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.events import Abandonment, Clocks
from domain.rulesets import Level
from domain.seats import BySeat

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="32 bytes in lower-case hex")]
CardName = Annotated[
    str,
    Meta(
        min_length=2,
        max_length=3,
        description="suit and rank, in two decks also the copy",
        examples=["SQ", "SQa"],
    ),
]
Reason = Annotated[str, Meta(min_length=1, max_length=200)]
AbandonCause = Literal["asked", "late", "someone left", "trouble with the site"]
"""Why players break a match off. It stands in the log for ever, so it is none of their own words."""
SeatNumber = Annotated[int, Meta(ge=0, le=3)]
Positive = Annotated[int, Meta(ge=1, le=256)]

SentMs = Annotated[int, Meta(ge=0, le=2**53)]

PublicEvent = dict[str, Any]
"""An event in the public form in which it is stored and published; its schema is in the contract."""


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command. `command_id` is made by the client: the same command under the same id is done once.

    `sent_ms`: when the client sent it, in milliseconds of its own clock, if it says so; it changes nothing.
    """

    command_id: UUID | None = None
    sent_ms: SentMs | None = None


class OpenMatchBody(Body, frozen=True, kw_only=True):
    """Puts a match on offer. `match`: an id of the client's own making (UUID version 7), to be able to repeat this."""

    ruleset: Annotated[str, Meta(max_length=40, examples=["zero_sum-1"])]
    hands: Positive | None = None
    clocks: Clocks = Clocks()
    abandonment: Abandonment = "play_on"
    match: UUID | None = None
    origin: Literal["served", "bots"] = "served"


class TakeSeatBody(Body, frozen=True, kw_only=True):
    """Sits down. `commitment`: SHA-256 of a nonce of 32 bytes that is revealed when all four sit."""

    commitment: Digest | None = None


class LeaveSeatBody(Body, frozen=True, kw_only=True):
    """Gets up before the deal."""


class RevealNonceBody(Body, frozen=True, kw_only=True):
    """Reveals the nonce committed to."""

    nonce: Digest


class DeclareBody(Body, frozen=True, kw_only=True):
    """Declares a card."""

    card: CardName
    level: Level = "open"


class DoneBody(Body, frozen=True, kw_only=True):
    """Says that this seat declares no more."""


class PlayBody(Body, frozen=True, kw_only=True):
    """Plays one card or a pair. With `hand_no` and `trick_no` it counts for this trick only, and is refused later."""

    cards: Annotated[tuple[CardName, ...], Meta(min_length=1, max_length=2)]
    hand_no: Positive | None = None
    trick_no: Positive | None = None


class HandOverBody(Body, frozen=True, kw_only=True):
    """Lets the autopilot play for this seat."""


class TakeBackBody(Body, frozen=True, kw_only=True):
    """Plays for this seat again."""


class AbandonBody(Body, frozen=True, kw_only=True):
    """Ends the match without a settlement: its opener before the deal, an operator, or all four seats together.

    `agree`: False takes a seat's agreement back.
    """

    cause: AbandonCause = "asked"
    agree: bool = True


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What an accepted command led to: the match's number after it, and the public forms of its events."""

    match: UUID
    number: int
    events: tuple[PublicEvent, ...]


class AbandonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Which seats want the match abandoned by now, and what it led to once they all do."""

    match: UUID
    agreed: BySeat[bool]
    receipt: Receipt | None


class TableLine(msgspec.Struct, frozen=True, kw_only=True):
    """A match in play or on offer, as everyone may see it."""

    match: UUID
    number: int
    ruleset: str
    phase: str
    origin: str
    players: BySeat[UUID | None]
    autopilot: BySeat[bool]
    hands_ended: int
    hands_agreed: int | None
    blood: BySeat[int] | None
    points: BySeat[int]
    clocks: Clocks
    opened_by: UUID | None


class TableList(msgspec.Struct, frozen=True, kw_only=True):
    """Tables, newest first. `next`: give it as `after` to read on; None at the end."""

    tables: tuple[TableLine, ...]
    next: UUID | None


class EventList(msgspec.Struct, frozen=True, kw_only=True):
    """Public events of a match's finished hands, in order. `next`: give it as `after` to read on; None at the end."""

    events: tuple[PublicEvent, ...]
    next: int | None


class GuestPass(msgspec.Struct, frozen=True, kw_only=True):
    """A new player: a random id, and a token to play with until it expires."""

    player: UUID
    token: str
    expires_s: int
