"""Playouts behind an evaluation: by the rules, the same for the same seed, whatever is asked for beside them."""

import statistics
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from msgspec.structs import replace

from domain.declarations import levels_by_card
from domain.playouts import random_hands
from domain.rulesets import Ruleset, ruleset_named
from replays.rollouts import (
    CHANCE,
    RULE,
    NoPlayThere,
    PlayNotHeld,
    Policy,
    Position,
    evaluate,
    position_of,
    value_of,
)
from replays.worlds import World, world_of
from tests.replays.rollouts.hands_both_ways import KERNELS
from tests.support.random_play import random_match
from tests.support.strategies import rulesets, seeds

NOTHING = (0, 0, 0, 0)
ROOT = Path(__file__).parents[3]


def _worlds(ruleset: Ruleset, number: int) -> list[World]:
    random = Random(4)
    return [World(random_hands(ruleset.decks, random), NOTHING) for _ in range(number)]


@pytest.mark.parametrize("policy", [CHANCE, RULE, replace(RULE, slips=64)])
@pytest.mark.parametrize("name", ["blood-1", "zero_sum-2-partners"])
def test_outcome_of_a_world_does_not_depend_on_what_is_asked_beside_it(name: str, policy: Policy) -> None:
    ruleset = ruleset_named(name)
    position, worlds = Position(ruleset=ruleset, leader=1), _worlds(ruleset, 6)
    plays = [1 << card for card in range(128) if all(world.hands[1] >> card & 1 for world in worlds[:1])][:3]
    worlds = [worlds[0]] * 6
    whole = evaluate(position, worlds, plays, seed=5, policy=policy, rollouts=2)
    later = evaluate(position, worlds[4:], plays[::-1], seed=5, policy=policy, rollouts=2, first_world=4)
    assert [[whole.raw(world, play) for play in (0, 1, 2)] for world in (4, 5)] == [
        [later.raw(world, play) for play in (2, 1, 0)] for world in (0, 1)
    ]
    assert whole.sums != evaluate(position, worlds, plays, seed=6, policy=policy, rollouts=2).sums


@given(rulesets, seeds)
def test_last_play_of_a_real_hand_comes_to_its_recorded_scores(ruleset: Ruleset, seed: int) -> None:
    steps = list(random_match(ruleset, Random(seed), hands=1))
    last = steps[-1].after.last_hand
    assert last is not None
    for step in steps[-5:]:
        match = step.before
        if match is None or match.phase != "playing" or match.hand is None:
            continue
        position, world = position_of(match), world_of(match.hand)
        assert position.levels_in(world) == levels_by_card(match.hand.declarations)
        assert position.held_in(world) == match.hand.held
        if sum(world.hands).bit_count() > 4 * len(position.plays[:1] or (0,)):
            continue
        for policy in (CHANCE, RULE):
            outcomes = evaluate(position, [world], [0], seed=seed, policy=policy)
            assert outcomes.raw(0, 0) == last.raw_scores


def test_value_is_own_score_less_the_others_mean_or_own_side_less_the_other() -> None:
    assert value_of(ruleset_named("blood-1"), (-120, -280, 0, 160), 3) == 160 + 400 / 3
    assert value_of(ruleset_named("blood-1-partners"), (-190, 50, -10, 0), 2) == -250


@pytest.mark.parametrize("compiled", KERNELS)
def test_play_that_is_not_held_in_a_world_is_refused(compiled: bool) -> None:
    ruleset = ruleset_named("blood-1")
    worlds = _worlds(ruleset, 1)
    with pytest.raises(PlayNotHeld, match="does not hold"):
        evaluate(
            Position(ruleset=ruleset, leader=0),
            worlds,
            [worlds[0].hands[1] & -worlds[0].hands[1]],
            seed=1,
            compiled=compiled,
        )


def test_position_of_a_match_that_is_between_hands_is_refused() -> None:
    (*_, last) = random_match(ruleset_named("zero_sum-1"), Random(1), hands=1)
    with pytest.raises(NoPlayThere):
        position_of(last.after)


@pytest.mark.parametrize("name", ["blood-1", "zero_sum-2"])
def test_worlds_in_arrays_come_to_the_same(name: str) -> None:
    fast = pytest.importorskip("replays.worlds.fast")
    ruleset = ruleset_named(name)
    worlds = _worlds(ruleset, 5)
    hands, face_down = pytest.importorskip("replays.rollouts.fast").rows_of(worlds)
    rows = fast.WorldRows(hands, face_down)
    position = Position(ruleset=ruleset, leader=None, opens_match=True)
    for compiled in KERNELS:
        found = [evaluate(position, given, [0], seed=3, compiled=compiled).sums for given in (worlds, rows)]
        assert found[0] == found[1] == evaluate(position, worlds, [0], seed=3, compiled=False).sums


@pytest.mark.parametrize("name", ["zero_sum-1", "blood-2-partners"])
def test_expected_values_are_means_over_the_worlds_with_their_errors(name: str) -> None:
    ruleset = ruleset_named(name)
    outcomes = evaluate(Position(ruleset=ruleset, leader=0), _worlds(ruleset, 9), [0, 0], seed=2, rollouts=2)
    for seat in range(4):
        for play, (mean, error) in enumerate(outcomes.expected(seat)):
            values = [row[play] for row in outcomes.values(seat)]
            assert mean == pytest.approx(statistics.mean(values))
            assert error == pytest.approx(statistics.stdev(values) / 3)


def test_everything_works_without_numba_and_says_so_where_it_is_asked_for() -> None:
    """In a process of its own, where numba cannot be imported."""
    code = """
import sys
sys.modules["numba"] = None
from random import Random
from domain.playouts import random_hands
from domain.rulesets import ruleset_named
from replays.rollouts import NotCompiled, Position, evaluate, exact_ending
from replays.worlds import World
position = Position(ruleset=ruleset_named("blood-1"), leader=0)
worlds = [World(random_hands(1, Random(1)), (0, 0, 0, 0))] * 3
print(list(evaluate(position, worlds, [0], seed=1, rollouts=300).sums[:4]))
last = World((1, 2, 4, 8), (0, 0, 0, 0))
print(exact_ending(position, last).raw)
for asked in (lambda: evaluate(position, worlds, [0], seed=1, compiled=True),
              lambda: exact_ending(position, last, compiled=True)):
    try:
        asked()
    except NotCompiled as refusal:
        print(refusal)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    sums, raw, *refusals = done.stdout.splitlines()
    position = Position(ruleset=ruleset_named("blood-1"), leader=0)
    hands = World(random_hands(1, Random(1)), NOTHING)
    assert sums == str(list(evaluate(position, [hands], [0], seed=1, rollouts=300).sums))
    assert raw == "((0, 0, 0, 0),)"
    assert len(refusals) == 2
    assert all("gongzhu[fast]" in refusal for refusal in refusals)
