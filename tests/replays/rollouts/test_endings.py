"""Exact endings are what the plainest search finds: no memory, nothing left out."""

from random import Random

import pytest

from domain.cards import parse_cards, set_of
from domain.playouts import random_hands
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from domain.tariff import tariff_of
from replays.rollouts import Position, TooLong, exact_ending
from replays.worlds import World
from tests.replays.rollouts.hands_both_ways import KERNELS
from tests.replays.rollouts.small_endings import NOTHING_DOWN, plainly_searched, small_ending

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=lambda ruleset: ruleset.name)


@each_ruleset
def test_exact_ending_is_what_the_plainest_search_finds(ruleset: Ruleset) -> None:
    for number in range(25):
        position, world = small_ending(ruleset, Random(number), 2 if number % 5 else 3)
        tariff = tariff_of(ruleset, position.levels_in(world))
        leader, held = position.leader_in(world), position.held_in(world)
        best, ends = plainly_searched(
            ruleset, tariff, world.hands, position.taken, leader, position.plays, held
        )
        for compiled in KERNELS:
            found = exact_ending(position, world, compiled=compiled)
            assert list(zip(found.plays, found.raw, strict=True)) == ends, (number, compiled)
            assert found.raw[found.best] == best


@each_ruleset
def test_compiled_search_finds_what_the_pure_one_does_in_longer_endings(ruleset: Ruleset) -> None:
    pytest.importorskip("numba")
    for number in range(6):
        position, world = small_ending(ruleset, Random(100 + number), 4)
        found = [exact_ending(position, world, compiled=compiled) for compiled in (False, True)]
        assert found[0] == found[1]


def test_seat_keeps_the_pig_off_itself_and_others_know_it() -> None:
    """Seat 0 leads ♠2 or ♠A, and seat 1 must follow with the pig: it keeps it, or it falls on the ace."""
    ruleset = ruleset_named("blood-1")
    names = ("S2 SA", "SQ D9", "S3 D3", "S4 D4")
    first, second, third, fourth = (set_of(parse_cards(hand.split(), 1)) for hand in names)
    position = Position(ruleset=ruleset, leader=0)
    found = exact_ending(position, World((first, second, third, fourth), NOTHING_DOWN), compiled=False)
    low, high = found.raw
    assert low == (0, -100, 0, 0)
    assert high == (-100, 0, 0, 0)
    assert (found.best, found.seat) == (0, 0)
    assert found.value(0, 0) == 100 / 3


def test_ending_with_too_many_cards_is_refused() -> None:
    world = World(random_hands(1, Random(1)), NOTHING_DOWN)
    with pytest.raises(TooLong, match="13 cards"):
        exact_ending(Position(ruleset=ruleset_named("blood-1"), leader=0), world)
