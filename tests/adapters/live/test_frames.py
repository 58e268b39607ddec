"""Frames: what they hold, and that they tell two worlds apart no sooner than the rules do (P2)."""

import re
from datetime import timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from adapters.live.frames import applied, change, encoded, public_forms, snapshot
from domain.decisions import decide_and_evolve
from domain.duties import duty_of
from domain.events import Event
from domain.match import Match
from domain.rulesets import RULESETS
from domain.seats import SEATS
from domain.visibility import SPECTATOR, Viewer, view
from tests.support.courses import World
from tests.support.services import START
from tests.support.worlds import CASES, Difference, Pair, pairs

_COMMITMENT = re.compile(rb'("commitment":")([0-9a-f]+)')


def unfolded(world: World) -> list[tuple[Match, tuple[Event, ...]]]:
    """The match after each command of a world, and what the command led to."""
    match: Match | None = None
    steps = []
    for number, command in enumerate(world.commands):
        decision = decide_and_evolve(match, command, START + timedelta(seconds=number), world.dealer())
        match = decision.match
        steps.append((match, decision.events))
    return steps


def frames_of(world: World, viewer: Viewer) -> list[bytes]:
    """Every frame that a viewer could be sent: a snapshot and a change at each step, and from the first to the last."""
    steps = unfolded(world)
    sent = []
    for (before, _), (match, events) in pairwise(steps):
        due = duty_of(match, START)
        deadline = due.at if due else None
        sent.append(encoded(snapshot(match, viewer, match.at, deadline)))
        step = change(view(before, viewer), view(match, viewer), public_forms(events), match.at, deadline)
        sent.append(encoded(step))
    first, last = steps[0][0], steps[-1][0]
    missed = public_forms([event for _, events in steps[1:] for event in events])
    sent.append(encoded(change(view(first, viewer), view(last, viewer), missed, last.at, None)))
    return [_COMMITMENT.sub(lambda found: found[1] + b"<%d>" % len(found[2]), frame) for frame in sent]


def unconcerned(pair: Pair) -> list[Viewer]:
    return [SPECTATOR, *(seat for seat in SEATS if seat not in pair.concerned)]


@pytest.mark.parametrize(("ruleset", "difference"), CASES)
def test_two_worlds_give_the_same_frames_to_whoever_may_not_know(
    ruleset: str, difference: Difference
) -> None:
    for pair in pairs(RULESETS[ruleset], difference, 10, seed=4):
        for viewer in unconcerned(pair):
            assert frames_of(pair.first, viewer) == frames_of(pair.second, viewer)


def test_whoever_may_know_is_told() -> None:
    told = [
        frames_of(pair.first, seat) != frames_of(pair.second, seat)
        for pair in pairs(RULESETS["blood-1"], "cards", 5)
        for seat in pair.concerned
    ]
    assert all(told)


def test_changes_one_after_another_lead_where_one_change_does() -> None:
    pair = next(pairs(RULESETS["blood-2"], "cards", 1))
    for viewer in (SPECTATOR, *SEATS):
        frames: list[dict[str, Any]] = [msgspec.json.decode(frame) for frame in frames_of(pair.first, viewer)]
        # Snapshots and changes alternate; the last frame is the change over all of them.
        steps, whole = frames[1:-1:2], frames[-1]
        snapshots = frames[0:-1:2]
        assert [step["number"] for step in steps] == [seen["number"] for seen in snapshots]
        seen = snapshots[0]["view"]
        for step in steps[1:]:
            seen = applied(seen, step["changes"])
        assert seen == snapshots[-1]["view"]
        first = msgspec.json.decode(msgspec.json.encode(view(unfolded(pair.first)[0][0], viewer)))
        assert applied(first, whole["changes"]) == seen
