"""Whichever way one comes to a step of a match, it is the same: stepping forwards, back, or jumping there.

What is stepped through is folded event by event from what the match service held, secrets included; what is jumped to
is made from public events alone.
"""

from itertools import count
from random import Random

import pytest
from msgspec.structs import replace

from domain.events import Event, HandEnded, public_form
from domain.match import Match, evolve
from domain.rulesets import RULESETS, Ruleset
from domain.seats import SEATS
from domain.visibility import EVERYTHING, SPECTATOR, Viewer, view
from replays.captions import caption
from replays.timeline import CardsNotPublic, Timeline
from tests.support.random_play import random_events

VIEWERS: tuple[Viewer, ...] = (*SEATS, SPECTATOR, EVERYTHING)
LONG = 1_000 // len(RULESETS)
"""Hands of each ruleset played by `--long`: 1,000 over all of them."""


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_step_of_a_hand_is_the_same_however_one_comes_to_it(ruleset: Ruleset) -> None:
    _compare(ruleset, 1)


@pytest.mark.long
@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
def test_every_step_of_a_thousand_hands_is_the_same_however_one_comes_to_it(ruleset: Ruleset) -> None:
    hands, seeds = 0, count(2)
    while hands < LONG:
        hands += _compare(ruleset, next(seeds))


def _compare(ruleset: Ruleset, seed: int) -> int:
    """Compares a match of two hands, whole and cut in its last one; gives how many hands were compared to their end."""
    chance = Random(f"{ruleset.name} {seed} steps")
    events: list[Event] = []
    while sum(isinstance(event, HandEnded) for event in events) != 2:
        events = random_events(ruleset, chance, hands=2)
    stepped: list[Match] = []
    for event in events:
        stepped.append(replace(evolve(stepped[-1] if stepped else None, event), root=None))
    _compare_ways(events, stepped, chance)
    _compare_unfinished(events, chance)
    return 2


def _compare_ways(events: list[Event], stepped: list[Match], chance: Random) -> None:
    """Every step and every viewer, in order, against it, and in any order, on timelines of their own."""
    numbers = list(range(1, len(events) + 1))
    forwards, back, jumping = (Timeline([public_form(event) for event in events]) for _ in range(3))
    assert [step.number for step in forwards] == numbers
    assert [step.number for step in reversed(back)] == numbers[::-1]
    for timeline, order in (
        (forwards, numbers),
        (back, numbers[::-1]),
        (jumping, chance.sample(numbers, k=len(numbers))),
    ):
        for number in order:
            match = stepped[number - 1]
            assert timeline.state(number) == match
            assert timeline.step(number).event == public_form(events[number - 1])
            assert timeline.step(number).caption == caption(public_form(events[number - 1]))
    for number in chance.sample(numbers, k=len(numbers)):
        for viewer in VIEWERS:
            assert jumping.view(number, viewer) == view(stepped[number - 1], viewer)


def _compare_unfinished(events: list[Event], chance: Random) -> None:
    """Of a match cut in its last hand: the spectator sees what he saw live, and nobody sees a card of that hand."""
    ended = [index for index, event in enumerate(events) if isinstance(event, HandEnded)]
    cut = events[: chance.randrange(ended[0] + 2, ended[1] + 1)]
    given = cut if chance.random() < 0.5 else [public_form(event) for event in cut]
    timeline = Timeline(given)
    match: Match | None = None
    for number, event in enumerate(cut, 1):
        match = evolve(match, public_form(event))
        if number <= ended[0]:
            continue
        assert timeline.view(number, SPECTATOR) == view(match, SPECTATOR)
        for viewer in (*SEATS, EVERYTHING):
            if match.hand is None:
                timeline.view(number, viewer)
            else:
                with pytest.raises(CardsNotPublic):
                    timeline.view(number, viewer)
