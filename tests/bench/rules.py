"""Complete random hands a second on one core: our rules in Python beside OpenSpiel's hearts driven from Python.

Both play one deck, choose uniformly among the legal plays with the same generator, take every trick and score the
hand. `whole` counts the deal as well; `dealt` begins from hands that are dealt already. Hearts passes no cards here,
which is the shorter game. `decided` is the same for a live hand of ours: every event decided and folded.
"""

import importlib.util
import statistics
from collections.abc import Callable
from random import Random
from typing import Any

from domain import commands
from domain.cards import cards_in, names_of
from domain.decisions.playing import legal_plays
from domain.playouts import Table, play_out, random_chooser, random_hands
from domain.rulesets import Ruleset, ruleset_named
from domain.seats import SEATS
from domain.tariff import tariff_of
from tests.bench.measured import Measured, Work, at_least, machine, one_core, rates_in_rounds, ratio
from tests.support import tables

BATCH = 50
"""Hands between two looks at the clock."""
DEALT = 2000
"""Hands dealt beforehand, used in turn."""


def run() -> Measured:
    """Hands a second of every peer, and ours by OpenSpiel's."""
    peers = _ours() | open_spiel()
    with one_core():
        rates, failed = rates_in_rounds(peers, rounds=7, for_s=0.6, limit_s=20)
    figures: dict[str, Any] = {
        f"{name}_hands_per_s": round(statistics.median(r)) for name, r in rates.items()
    }
    figures |= {f"{name}_failed": why for name, why in failed.items()}
    if not _hasopen_spiel():
        figures["open_spiel_note"] = "not installed: `./dev bench rules` prepares an environment that has it"
    return Measured(
        name="rules",
        machine=machine(),
        figures=figures,
        aims=(
            at_least(
                "whole hands, times OpenSpiel hearts from Python",
                1.0,
                ratio(rates, "rules_whole", "open_spiel_whole"),
            ),
            at_least(
                "hands already dealt, times OpenSpiel's", 1.0, ratio(rates, "rules_dealt", "open_spiel_dealt")
            ),
        ),
    )


def _hasopen_spiel() -> bool:
    return importlib.util.find_spec("pyspiel") is not None


def _ours() -> dict[str, Work]:
    one_deck, two_decks = ruleset_named("zero_sum-1"), ruleset_named("zero_sum-2")
    return {
        "rules_whole": _whole(one_deck),
        "rules_dealt": _dealt(one_deck),
        "rules_two_decks_whole": _whole(two_decks),
        "decided": _decided(one_deck),
    }


def _whole(ruleset: Ruleset) -> Work:
    random = Random(1)
    chooser, tariff = random_chooser(random), tariff_of(ruleset, {})

    def work() -> int:
        for _ in range(BATCH):
            taken = play_out(ruleset, Table(random_hands(ruleset.decks, random), 0), chooser)
            [tariff.raw_score(cards) for cards in taken]
        return BATCH

    return work


def _dealt(ruleset: Ruleset) -> Work:
    random = Random(1)
    chooser, tariff = random_chooser(random), tariff_of(ruleset, {})
    dealt = [random_hands(ruleset.decks, random) for _ in range(DEALT)]
    turn = _in_turn(dealt)

    def work() -> int:
        for _ in range(BATCH):
            taken = play_out(ruleset, Table(turn(), 0), chooser)
            [tariff.raw_score(cards) for cards in taken]
        return BATCH

    return work


def _in_turn(values: list[Any]) -> Callable[[], Any]:
    """A function that gives one value after another, round and round."""
    place = -1

    def following() -> Any:
        nonlocal place
        place = (place + 1) % len(values)
        return values[place]

    return following


def _decided(ruleset: Ruleset) -> Work:
    """Whole hands through `decide` and `evolve`, declarations skipped; one match goes on from hand to hand."""
    random = Random(1)
    table = tables.seated(ruleset, hands=256)

    def work() -> int:
        nonlocal table
        _decide_hand(ruleset, table, random)
        if table.match.ended:
            table = tables.seated(ruleset, hands=256, seed=random.getrandbits(32))
        else:
            table.ask(commands.DealHand())
        table.events.clear()
        return 1

    return work


def _decide_hand(ruleset: Ruleset, table: tables.Table, random: Random) -> None:
    table.ask(*[commands.SayDone(seat=seat) for seat in SEATS])
    while table.match.phase == "playing":
        hand = table.hand
        assert hand.turn is not None
        plays = legal_plays(ruleset, hand, hand.turn)
        names = names_of(cards_in(plays[random.getrandbits(30) % len(plays)]), ruleset.decks)
        table.decide(commands.PlayCards(seat=hand.turn, cards=names))


def open_spiel() -> dict[str, Work]:
    """OpenSpiel's hearts, if it is installed."""
    if not _hasopen_spiel():
        return {}
    import pyspiel

    game = pyspiel.load_game("hearts", {"pass_cards": False})
    draw = Random(1).getrandbits

    def deal() -> Any:
        state = game.new_initial_state()
        while state.is_chance_node():
            actions = state.legal_actions()
            state.apply_action(actions[draw(30) % len(actions)])
        return state

    def play(state: Any) -> None:
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[draw(30) % len(actions)])
        state.returns()

    turn = _in_turn([deal() for _ in range(DEALT)])

    def whole() -> int:
        for _ in range(BATCH):
            play(deal())
        return BATCH

    def dealt() -> int:
        for _ in range(BATCH):
            play(turn().clone())
        return BATCH

    return {"open_spiel_whole": whole, "open_spiel_dealt": dealt}
