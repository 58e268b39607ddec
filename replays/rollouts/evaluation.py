"""Plays and declarations judged by playouts, in Python or compiled: the same numbers either way."""

from array import array
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, TypeAlias

from domain.cards import FIRST_COPIES, Cards
from domain.chance import play_by_chance
from domain.errors import GongzhuError
from domain.playouts import Table
from domain.rulesets import Ruleset
from domain.streams import GOLDEN, Stream, mixed, stream_of
from replays.rollouts.outcomes import Outcomes, Scores, scores_by
from replays.rollouts.policies import RULE, Policy
from replays.rollouts.positions import PlayNotHeld, Position
from replays.rollouts.rule_loop import play_by_rule
from replays.worlds.information import World

_DECK: Final = 64
_WORTH_STARTING: Final = 3000
"""Playouts that take about as long in Python as it takes to load the compiled kernel."""
_asked_for = 0

Kernel: TypeAlias = Callable[
    [Position, Sequence[World], Sequence[Cards], Sequence[Stream], Policy, int, int], "array[int]"
]
"""What adds up raw scores over the rollouts, by world, play and seat: see `_sums_of`."""


class NotCompiled(GongzhuError):
    """The compiled kernel was asked for and is not installed."""


def evaluate(
    position: Position,
    worlds: Sequence[World],
    plays: Sequence[Cards],
    *,
    seed: int,
    policy: Policy = RULE,
    rollouts: int = 1,
    first_world: int = 0,
    compiled: bool | None = None,
) -> Outcomes:
    """How the hand ends in each world after each of these plays of the seat to move, everyone playing by the policy.

    An empty play (0) stands for none: the hand goes on from the position as it is. `first_world` is the number of the
    first of these worlds, where they are part of a longer row: the outcome of a world depends on its number, the seed,
    the play and the rollout, and not on what is judged beside it. `compiled`: whether to use the compiled kernel; by
    default where it is installed and worth its start. Raises `PlayNotHeld`, and `NotCompiled` for a kernel that is
    not there.
    """
    if compiled is None:
        compiled = _is_worth_compiling(len(worlds) * len(plays) * rollouts)
    begun = [stream_of(seed, play & FIRST_COPIES, play >> _DECK) for play in plays]
    if compiled and worlds:
        kernel = compiled_kernel()
        if kernel is None:
            raise NotCompiled("numba is not installed: install gongzhu[fast], or leave `compiled` out")
        sums = kernel(position, worlds, plays, begun, policy, rollouts, first_world)
    else:
        sums = _sums_of(position, worlds, plays, begun, policy, rollouts, first_world)
    return Outcomes(
        ruleset=position.ruleset, plays=tuple(plays), worlds=len(worlds), rollouts=rollouts, sums=sums
    )


def _is_worth_compiling(playouts: int) -> bool:
    """Whether the compiled kernel is there and, by the playouts asked for so far, worth its start."""
    global _asked_for  # noqa: PLW0603 - when the kernel is loaded changes no result
    _asked_for += playouts
    return _asked_for >= _WORTH_STARTING and compiled_kernel() is not None


@cache
def compiled_kernel() -> Kernel | None:
    """The compiled kernel, loaded once; None where numba is not installed (`gongzhu[fast]` brings it)."""
    try:
        from replays.rollouts.fast import sums_of
    except ImportError:
        return None
    return sums_of


def _sums_of(
    position: Position,
    worlds: Sequence[World],
    plays: Sequence[Cards],
    begun: Sequence[Stream],
    policy: Policy,
    rollouts: int,
    first_world: int,
) -> "array[int]":
    """The raw scores of playouts, added up over the rollouts, by world, play and seat."""
    sums = array("q", bytes(8 * 4 * len(worlds) * len(plays)))
    finish = _finisher(position.ruleset, policy)
    # What follows from the cards that lie face down alone is the same in most worlds.
    declared: dict[tuple[Cards, ...], tuple[Scores, Cards]] = {}
    at = 0
    for number, world in enumerate(worlds, first_world):
        found = declared.get(world.face_down)
        if found is None:
            found = scores_by(position.ruleset, position.levels_in(world)), position.held_in(world)
            declared[world.face_down] = found
        scores, held = found
        before = _Before(position, world, held)
        for play, begin in zip(plays, begun, strict=True):
            for rollout in range(rollouts):
                stream = stream_at(begin, number, rollout)
                scores.add(finish(before.table(play, stream)), sums, at)
            at += 4
    return sums


def stream_at(begin: Stream, world: int, rollout: int) -> Stream:
    """Where the stream of a playout begins; `begin` is that of its seed and play."""
    return mixed(begin + GOLDEN * world + (rollout << 40))


class _Before:
    """A world just before the play that is judged."""

    __slots__ = ("_hands", "_held", "_leader", "_position", "_turn")

    def __init__(self, position: Position, world: World, held: Cards) -> None:
        self._position, self._hands = position, world.hands
        self._leader, self._turn = position.leader_in(world), position.turn_in(world)
        self._held = held

    def table(self, play: Cards, stream: Stream) -> Table:
        """The table after the play."""
        position, turn = self._position, self._turn
        table = Table(
            self._hands,
            self._leader,
            held=self._held,
            plays=position.plays,
            taken=position.taken,
            opens_match=position.opens_match,
            stream=stream,
        )
        if play:
            if play & ~table.hands[turn]:
                raise PlayNotHeld(
                    f"seat {turn} does not hold {play:#x} in all worlds: judge only plays that it does"
                )
            table.hands[turn] ^= play
            table.plays.append(play)
            table.opens_match = False
        return table


def _finisher(ruleset: Ruleset, policy: Policy) -> Callable[[Table], list[Cards]]:
    """What plays a table out by this policy."""
    if policy.by_chance:
        return lambda table: play_by_chance(ruleset, table)
    return lambda table: play_by_rule(ruleset, table, policy)
