"""The decisions of cited hands for people to judge: what the player knew, what he might have played, what spoke for it.

Decisions that fit the true cards and decisions that do not stand side by side: a case is both or it is nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Literal
from uuid import UUID

import msgspec

from domain.cards import cards_in, names_of
from domain.events import CardsPlayed, Event
from domain.seats import Seat
from replays.investigation.battery import Deal, Decision, decision_of, finished_deals
from replays.investigation.evaluators import Evaluator
from replays.investigation.moments import Moment, moments_of
from replays.knowledge import KnowledgeTold, knowledge_at, told
from replays.timeline import Timeline

Side = Literal["for", "against", "neither"]
_CLEAR = 0.25


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """A legal play: what it is worth to the player on average by what he knew, and with the cards as they lay."""

    cards: tuple[str, ...]
    expected: float
    true: float
    played: bool


class CaseDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a player in a case. `side`: for the suspicion, against it, or neither."""

    match: UUID
    hand_no: int
    step: int
    trick_no: int
    seat: Seat
    player: UUID
    think_ms: int
    rank: float
    side: Side
    options: tuple[Option, ...]
    knew: KnowledgeTold


def case_decisions(
    events: Sequence[Event], players: Sequence[UUID], evaluator: Evaluator
) -> Iterator[CaseDecision]:
    """Every choice that these players made in the finished hands of a match."""
    timeline = Timeline(events)
    for deal, ended in finished_deals(timeline):
        for moment in moments_of(timeline, ended.hand_no):
            if moment.played and moment.own and ended.players[moment.seat] in players:
                found = decision_of(deal, moment, evaluator, directed=False)
                if found is not None:
                    yield _told(timeline, deal, moment, found)


def _told(timeline: Timeline, deal: Deal, moment: Moment, found: Decision) -> CaseDecision:
    step = timeline.step_of(deal.hand_no) + moment.step
    event = timeline.step(step).event
    assert isinstance(event, CardsPlayed), "a moment of a play is one step before it"
    decks = moment.position.ruleset.decks
    options = [
        Option(
            cards=names_of(cards_in(cards), decks), expected=expected, true=true, played=place == found.chosen
        )
        for place, (cards, expected, true) in enumerate(
            zip(found.plays, found.expected, found.true, strict=True)
        )
    ]
    return CaseDecision(
        match=deal.match,
        hand_no=deal.hand_no,
        step=step,
        trick_no=event.trick_no,
        seat=moment.seat,
        player=deal.players[moment.seat],
        think_ms=event.think_ms,
        rank=found.rank,
        side="for" if found.rank >= _CLEAR else "against" if found.rank <= -_CLEAR else "neither",
        options=tuple(sorted(options, key=lambda option: -option.expected)),
        knew=told(knowledge_at(timeline, step - 1, moment.seat)),
    )
