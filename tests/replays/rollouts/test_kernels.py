"""The kernels of playouts agree with live play, and with each other bit for bit."""

from random import Random

import pytest

from domain.rulesets import RULESETS, Ruleset
from replays.rollouts import evaluate, position_of
from replays.worlds import World, world_of
from tests.replays.rollouts.hands_both_ways import POLICIES, begun_hand, compare_a_hand

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=lambda ruleset: ruleset.name)


@each_ruleset
def test_kernels_play_and_score_as_decided(ruleset: Ruleset) -> None:
    for number in range(500):
        compare_a_hand(ruleset, Random(number))


@pytest.mark.long
@each_ruleset
def test_kernels_play_and_score_as_decided_many_times(ruleset: Ruleset) -> None:
    for number in range(10_000):
        compare_a_hand(ruleset, Random(10_000 + number))


@each_ruleset
def test_compiled_playouts_are_the_pure_ones_bit_for_bit(ruleset: Ruleset) -> None:
    pytest.importorskip("numba")
    for number in range(25):
        random = Random(number)
        table = begun_hand(ruleset, random)
        position, world = position_of(table.match), world_of(table.hand)
        legal = position.legal_plays(world)
        plays = random.sample(legal, k=min(4, len(legal)))
        worlds = [world, World(world.hands, (0, 0, 0, 0))]
        for policy in POLICIES:
            pure, compiled = [
                evaluate(
                    position,
                    worlds,
                    plays,
                    seed=number,
                    policy=policy,
                    rollouts=2,
                    first_world=3,
                    compiled=kernel,
                )
                for kernel in (False, True)
            ]
            assert pure.sums == compiled.sums
