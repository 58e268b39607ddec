"""Recorded hands asked of our rules: an imported match into which given deals, declarations and plays are put.

Every step goes through `decide`, so what comes out is what live play would have come to. The first step that the
rules refuse is named; what was before it stands.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import msgspec

from domain import commands
from domain.cards import SCORING, parse_card
from domain.dealing import Deal
from domain.decisions import Decision, decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.declarations import OPENING_BYTES
from domain.errors import CommandRefused, GongzhuError
from domain.events import Event, HandEnded, TrickTaken
from domain.match import Match
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, BySeat, Seat
from domain.secret import Secret

BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of what is played only to be checked."""
NOBODYS_MATCH: Final = UUID(int=0)
_PLAYERS: Final = tuple(UUID(int=seat + 1) for seat in SEATS)
_NO_OPENING: Final = Secret(bytes(OPENING_BYTES))


class RecordRefused(GongzhuError):
    """The rules do not admit a step of a record. `step` names its field: `deal`, `declared.HA`, `plays[3]`."""

    def __init__(self, step: str, problem: str) -> None:
        self.step = step
        self.problem = problem
        super().__init__(f"{step}: {problem}")


class RecordedHand(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of one hand. `leader` is None where the rules name him; `declared` is by card text."""

    deal: Deal
    plays: tuple[tuple[Seat, tuple[str, ...]], ...]
    declared: dict[str, Level]
    leader: Seat | None = None


class PlayedHand(msgspec.Struct, frozen=True, kw_only=True):
    """What our rules made of a recorded hand.

    `legal_counts` has one number a play, counted before it; `tricks` the takers in order; `taken` each seat's scoring
    cards in the order taken; `match` is the match after the hand and, where it ended, its settlement.
    """

    leader: Seat
    legal_counts: tuple[int, ...]
    tricks: tuple[Seat, ...]
    taken: BySeat[tuple[str, ...]]
    ended: HandEnded
    match: Match


def imported_table(ruleset: Ruleset, hands_agreed: int | None) -> Match:
    """An imported match with four seated players, ready for its first recorded hand. Raises `WrongTerms`."""
    opening = commands.OpenMatch(
        match=NOBODYS_MATCH, ruleset=ruleset, hands_agreed=hands_agreed, origin="imported"
    )
    match = decide_and_evolve(None, opening, BEGINNING).match
    for seat, player in enumerate(_PLAYERS):
        match = decide_and_evolve(match, commands.TakeSeat(seat=seat, player=player), BEGINNING).match
    return match


def play_recorded(match: Match, record: RecordedHand) -> PlayedHand:
    """The recorded hand played to its end in this match. Raises `RecordRefused` at the first step not admitted."""
    match = _declared(_dealt(match, record), record)
    if match.hand is None or match.hand.leader is None:
        raise RecordRefused("deal", "nobody leads")
    leader, counts, events = match.hand.leader, [], list[Event]()
    for index, (seat, cards) in enumerate(record.plays):
        counts.append(_legal_count(match))
        play = commands.PlayCards(seat=seat, cards=cards)
        decision = _asked(match, play, f"plays[{index}]")
        match = decision.match
        events += decision.events
    ended = next((event for event in events if isinstance(event, HandEnded)), None)
    if ended is None:
        raise RecordRefused("plays", f"the hand is not over after {len(record.plays)} plays")
    tricks = [event for event in events if isinstance(event, TrickTaken)]
    return PlayedHand(
        leader=leader,
        legal_counts=tuple(counts),
        tricks=tuple(trick.seat for trick in tricks),
        taken=_taken(tricks, match.ruleset.decks),
        ended=ended,
        match=match,
    )


def _asked(match: Match, command: commands.Command, step: str) -> Decision:
    try:
        return decide_and_evolve(match, command, BEGINNING)
    except CommandRefused as refusal:
        raise RecordRefused(step, f"{refusal.reason}: {refusal}") from refusal


def _dealt(match: Match, record: RecordedHand) -> Match:
    return _asked(match, commands.DealRecordedHand(deal=record.deal, leader=record.leader), "deal").match


def _declared(match: Match, record: RecordedHand) -> Match:
    """The match once everything is declared and the window is closed."""
    for card, level in record.declared.items():
        opening = _NO_OPENING if level == "hidden" else None
        command = commands.DeclareCard(seat=_holder(match, card), card=card, level=level, opening=opening)
        match = _asked(match, command, f"declared.{card}").match
    for seat in SEATS:
        match = _asked(match, commands.SayDone(seat=seat), "declared").match
    return match


def _holder(match: Match, card: str) -> Seat:
    try:
        wanted = parse_card(card, match.ruleset.decks)
    except CommandRefused as refusal:
        raise RecordRefused(f"declared.{card}", str(refusal)) from refusal
    holdings = match.hand.holdings if match.hand else None
    return next(seat for seat in SEATS if holdings is not None and holdings[seat] >> wanted & 1)


def _legal_count(match: Match) -> int:
    """How many plays the seat to move has; 0 once the hand is over."""
    if match.hand is None or match.hand.turn is None:
        return 0
    return len(legal_plays(match.ruleset, match.hand, match.hand.turn))


def _taken(tricks: list[TrickTaken], decks: int) -> BySeat[tuple[str, ...]]:
    def of(seat: Seat) -> Iterator[str]:
        for trick in tricks:
            if trick.seat == seat:
                yield from (card for card in trick.cards if SCORING >> parse_card(card, decks) & 1)

    first, second, third, fourth = (tuple(of(seat)) for seat in SEATS)
    return (first, second, third, fourth)
