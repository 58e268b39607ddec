"""What a match answers to a command: the events it leads to, or a refusal (rules.md §3–§8, design §3).

Decisions are pure: the time, the randomness and the keys come in with the command. One command's events belong
together and are appended together: the last seat filled brings the deal, the last `done` the first lead, the last
card the scores and perhaps the settlement. Each module here answers the commands of one stretch of a match.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from domain import commands
from domain.decisions import dealing, declaring, ending, integrity, playing, seating
from domain.decisions.story import Dealer, Story
from domain.events import Event
from domain.match import Match


class Decision(NamedTuple):
    """The events a command leads to, and the match after them."""

    events: tuple[Event, ...]
    match: Match


def decide(match: Match | None, command: commands.Command, at: datetime) -> tuple[Event, ...]:
    """The events that follow from a command. Raises a `CommandRefused`; then nothing has changed."""
    return decide_and_evolve(match, command, at).events


def decide_and_evolve(
    match: Match | None, command: commands.Command, at: datetime, dealer: Dealer = dealing.chain_deal
) -> Decision:
    """`decide`, with the match after the events. Time never goes back: an earlier `at` counts as the last event's.

    `dealer` gives the deals: the match's own chain of seeds, or what a record says was dealt.
    """
    story = Story(match, at if match is None else max(at, match.at), dealer)
    _DECIDERS[type(command)](story, command)
    return Decision(tuple(story.events), story.match)


Decider: TypeAlias = Callable[[Story, Any], None]

_DECIDERS: Final[dict[type[commands.Command], Decider]] = {
    commands.OpenMatch: seating.open_match,
    commands.TakeSeat: seating.take_seat,
    commands.LeaveSeat: seating.leave_seat,
    commands.RevealNonce: seating.reveal_nonce,
    commands.DealHand: dealing.deal_hand,
    commands.DealRecordedHand: dealing.deal_recorded_hand,
    commands.DeclareCard: declaring.declare_card,
    commands.SayDone: declaring.say_done,
    commands.CloseDeclarations: declaring.close_declarations,
    commands.PlayCards: playing.play_cards,
    commands.HandOverSeat: ending.hand_over_seat,
    commands.TakeBackSeat: ending.take_back_seat,
    commands.AbandonMatch: ending.abandon_match,
    commands.AnnulMatch: integrity.annul_match,
    commands.LiftAnnulment: integrity.lift_annulment,
    commands.CorrectHand: integrity.correct_hand,
}
"""What answers each command."""
