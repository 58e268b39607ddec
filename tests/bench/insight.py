"""What reviews and investigations cost: playouts, a decision, a hand, exact endings; beside OpenSpiel's hearts.

Playouts are whole hands of one deck, dealt beforehand, played at random and scored, on one core: ours in Python and
compiled, OpenSpiel's hearts driven from Python. `rule` playouts are those that reviews are made of. A decision is a
first lead with all 13 plays in 1,000 worlds, the most there is to judge. The battery is every test of investigation.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any

from domain.playouts import random_hands
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from replays.rollouts import CHANCE, RULE, Policy, Position, evaluate, exact_ending
from replays.rollouts.evaluation import compiled_kernel
from replays.worlds import World
from tests.bench.insight_hands import battery_of_a_hand, endings, review_of_a_hand
from tests.bench.measured import Measured, Work, at_least, at_most, machine, one_core, rates_in_rounds, ratio
from tests.bench.rules import open_spiel

NOTHING_DOWN = (0, 0, 0, 0)
DEALT = 500
"""Hands dealt beforehand."""
WORLDS = 1000


def run() -> Measured:
    """Everything, each peer in turn in every round."""
    peers = _playouts() | {name: work for name, work in open_spiel().items() if name == "open_spiel_dealt"}
    with one_core():
        figures: dict[str, Any] = {}
        compiled = compiled_kernel() is not None
        if compiled:
            figures["compiled_kernel_starts_s"] = _started()
        rates, failed = rates_in_rounds(peers, rounds=5, for_s=0.6, limit_s=60)
        figures |= {f"{name}_playouts_per_s": round(statistics.median(of)) for name, of in rates.items()}
        figures |= {f"{name}_failed": why for name, why in failed.items()}
        figures |= _decisions(compiled=compiled)
        figures |= _exact(compiled=compiled)
        figures |= review_of_a_hand() | battery_of_a_hand()
        figures |= _agreement()
    if importlib.util.find_spec("pyspiel") is None:
        figures["open_spiel_note"] = (
            "not installed: `./dev bench insight` prepares an environment that has it"
        )
    return Measured(
        name="insight",
        machine=machine(),
        figures=figures,
        aims=(
            at_least("pure random playouts a second", 30_000, figures.get("pure_random_playouts_per_s")),
            at_least("compiled random playouts a second", 1e6, figures.get("compiled_random_playouts_per_s")),
            at_least(
                "pure random playouts, times OpenSpiel hearts",
                1.0,
                ratio(rates, "pure_random", "open_spiel_dealt"),
            ),
            at_least(
                "compiled random playouts, times OpenSpiel hearts",
                33.0,
                ratio(rates, "compiled_random", "open_spiel_dealt"),
            ),
            at_most("a decision at 1,000 worlds, pure, s", 1.0, figures["pure_decision_s"]),
            at_most("a decision at 1,000 worlds, compiled, s", 0.02, figures.get("compiled_decision_s")),
        ),
    )


def _started() -> float:
    """Seconds until the compiled kernel has judged its first play; it may have been compiled before."""
    begun = time.perf_counter()
    _evaluated(ruleset_named("zero_sum-1"), CHANCE, 1, compiled=True)()
    return time.perf_counter() - begun


def _playouts() -> dict[str, Work]:
    one, two = ruleset_named("zero_sum-1"), ruleset_named("zero_sum-2")
    peers = {
        "pure_random": _evaluated(one, CHANCE, DEALT, compiled=False),
        "pure_rule": _evaluated(one, RULE, DEALT, compiled=False),
        "pure_two_decks_random": _evaluated(two, CHANCE, DEALT, compiled=False),
    }
    if compiled_kernel() is not None:
        peers |= {
            "compiled_random": _evaluated(one, CHANCE, 20 * DEALT, compiled=True),
            "compiled_rule": _evaluated(one, RULE, 20 * DEALT, compiled=True),
            "compiled_two_decks_random": _evaluated(two, CHANCE, 20 * DEALT, compiled=True),
            "compiled_two_decks_rule": _evaluated(two, RULE, 20 * DEALT, compiled=True),
        }
    return peers


def _evaluated(ruleset: Ruleset, policy: Policy, playouts: int, *, compiled: bool) -> Work:
    """Judges no play (0) from the first lead on: whole hands."""
    random = Random(1)
    worlds = [World(random_hands(ruleset.decks, random), NOTHING_DOWN) for _ in range(min(playouts, DEALT))]
    position, rollouts = Position(ruleset=ruleset, leader=0), max(1, playouts // len(worlds))

    def work() -> int:
        evaluate(position, worlds, [0], seed=1, policy=policy, rollouts=rollouts, compiled=compiled)
        return len(worlds) * rollouts

    return work


def _decisions(*, compiled: bool) -> dict[str, float]:
    """Seconds for the values, with errors, of all plays of a first lead, and of a decision half-way."""
    ruleset, random = ruleset_named("zero_sum-1"), Random(2)
    hands = random_hands(1, random)
    own = hands[0]
    worlds = [World((own, *_dealt_again(hands, random)), NOTHING_DOWN) for _ in range(WORLDS)]
    position = Position(ruleset=ruleset, leader=0)
    plays = position.legal_plays(worlds[0])
    figures = {}
    for name, kernel in [("pure", False), ("compiled", True)] if compiled else [("pure", False)]:
        figures[f"{name}_decision_s"] = _least(
            lambda kernel=kernel: evaluate(position, worlds, plays, seed=1, compiled=kernel).expected(0)  # type: ignore[misc]
        )
    return figures


def _dealt_again(hands: tuple[int, int, int, int], random: Random) -> tuple[int, int, int]:
    """The others' cards, dealt anew."""
    cards = [1 << card for card in range(64) if sum(hands[1:]) >> card & 1]
    random.shuffle(cards)
    return (sum(cards[0::3]), sum(cards[1::3]), sum(cards[2::3]))


