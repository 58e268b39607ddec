"""The review of a hand: every decision with what each choice was worth, and the luck of the deal."""

from collections.abc import Callable, Iterator
from uuid import UUID

import msgspec

from domain.declarations import levels_by_card
from domain.errors import GongzhuError
from domain.events import By, DeclarationsClosed, HandEnded
from domain.seats import BySeat, Seat
from domain.streams import stream_of
from replays.review.decisions import Decision, Kind, decisions_of
from replays.review.estimates import Estimate
from replays.review.judging import Judged, Method, judge
from replays.review.luck import Luck, luck_of
from replays.review.settings import EVALUATOR, ReviewSettings
from replays.review.sizes import COSTLY, Size, points_per_value, size_of, stakes
from replays.timeline import Timeline

KeepGoing = Callable[[], bool]
"""Asked before each decision: whether there is time for it."""
Progress = Callable[[int, int], None]
"""Told after each decision: how many of how many are done."""


class HandNotEnded(GongzhuError):
    """A hand that was not played to its end has no result, and is not reviewed."""


class Stopped(GongzhuError):
    """A review ran out of time; what was done of it is not kept."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a player could do: its worth, and its cost against the best, in points of value.

    `known`: by what he knew. `shown`: with all cards shown, against the best so.
    """

    label: str
    known: Estimate
    known_cost: Estimate
    shown: Estimate
    shown_cost: Estimate


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """One decision reviewed: what was chosen, what was best, and how big the cost was, by what the player knew.

    `choices` stand in order of what they were worth so. `method`: hands were played out by a plain rule, or their ends
    worked out exactly, every seat playing its best with all cards shown. `worlds` says out of how many (as text, for it
    can be huge) those tried were drawn.
    """

    kind: Kind
    step: int
    seat: Seat
    by: By
    trick_no: int | None
    card: str | None
    chosen: str
    best: str
    best_shown: str
    size: Size
    choices: tuple[Choice, ...]
    method: Method
    worlds: str

    @property
    def made(self) -> Choice:
        """The choice that was made."""
        return next(choice for choice in self.choices if choice.label == self.chosen)

    @property
    def costly(self) -> bool:
        """Whether it was an inaccuracy or worse."""
        return self.size in COSTLY


class HandReview(msgspec.Struct, frozen=True, kw_only=True):
    """A hand reviewed. `at_stake` is what sizes are shares of; `points_per_value` as in `sizes`."""

    evaluator: str
    settings: ReviewSettings
    match: UUID
    hand_no: int
    ruleset: str
    players: BySeat[UUID]
    at_stake: int
    points_per_value: float | None
    luck: tuple[Luck, ...]
    decisions: tuple[Reviewed, ...]


def review_hand(
    timeline: Timeline,
    hand_no: int,
    settings: ReviewSettings,
    *,
    keep_going: KeepGoing = lambda: True,
    progress: Progress = lambda _done, _of: None,
) -> HandReview:
    """The review of a hand that has ended; the same settings give the same review.

    Raises `NoSuchStep`, `HandNotEnded`, and `Stopped` once `keep_going` says no.
    """
    ended, closed = _ends_of(timeline, hand_no)
    state = timeline.state(closed)
    assert state.hand is not None
    at_stake = stakes(state.ruleset, levels_by_card(state.hand.declarations))
    decisions = list(decisions_of(timeline, hand_no))
    reviewed = []
    for done, decision in enumerate(decisions):
        if not keep_going():
            raise Stopped(
                f"the review of hand {hand_no} ran out of time at decision {done + 1} of {len(decisions)}"
            )
        reviewed.append(review_decision(decision, at_stake, settings))
        progress(done + 1, len(decisions))
    return HandReview(
        evaluator=EVALUATOR,
        settings=settings,
        match=ended.match,
        hand_no=hand_no,
        ruleset=state.ruleset.name,
        players=ended.players,
        at_stake=at_stake,
        points_per_value=points_per_value(state.ruleset),
        luck=luck_of(state, ended, settings.playouts, stream_of(settings.seed, ended.version)),
        decisions=tuple(reviewed),
    )


def _ends_of(timeline: Timeline, hand_no: int) -> tuple[HandEnded, int]:
    """The end of a hand, and the step that closed its declarations."""
    first = timeline.step_of(hand_no)
    last = next(hand.last for hand in timeline.hands if hand.number == hand_no)
    closed = 0
    for step in range(first, min(last + 1, len(timeline)) + 1):
        event = timeline.step(step).event
        if isinstance(event, DeclarationsClosed):
            closed = step
        elif isinstance(event, HandEnded) and event.hand_no == hand_no:
            return event, closed
    raise HandNotEnded(
        f"hand {hand_no} has not been played to its end; hands are reviewed when they have ended"
    )


def review_decision(decision: Decision, at_stake: int, settings: ReviewSettings) -> Reviewed:
    """One decision reviewed."""
    stream = stream_of(settings.seed, decision.step, decision.seat, decision.truth.hands[decision.seat])
    judged = judge(
        decision.seat,
        decision.options,
        decision.chosen,
        decision.information,
        decision.truth,
        settings,
        stream,
    )
    cost = judged.costs[decision.chosen]
    forced = len(decision.options) == 1
    return Reviewed(
        kind=decision.kind,
        step=decision.step,
        seat=decision.seat,
        by=decision.by,
        trick_no=decision.trick_no,
        card=decision.card,
        chosen=decision.labels[decision.chosen],
        best=decision.labels[judged.best],
        best_shown=decision.labels[judged.best_of_all],
        size="forced" if forced else size_of(cost, at_stake, settings.worlds),
        choices=tuple(_choices(decision, judged)),
        method=judged.method,
        worlds=str(judged.possible),
    )


def _choices(decision: Decision, judged: Judged) -> Iterator[Choice]:
    order = sorted(range(len(decision.options)), key=lambda place: (-judged.known[place].mean, place))
    for place in order:
        yield Choice(
            label=decision.labels[place],
            known=judged.known[place],
            known_cost=judged.costs[place],
            shown=judged.of_all[place],
            shown_cost=judged.costs_of_all[place],
        )
