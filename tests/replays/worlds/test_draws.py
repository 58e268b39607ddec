"""Draws are uniform, deterministic, and never contradict what was seen; the true world is always possible."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace
from scipy.stats import chisquare

from domain.cards import cards_in
from domain.rulesets import RULESETS, Ruleset
from domain.seats import SEATS, replaced
from domain.streams import stream_of
from replays.timeline import Timeline
from replays.worlds import (
    Course,
    InformationSet,
    NoWorld,
    Numbers,
    Sampler,
    World,
    weighed,
    world_of,
)
from replays.worlds.choices import Choice
from tests.replays.matches import recorded_match
from tests.replays.worlds.positions import doubtful_hand
from tests.replays.worlds.test_counts import positions_of

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
P_VALUE: Final = 0.001


def steps_of_hand(timeline: Timeline) -> Iterator[tuple[int, Course, World]]:
    """Each step of the first hand with its course so far and the true world."""
    course = Course(timeline.state(1).ruleset)
    for step in range(timeline.hands[0].first, timeline.hands[0].last):
        course.see(timeline.step(step).event)
        hand = timeline.state(step).hand
        assert hand is not None
        yield step, course, world_of(hand)


@EVERY_RULESET
def test_truth_is_possible_and_no_draw_contradicts_what_was_seen(
    ruleset: Ruleset, request: pytest.FixtureRequest
) -> None:
    for seed in range(60 if request.config.getoption("--long") else 2):
        timeline = doubtful_hand(ruleset, Random(f"truth {ruleset.name} {seed}"))
        for step, course, truth in steps_of_hand(timeline):
            for seat in SEATS:
                information = course.information(seat, truth.hands[seat], truth.face_down[seat])
                assert information.admits(truth), (seed, step, seat)
                for world in Sampler(information).draws(2, Numbers(step)):
                    assert information.admits(world), (seed, step, seat)


@EVERY_RULESET
def test_worlds_of_small_positions_are_equally_likely(ruleset: Ruleset) -> None:
    tried = 0
    for position in positions_of(ruleset, 16, unseen=6):
        sampler = Sampler(position.information)
        if 6 <= sampler.count <= 200:
            drawn = Counter(sampler.draws(4000, Numbers(position.step)))
            seen = [drawn[world] for world in position.every_world()]
            assert sum(seen) == 4000
            assert chisquare(seen).pvalue > P_VALUE
            tried += 1
    assert tried >= 3


@pytest.mark.parametrize("name", ["blood-1", "blood-2", "zero_sum-2"])
def test_cards_of_whole_hands_lie_where_the_counts_say(name: str) -> None:
    timeline = doubtful_hand(RULESETS[name], Random(f"whole {name} 5"))
    for step, course, truth in steps_of_hand(timeline):
        if step % 29 == 0:
            information = course.information(1, truth.hands[1], truth.face_down[1])
            check_owners(information, Numbers(stream_of(12, step)))


def check_owners(information: InformationSet, numbers: Numbers) -> None:
    """Some cards are drawn to each seat as often as the numbers of worlds with them there."""
    sampler = Sampler(information)
    drawn = sampler.draws(2000, numbers)
    for card in list(cards_in(information.unseen))[:: 1 + information.unseen.bit_count() // 5]:
        if any(information.face_down[seat] >> card & 1 for seat in SEATS):
            continue
        counts = [count_with(information, card, seat) for seat in SEATS]
        assert sum(counts) == sampler.count
        seen = [sum(world.hands[seat] >> card & 1 for world in drawn) for seat in SEATS]
        expected = [2000 * count / sampler.count for count in counts]
        pairs = [(s, e) for s, e in zip(seen, expected, strict=True) if e]
        if len(pairs) > 1:
            assert chisquare([s for s, _ in pairs], [e for _, e in pairs]).pvalue > P_VALUE


def count_with(information: InformationSet, card: int, owner: int) -> int:
    """How many worlds have this card at this seat."""
    plain = information.plain
    if not plain[owner] >> card & 1:
        return 0
    for seat in SEATS:
        if seat != owner:
            plain = replaced(plain, seat, plain[seat] & ~(1 << card))
    try:
        return Sampler(replace(information, plain=plain)).count
    except NoWorld:
        return 0


def test_equal_numbers_give_equal_draws() -> None:
    position = positions_of(RULESETS["blood-2"], 1)[0]
    draws = [Sampler(position.information).draws(20, Numbers(seed)) for seed in (7, 7, 8)]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


def test_nothing_is_read_but_what_was_public_then() -> None:
    full = recorded_match("blood-2", 1, hands=1)
    timeline = Timeline(full)
    hidden, told = Course(RULESETS["blood-2"]), Course(RULESETS["blood-2"])
    for step in range(timeline.hands[0].first, timeline.hands[0].last):
        hidden.see(timeline.step(step).event)
        told.see(full[step - 1])
        assert hidden.information("spectator") == told.information("spectator")


# --- choices and numbers -------------------------------------------------------------------------------------------


class Given(Numbers):
    """Numbers as told."""

    def __init__(self, *numbers: int) -> None:
        super().__init__(0)
        self._numbers = list(numbers)

    def next(self) -> int:
        return self._numbers.pop(0)


def test_number_on_a_bound_is_settled_by_the_next() -> None:
    thirds = Choice("abc", (1, 1, 1))
    first = (1 << 64) // 3
    assert thirds.pick(Given(first - 1)) == "a"
    assert thirds.pick(Given(first + 1)) == "b"
    assert thirds.pick(Given(first, first - 1)) == "a"
    assert thirds.pick(Given(first, first + 1)) == "b"
    assert thirds.pick(Given(first, first, 0)) == "a"
    assert Choice("ab", (1, 1)).pick(Given(1 << 63)) == "b"


def test_choice_with_tiny_weights_keeps_their_order() -> None:
    choice = Choice("abc", (1, 1, 10**40))
    assert choice.bounds == (0, 0)
    assert choice.pick(Given(1)) == "c"
    assert choice.pick(Given(0, 0, 0)) == "a"


def test_numbers_below_a_bound_are_uniform() -> None:
    numbers = Numbers(3)
    for bound in (2, 3, 7, 39):
        seen = Counter(numbers.below(bound) for _ in range(400 * bound))
        assert chisquare([seen[place] for place in range(bound)]).pvalue > P_VALUE


def test_numbers_are_those_of_splitmix64() -> None:
    numbers = Numbers(1234567)
    assert [numbers.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


# --- weights -------------------------------------------------------------------------------------------------------


def test_weights_add_up_and_say_what_the_worlds_are_worth() -> None:
    worlds = [World((seat, 0, 0, 0), (0, 0, 0, 0)) for seat in range(4)]
    read = weighed(worlds, lambda world: float(world.hands[0]))
    assert read.weights == pytest.approx((0, 1 / 6, 2 / 6, 3 / 6))
    assert read.effective == pytest.approx(36 / 14)
    counts = Counter(world.hands[0] for world in read.drawn(600, Numbers(1)))
    assert [counts[place] for place in range(4)] == [0, 100, 200, 300]
    assert weighed(worlds, lambda _: 0.0).effective == pytest.approx(4)