def _least(work: Callable[[], object], times: int = 3) -> float:
    """The seconds of the quickest of several runs."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def _exact(*, compiled: bool) -> dict[str, float]:
    """Milliseconds of exact endings by tricks left: the median, and compiled the slowest tenth's beginning too."""
    figures = {}
    for name, kernel, most in (
        [("pure", False, 4), ("compiled", True, 5)] if compiled else [("pure", False, 4)]
    ):
        for ruleset in (ruleset_named("blood-1"), ruleset_named("zero_sum-2")):
            for tricks in range(2, most + 1):
                spent = sorted(
                    _least(lambda at=at, kernel=kernel: exact_ending(*at, compiled=kernel), 1)  # type: ignore[misc]
                    for at in endings(ruleset, tricks, 15)
                )
                key = f"max_n_{name}_{ruleset.name}_{tricks}_tricks"
                figures[f"{key}_median_ms"] = 1000 * spent[len(spent) // 2]
                figures[f"{key}_p90_ms"] = 1000 * spent[-2]
    return figures


def _agreement() -> dict[str, float]:
    """How often the play that rule playouts like best is one that exact endings do, all cards known, by tricks left."""
    figures = {}
    for tricks in (2, 3, 4):
        agreed = counted = 0
        for ruleset in RULESETS.values():
            for position, world in endings(ruleset, tricks, 15):
                exact = exact_ending(position, world)
                if len(exact.plays) < 2:
                    continue
                played = evaluate(position, [world], exact.plays, seed=1, rollouts=32)
                values = [played.value(0, play, exact.seat) for play in range(len(exact.plays))]
                liked = values.index(max(values))
                counted += 1
                agreed += exact.value(liked, exact.seat) == exact.value(exact.best, exact.seat)
        figures[f"rule_playouts_agree_with_max_n_{tricks}_tricks"] = round(agreed / counted, 3)
    return figures
