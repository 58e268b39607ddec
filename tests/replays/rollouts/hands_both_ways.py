"""Hands played by the kernels and, play for play, by `decide` and `evolve`: what must come out alike."""

from collections.abc import Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from domain import commands
from domain.cards import DECLARABLE, Cards, cards_in, name_of, names_of
from domain.decisions.playing import legal_plays
from domain.declarations import OPENING_BYTES
from domain.playouts import Chooser, Table, play_out
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, Seat
from domain.secret import Secret
from domain.streams import stream_of
from replays.rollouts import CHANCE, RULE, Policy, Position, evaluate, position_of
from replays.rollouts.evaluation import compiled_kernel, stream_at
from replays.rollouts.rule_player import rule_chooser
from replays.worlds import World, world_of
from tests.support import tables

POLICIES: Final = (CHANCE, RULE, replace(RULE, slips=64))
KERNELS: Final = (False,) if compiled_kernel() is None else (False, True)


def begun_hand(ruleset: Ruleset, random: Random) -> tables.Table:
    """A live match in its first hand, with some cards declared and some played, often in the middle of a trick."""
    table = tables.seated(ruleset, hands=1, seed=random.getrandbits(32))
    _declare(table, ruleset, random)
    table.everyone_done()
    for _ in range(random.choice([0, 0, random.randrange(52)])):
        turn = table.hand.turn
        assert turn is not None
        _play(table, random.choice(legal_plays(ruleset, table.hand, turn)), turn)
        if table.match.phase != "playing":
            return begun_hand(ruleset, random)
    return table


def _declare(table: tables.Table, ruleset: Ruleset, random: Random) -> None:
    holdings = table.hand.holdings
    assert holdings is not None
    for seat in SEATS:
        for card in cards_in(holdings[seat] & DECLARABLE):
            levels: list[Level | None] = (
                ["open", "hidden", None] if ruleset.hidden_declarations else ["open", None]
            )
            level = random.choice(levels)
            if level:
                opening = Secret(random.randbytes(OPENING_BYTES)) if level == "hidden" else None
                name = name_of(card, ruleset.decks)
                table.ask(commands.DeclareCard(seat=seat, card=name, level=level, opening=opening))


def _play(table: tables.Table, cards: Cards, seat: Seat) -> None:
    names = names_of(cards_in(cards), table.match.ruleset.decks)
    table.ask(commands.PlayCards(seat=seat, cards=names))


class Live:
    """A chooser whose every play is made in a live match too, whose legal plays must be those that it is offered."""

    def __init__(self, table: tables.Table, inner: Chooser) -> None:
        self._table, self._inner = table, inner

    def card(self, legal: Cards, seat: Seat, playing: Table) -> Cards:
        self._check([1 << card for card in cards_in(legal)], seat)
        return self._made(self._inner.card(legal, seat, playing), seat)

    def play(self, legal: Sequence[Cards], seat: Seat, playing: Table) -> Cards:
        self._check(legal, seat)
        return self._made(self._inner.play(legal, seat, playing), seat)

    def _check(self, legal: Sequence[Cards], seat: Seat) -> None:
        assert self._table.hand.turn == seat
        assert list(legal) == legal_plays(self._table.match.ruleset, self._table.hand, seat)

    def _made(self, cards: Cards, seat: Seat) -> Cards:
        _play(self._table, cards, seat)
        return cards


def compare_a_hand(ruleset: Ruleset, random: Random) -> None:
    """One random hand: legal plays, turns and takers agree all along, and the raw scores of every kernel in the end."""
    table = begun_hand(ruleset, random)
    policy, seed = random.choice(POLICIES), random.getrandbits(32)
    position, world = position_of(table.match), world_of(table.hand)
    scores = [_scores_by(kernel, position, world, policy, seed) for kernel in KERNELS]
    playing = Table(
        world.hands,
        position.leader_in(world),
        held=position.held_in(world),
        plays=position.plays,
        taken=position.taken,
        opens_match=position.opens_match,
        stream=stream_at(stream_of(seed, 0, 0), 0, 0),
    )
    live = Live(table, rule_chooser(ruleset, policy))
    play_out(ruleset, playing, Chooser(live.card, live.play))
    ended = table.match.last_hand
    assert ended is not None
    for kernel, found in zip(KERNELS, scores, strict=True):
        assert found == ended.raw_scores, f"compiled={kernel}: {found}, decided: {ended.raw_scores}"


def _scores_by(kernel: bool, position: Position, world: World, policy: Policy, seed: int) -> tuple[int, ...]:
    sums = evaluate(position, [world], [0], seed=seed, policy=policy, compiled=kernel).sums
    return tuple(sums)
