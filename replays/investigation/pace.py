"""How players take their time: for screening only. Much moves it that is no cheating: age, lines, habit, dinner.

A play's pace is the logarithm of its think time, so that a player twice as slow everywhere is one step away.
"""

from collections.abc import Iterable
from math import expm1, log
from statistics import median, stdev
from typing import Final
from uuid import UUID

import msgspec

from replays.investigation.outlying import outlyingness

LEAST_PLAYS: Final = 100
"""Of players with fewer plays of their own nothing is said."""


class TimedPlay(msgspec.Struct, frozen=True, kw_only=True):
    """One play: by whom, how long it took, and how many plays he could choose from."""

    player: UUID
    think_ms: int
    choices: int
    autopilot: bool = False


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """One player's pace, with how far each number lies from the other players' (robust standard deviations).

    `median_ms` of plays with a choice; `evenness` the spread of their logarithm (near 0: like a clock);
    `slower_with_choice` the difference in log time between plays with a choice and forced ones (near 0: no thinking);
    `autopilot` the share of plays that were not his own.
    """

    player: UUID
    plays: int
    median_ms: float
    median_off: float
    evenness: float
    evenness_off: float
    slower_with_choice: float
    slower_off: float
    autopilot: float
    autopilot_off: float


class _Times(msgspec.Struct):
    chosen: list[float] = msgspec.field(default_factory=list)
    forced: list[float] = msgspec.field(default_factory=list)
    autopilot: int = 0


def paces(plays: Iterable[TimedPlay]) -> list[Pace]:
    """The pace of each player with enough plays, most unusual first."""
    times = {player: each for player, each in _by_player(plays).items() if len(each.chosen) >= LEAST_PLAYS}
    medians = {player: median(each.chosen) for player, each in times.items()}
    evenness = {player: stdev(each.chosen) for player, each in times.items()}
    slower = {player: medians[player] - median(each.forced or each.chosen) for player, each in times.items()}
    autopilot = {player: each.autopilot / _count(each) for player, each in times.items()}
    off = [outlyingness(numbers) for numbers in (medians, evenness, slower, autopilot)]
    found = [
        Pace(
            player=player,
            plays=_count(each),
            median_ms=expm1(medians[player]),
            median_off=off[0][player],
            evenness=evenness[player],
            evenness_off=off[1][player],
            slower_with_choice=slower[player],
            slower_off=off[2][player],
            autopilot=autopilot[player],
            autopilot_off=off[3][player],
        )
        for player, each in times.items()
    ]
    return sorted(found, key=lambda pace: (-_most(pace), pace.player))


def _by_player(plays: Iterable[TimedPlay]) -> dict[UUID, _Times]:
    times: dict[UUID, _Times] = {}
    for play in plays:
        each = times.setdefault(play.player, _Times())
        if play.autopilot:
            each.autopilot += 1
        else:
            (each.chosen if play.choices > 1 else each.forced).append(log(play.think_ms + 1))
    return times


def _count(times: _Times) -> int:
    return len(times.chosen) + len(times.forced) + times.autopilot


def _most(pace: Pace) -> float:
    return max(abs(pace.median_off), abs(pace.evenness_off), abs(pace.slower_off), abs(pace.autopilot_off))
