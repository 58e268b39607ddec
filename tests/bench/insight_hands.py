"""Hands and endings for the insight benchmark, and what reviewing one and testing one cost."""

import time
from collections.abc import Iterator
from random import Random
from statistics import median
from uuid import UUID

from domain.cards import SUIT_CARDS, Cards
from domain.playouts import Table, play_trick, random_hands
from domain.rulesets import Ruleset, ruleset_named
from domain.seats import SEATS, BySeat
from replays.investigation.battery import Deal, scores_of
from replays.investigation.evaluators import Evaluator
from replays.investigation.simulation import TYPES, simulate
from replays.review.hands import review_hand
from replays.review.settings import ReviewSettings
from replays.rollouts import RULE, Position
from replays.rollouts.rule_player import rule_chooser
from replays.timeline import Timeline
from replays.worlds import World
from tests.support.random_play import random_events

HANDS = 3


def endings(ruleset: Ruleset, tricks: int, number: int) -> Iterator[tuple[Position, World]]:
    """Hands played by rule until so many cards are left in each hand."""
    random, chooser, found = Random(tricks), rule_chooser(ruleset, RULE), 0
    while found < number:
        table = Table(random_hands(ruleset.decks, random), random.randrange(4), stream=random.getrandbits(64))
        while table.hands[0].bit_count() > tricks:
            play_trick(ruleset, table, chooser)
        if table.hands[0].bit_count() == tricks:  # a pair may have skipped it
            found += 1
            position = Position(
                ruleset=ruleset, leader=table.leader, suits_led=sum(SUIT_CARDS), taken=_by_seat(table.taken)
            )
            yield position, World(_by_seat(table.hands), (0, 0, 0, 0))


def _by_seat(sets: list[Cards]) -> BySeat[Cards]:
    return (sets[0], sets[1], sets[2], sets[3])


def review_of_a_hand() -> dict[str, float]:
    """Seconds for the review of a hand of one deck, at 1,000 worlds a decision."""
    spent = []
    for seed in range(HANDS):
        timeline = Timeline(random_events(ruleset_named("zero_sum-1"), Random(seed), hands=1))
        begun = time.perf_counter()
        review_hand(timeline, 1, ReviewSettings())
        spent.append(time.perf_counter() - begun)
    return {"hand_reviewed_s": median(spent)}


def battery_of_a_hand() -> dict[str, float]:
    """Seconds for all tests of one hand's four players, and for the rank test alone."""
    figures = {}
    players = (UUID(int=1), UUID(int=2), UUID(int=3), UUID(int=4))
    deals = [
        simulate(ruleset_named("zero_sum-1"), (TYPES["plain"],) * 4, 1, number) for number in range(HANDS)
    ]
    for name, directed in (("battery_of_a_hand_s", True), ("rank_test_of_a_hand_s", False)):
        spent = []
        for deal in deals:
            begun = time.perf_counter()
            named = Deal(UUID(int=deal.number), 1, "zero_sum-1", players)
            scores_of(named, deal.moments, Evaluator(), SEATS, directed=directed)
            spent.append(time.perf_counter() - begun)
        figures[name] = median(spent)
    begun = time.perf_counter()
    simulate(ruleset_named("zero_sum-1"), (TYPES["strong"],) * 4, 1, HANDS)
    return figures | {"strong_deal_simulated_s": time.perf_counter() - begun}
