"""The match aggregate: its state, and how each event changes it.

A match goes through these phases:

    seating ──HandDealt──▶ declaring ──DeclarationsClosed──▶ playing ──HandEnded──▶ between_hands
                               ▲                                                     │      │
                               └──────────────────────HandDealt──────────────────────┘      └─MatchSettled─▶ settled
    any of them but settled ──MatchAbandoned──▶ abandoned

`evolve` folds one event into the state. It never refuses, reads no clock and draws no number: what happened has
happened. It works on full events and on their public forms alike; of a hand folded from public forms the cards in
hand, the deal and hidden cards are simply not known (None). What may be asked of a match is decided in `decisions`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain import hand
from domain.errors import BrokenLog, CommandRefused
from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    CardsPlayed,
    DeclarationDone,
    DeclarationsClosed,
    Event,
    HandCorrected,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    NonceRevealed,
    PlayerLeft,
    PlayerSeated,
    RootSecret,
    SeatHandedOver,
    SeatTakenBack,
    TrickTaken,
    public_form,
    secret_of,
)
from domain.hand import Hand, ImpossibleEvent, Play, opened_commitment
from domain.rulesets import Ruleset
from domain.seats import BySeat, Seat, replaced
from domain.settlement import hand_points

Phase = Literal["seating", "declaring", "playing", "between_hands", "settled", "abandoned"]
ENDED: Final = ("settled", "abandoned")

__all__ = ["ENDED", "Hand", "Match", "Phase", "Play", "evolve", "fold", "match_result", "opened_commitment"]

NOBODY: Final[BySeat[None]] = (None, None, None, None)


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a match after its `version`-th event.

    `blood` and `points` are totals by seat, `raw_scores` every finished hand's as they now stand (corrections
    included). `opened` is the first event in its public form; the secret chain root stands beside it. `last_hand` is
    the newest finished hand as it was recorded.
    """

    id: UUID
    version: int
    at: datetime
    phase: Phase
    opened: MatchOpened
    root: bytes | None
    players: BySeat[UUID | None] = NOBODY
    commitments: BySeat[str | None] = NOBODY
    nonces: BySeat[bytes | None] = NOBODY
    full_since: datetime | None = None
    autopilot: BySeat[bool] = (False, False, False, False)
    hand: Hand | None = None
    hands_ended: int = 0
    raw_scores: tuple[BySeat[int], ...] = ()
    blood: BySeat[int] = (0, 0, 0, 0)
    points: BySeat[int] = (0, 0, 0, 0)
    next_leader: Seat | None = None
    last_hand: HandEnded | None = None
    annulled: bool = False
    corrected: bool = False

    def __repr__(self) -> str:
        return f"Match(id={self.id}, version={self.version}, phase={self.phase!r})"

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset the match is played by."""
        return self.opened.ruleset

    @property
    def ended(self) -> bool:
        """Whether the match is settled or abandoned."""
        return self.phase in ENDED


def evolve(match: Match | None, event: Event) -> Match:
    """The match after an event. Raises `BrokenLog` for an event that cannot follow."""
    if match is None:
        if not isinstance(event, MatchOpened) or event.version != 1:
            raise _broken(event, "a match begins with MatchOpened at version 1")
        return _opened(event)
    # Comparing identifiers costs more than folding some events; live events carry the match's own object.
    if event.version != match.version + 1 or (
        event.match is not match.id and event.match.int != match.id.int
    ):
        raise _broken(event, f"expected version {match.version + 1} of match {match.id}")
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise _broken(event, "this event cannot follow the first")
    try:
        return handler(match, event)
    except (ImpossibleEvent, CommandRefused, ValueError, IndexError, OverflowError) as impossible:
        # A card that is none, hex that is none, a fifth seat: what no decision could have led to.
        raise _broken(event, str(impossible)) from None


def fold(events: Iterable[Event], match: Match | None = None) -> Match | None:
    """The match after all of these events, from nothing or from a state."""
    for event in events:
        match = evolve(match, event)
    return match


def _broken(event: Event, what: str) -> BrokenLog:
    return BrokenLog(
        what, match=event.match, version=event.version, tag=f"{type(event).__name__}.{event.schema}"
    )


def _hand(match: Match, hand_no: int | None) -> Hand:
    if match.hand is None or (hand_no is not None and match.hand.number != hand_no):
        raise ImpossibleEvent(f"hand {hand_no} is not in progress")
    return match.hand


def _opened(event: MatchOpened) -> Match:
    secret = secret_of(event)
    return Match(
        id=event.match,
        version=event.version,
        at=event.at,
        phase="seating",
        opened=public_form(event),
        root=secret.root if isinstance(secret, RootSecret) else None,
    )


def _player_seated(match: Match, event: PlayerSeated) -> Match:
    players = replaced(match.players, event.seat, event.player)
    return replace(
        match,
        version=event.version,
        at=event.at,
        players=players,
        commitments=replaced(match.commitments, event.seat, event.commitment),
        full_since=event.at if None not in players else None,
    )


def _player_left(match: Match, event: PlayerLeft) -> Match:
    return replace(
        match,
        version=event.version,
        at=event.at,
        players=replaced(match.players, event.seat, None),
        commitments=replaced(match.commitments, event.seat, None),
        nonces=replaced(match.nonces, event.seat, None),
        full_since=None,
    )


def _nonce_revealed(match: Match, event: NonceRevealed) -> Match:
    nonces = replaced(match.nonces, event.seat, bytes.fromhex(event.nonce))
    return replace(match, version=event.version, at=event.at, nonces=nonces)


def _hand_dealt(match: Match, event: HandDealt) -> Match:
    begun = hand.dealt(event, match.ruleset.decks)
    return replace(match, version=event.version, at=event.at, phase="declaring", hand=begun)


def _declarations_closed(match: Match, event: DeclarationsClosed) -> Match:
    after = hand.closed(_hand(match, event.hand_no), event)
    return replace(match, version=event.version, at=event.at, phase="playing", hand=after)


def _in_hand(change: Callable[[Hand, Any, int], Hand]) -> Callable[[Match, Any], Match]:
    """The handler of an event that changes nothing but its hand."""

    def handler(match: Match, event: Any) -> Match:
        after = change(_hand(match, event.hand_no), event, match.opened.ruleset.decks)
        return replace(match, version=event.version, at=event.at, hand=after)

    return handler


def _hand_ended(match: Match, event: HandEnded) -> Match:
    _hand(match, event.hand_no)
    return replace(
        match,
        version=event.version,
        at=event.at,
        phase="between_hands",
        hand=None,
        hands_ended=event.hand_no,
        raw_scores=(*match.raw_scores, event.raw_scores),
        blood=event.blood if event.blood is not None else match.blood,
        points=_added(match.points, event.points) if event.points is not None else match.points,
        next_leader=event.next_leader,
        last_hand=event,
    )


def _added(totals: BySeat[int], more: BySeat[int]) -> BySeat[int]:
    return (totals[0] + more[0], totals[1] + more[1], totals[2] + more[2], totals[3] + more[3])


def _match_settled(match: Match, event: MatchSettled) -> Match:
    return replace(match, version=event.version, at=event.at, phase="settled", points=event.points)


def _match_abandoned(match: Match, event: MatchAbandoned) -> Match:
    return replace(match, version=event.version, at=event.at, phase="abandoned", hand=None, next_leader=None)


def _seat_handed_over(match: Match, event: SeatHandedOver) -> Match:
    return replace(
        match, version=event.version, at=event.at, autopilot=replaced(match.autopilot, event.seat, value=True)
    )


def _seat_taken_back(match: Match, event: SeatTakenBack) -> Match:
    return replace(
        match,
        version=event.version,
        at=event.at,
        autopilot=replaced(match.autopilot, event.seat, value=False),
    )


def _match_annulled(match: Match, event: MatchAnnulled) -> Match:
    return replace(match, version=event.version, at=event.at, annulled=True)


def _annulment_lifted(match: Match, event: AnnulmentLifted) -> Match:
    return replace(match, version=event.version, at=event.at, annulled=False)


def _hand_corrected(match: Match, event: HandCorrected) -> Match:
    if not 0 < event.hand_no <= len(match.raw_scores):
        raise ImpossibleEvent(f"hand {event.hand_no} has not ended")
    raw_scores = list(match.raw_scores)
    raw_scores[event.hand_no - 1] = event.raw_scores
    blood, points = match_result(match.ruleset, raw_scores)
    settled = event.match_points if event.match_points is not None else match.points
    return replace(
        match,
        version=event.version,
        at=event.at,
        raw_scores=tuple(raw_scores),
        blood=blood,
        points=settled if match.ruleset.by_blood else points,
        corrected=True,
    )


def match_result(ruleset: Ruleset, raw_scores: Iterable[BySeat[int]]) -> tuple[BySeat[int], BySeat[int]]:
    """The blood, and the sum of each hand's points, after hands with these raw scores (0 in the other family)."""
    blood = points = (0, 0, 0, 0)
    for raw in raw_scores:
        if ruleset.by_blood:
            blood = _added(blood, raw)
        else:
            points = _added(points, hand_points(ruleset, raw))
    return blood, points


Handler: TypeAlias = Callable[[Match, Any], Match]

_HANDLERS: Final[dict[type[Event], Handler]] = {
    PlayerSeated: _player_seated,
    PlayerLeft: _player_left,
    NonceRevealed: _nonce_revealed,
    HandDealt: _hand_dealt,
    CardDeclared: _in_hand(hand.with_declaration),
    DeclarationDone: _in_hand(hand.with_done),
    DeclarationsClosed: _declarations_closed,
    CardsPlayed: _in_hand(hand.with_play),
    TrickTaken: _in_hand(hand.with_trick),
    SeatHandedOver: _seat_handed_over,
    SeatTakenBack: _seat_taken_back,
    HandEnded: _hand_ended,
    MatchSettled: _match_settled,
    MatchAbandoned: _match_abandoned,
    MatchAnnulled: _match_annulled,
    AnnulmentLifted: _annulment_lifted,
    HandCorrected: _hand_corrected,
}
"""What each event after the first does."""
