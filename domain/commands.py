"""What may be asked of a match. A command carries all that is random or secret about it; its time comes beside it."""

from uuid import UUID

import msgspec

from domain.dealing import Deal
from domain.events import Abandonment, By, Clocks, Origin
from domain.rulesets import Level, Ruleset
from domain.seats import BySeat, Seat
from domain.secret import Secret


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that may be asked of a match."""


class OpenMatch(Command, frozen=True, kw_only=True):
    """Put a match on offer. `root` (64 bytes) fixes all its deals; imports have none."""

    match: UUID
    ruleset: Ruleset
    hands_agreed: int | None = None
    clocks: Clocks = Clocks()
    abandonment: Abandonment = "play_on"
    origin: Origin = "served"
    opened_by: UUID | None = None
    root: Secret[bytes] | None = None


class TakeSeat(Command, frozen=True, kw_only=True):
    """Sit down. `commitment`: hex SHA-256 of a nonce of 32 bytes to be revealed when all four sit."""

    seat: Seat
    player: UUID
    commitment: str | None = None


class LeaveSeat(Command, frozen=True, kw_only=True):
    """Get up before the deal, or be unseated by the service."""

    seat: Seat
    cause: str = "left"


class RevealNonce(Command, frozen=True, kw_only=True):
    """Show the nonce committed to (hex)."""

    seat: Seat
    nonce: str


class DealHand(Command, frozen=True, kw_only=True):
    """Deal the next hand from the match's chain of seeds; the service asks for it after the pause."""


class DealRecordedHand(Command, frozen=True, kw_only=True):
    """Deal the hands of a record in an imported match.

    `leader`: the seat the record names, None for the one the rules name. A ruleset whose first lead is as given takes
    any seat; the others refuse one that the rules do not name.
    """

    deal: Deal
    leader: Seat | None = None


class DeclareCard(Command, frozen=True, kw_only=True):
    """Declare one card. A hidden declaration brings 32 random bytes that open its commitment."""

    seat: Seat
    card: str
    level: Level
    opening: Secret[bytes] | None = None

    def __repr__(self) -> str:
        card = self.card if self.level == "open" else "<secret>"
        return f"DeclareCard(seat={self.seat}, card={card!r}, level={self.level!r})"


class SayDone(Command, frozen=True, kw_only=True):
    """Say that this seat declares no more."""

    seat: Seat


class CloseDeclarations(Command, frozen=True, kw_only=True):
    """Close the window because its time is up; the service asks for it."""


class PlayCards(Command, frozen=True, kw_only=True):
    """Play one card, or two where a pair is led or was led."""

    seat: Seat
    cards: tuple[str, ...]
    by: By = "player"


class HandOverSeat(Command, frozen=True, kw_only=True):
    """Let the autopilot play for a seat."""

    seat: Seat
    cause: str = "asked"


class TakeBackSeat(Command, frozen=True, kw_only=True):
    """Play for a seat again."""

    seat: Seat
    cause: str = "asked"


class AbandonMatch(Command, frozen=True, kw_only=True):
    """End a match without a settlement."""

    cause: str
    by: str


class AnnulMatch(Command, frozen=True, kw_only=True):
    """Take an ended match off the boards."""

    case: str
    cause: str
    by: str


class LiftAnnulment(Command, frozen=True, kw_only=True):
    """Let an annulled match count again."""

    case: str
    cause: str
    by: str


class CorrectHand(Command, frozen=True, kw_only=True):
    """Replace a finished hand's raw scores."""

    case: str
    cause: str
    by: str
    hand_no: int
    raw_scores: BySeat[int]
