"""Compiled draws are the sampler's own, world for world and number for number."""

from random import Random

import pytest

from domain.rulesets import RULESETS, Ruleset
from domain.streams import GOLDEN, MIX_FIRST, MIX_SECOND, WORD
from replays.timeline import Timeline
from replays.worlds import Numbers, Sampler, draw_worlds, information_at
from tests.replays.worlds.positions import KNOWERS, Position, doubtful_hand
from tests.replays.worlds.test_counts import positions_of

fast = pytest.importorskip("replays.worlds.fast", reason="needs numba", exc_type=ImportError)

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))


def state_before(number: int) -> int:
    """The state of numbers whose next is this one."""
    state = _unshifted(number, 31) * pow(MIX_SECOND, -1, 1 << 64) & WORD
    state = _unshifted(state, 27) * pow(MIX_FIRST, -1, 1 << 64) & WORD
    return _unshifted(state, 30) - GOLDEN & WORD


def _unshifted(number: int, by: int) -> int:
    """The number of which this is `x ^ x >> by`."""
    found = number
    for _ in range(64 // by + 1):
        found = number ^ found >> by
    return found


def steps_and_knowers(timeline: Timeline, random: Random, times: int) -> list[Position]:
    hand = timeline.hands[0]
    return [
        Position(timeline, random.randrange(hand.first, hand.last), random.choice(KNOWERS[:4]))
        for _ in range(times)
    ]


@EVERY_RULESET
def test_compiled_draws_are_those_of_the_sampler(ruleset: Ruleset, request: pytest.FixtureRequest) -> None:
    for seed in range(20 if request.config.getoption("--long") else 2):
        random = Random(f"fast {ruleset.name} {seed}")
        for position in steps_and_knowers(doubtful_hand(ruleset, random), random, 12):
            sampler = Sampler(information_at(*position))
            slow, quick = Numbers(seed), Numbers(seed)
            assert list(fast.FastSampler(sampler).draws(25, quick)) == sampler.draws(25, slow), position[1:]
            assert quick.state == slow.state


def test_number_on_a_bound_is_left_to_the_sampler() -> None:
    tried = 0
    for position in positions_of(RULESETS["blood-2"], 40):
        sampler = Sampler(position.information)
        if len(sampler.cases.things) > 1:
            slow, quick = (Numbers(state_before(sampler.cases.bounds[0])) for _ in range(2))
            assert list(fast.FastSampler(sampler).draws(3, quick)) == sampler.draws(3, slow)
            assert quick.state == slow.state
            tried += 1
    assert tried


def test_state_before_a_number_is_found() -> None:
    for number in (0, 1, 1 << 63, 12345678901234567):
        assert Numbers(state_before(number)).next() == number


def test_worlds_are_the_same_with_and_without_numba() -> None:
    sampler = Sampler(positions_of(RULESETS["zero_sum-2"], 1)[0].information)
    rows = draw_worlds(sampler, 100, Numbers(5), compiled=True)
    assert isinstance(rows, fast.WorldRows)
    assert list(rows) == draw_worlds(sampler, 100, Numbers(5), compiled=False)
    assert list(rows[10:12]) == [rows[10], rows[11]]
    assert isinstance(draw_worlds(sampler, 10, Numbers(5)), list)
