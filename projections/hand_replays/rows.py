"""The rows of hand replays: finished hands with what they are searched by, and the hand in play of each match."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from domain.seats import BySeat, Seat
from projections.hand_replays.document import DeclarationMade, HandOver, HandReplay, PlayMade
from projections.read_model import Index, Table


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """A hand's scores as integrity staff replaced them; `version` is the event that says so."""

    version: int
    at: datetime
    case: str
    cause: str
    by: str
    raw_scores: BySeat[int]
    blood: BySeat[int] | None
    points: BySeat[int] | None


class FinishedHand(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand. Scores are those that now stand; `document` is as recorded. `position`: its `HandEnded`'s.

    `swing` is the highest raw score less the lowest; `specials` are those of any seat (see `specials`).
    """

    match: UUID
    hand_no: int
    position: int
    ruleset: str
    origin: str
    dealt_at: datetime
    ended_at: datetime
    players: BySeat[UUID]
    raw_scores: BySeat[int]
    points: BySeat[int] | None
    partners: bool
    swing: int
    highest: int
    lowest: int
    specials: tuple[str, ...]
    autopilot_plays: int
    annulled: bool = False
    corrections: tuple[Correction, ...] = ()
    document: HandReplay


class HandSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A player's part in a finished hand: what his hands are searched by. `partners`: seats 0 and 2 play together."""

    match: UUID
    hand_no: int
    seat: Seat
    position: int
    player: UUID
    ruleset: str
    origin: str
    ended_at: datetime
    raw_score: int
    points: int | None
    partners: bool
    swing: int
    specials: tuple[str, ...]


class HandInPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A live match and its hand in play, from public events; between hands the last one's plays are gone."""

    match: UUID
    ruleset: str
    revision: int
    decks: int
    partners: bool
    origin: str
    anchor: str | None
    chain_length: int | None
    players: BySeat[UUID | None] = (None, None, None, None)
    commitments: BySeat[str | None] = (None, None, None, None)
    nonces: BySeat[str | None] = (None, None, None, None)
    hand_no: int = 0
    dealt_at: datetime | None = None
    closed_at: datetime | None = None
    closed_by: Literal["all_done", "time"] | None = None
    leader: Seat | None = None
    declared: tuple[DeclarationMade, ...] = ()
    plays: tuple[PlayMade, ...] = ()
    takers: tuple[Seat, ...] = ()
    hand_overs: tuple[HandOver, ...] = ()


HANDS: Final = Table(
    "hands",
    FinishedHand,
    ("match", "hand_no"),
    [
        Index(("ended_at", "position")),
        Index(("ruleset", "ended_at", "position")),
        Index(("origin", "ended_at", "position")),
        *(
            Index((*first, by, "position"))
            for first in ((), ("ruleset",))
            for by in ("swing", "highest", "lowest")
        ),
        Index(("(specials || ARRAY[ruleset])",), method="gin"),
        Index(("players",), method="gin"),
    ],
)
HAND_SEATS: Final = Table(
    "hand_seats",
    HandSeat,
    ("match", "hand_no", "seat"),
    [
        Index(("player", "ended_at", "position")),
        Index(("player", "raw_score", "position")),
        Index(("player", "ruleset", "raw_score", "position")),
        Index(("player", "swing", "position")),
        Index(("raw_score",)),
        Index(("points",)),
        Index(("specials",), method="gin"),
    ],
)
HANDS_IN_PLAY: Final = Table("hands_in_play", HandInPlay, ("match",), revisited=True)
