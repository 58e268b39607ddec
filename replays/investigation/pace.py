"""How players take their time: for screening only. Much moves it that is no cheating: age, lines, habit, dinner.

A play's pace is the logarithm of its think time, so that a player twice as slow everywhere is one step away.
"""

from collections.abc import Iterable
from math import expm1, log
from statistics import median, stdev
from typing import Final
from uuid import UUID

import msgspec

from replays.investigation.deal_scores import DealScore
from replays.investigation.outlying import outlyingness

LEAST_PLAYS: Final = 100
"""Of players with fewer plays with a choice nothing is said."""


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

    @property
    def most_off(self) -> float:
        """How far the most unusual of the four numbers lies from the other players'."""
        return max(
            abs(self.median_off), abs(self.evenness_off), abs(self.slower_off), abs(self.autopilot_off)
        )


class _Times(msgspec.Struct):
    chosen: list[float] = msgspec.field(default_factory=list)
    forced: list[float] = msgspec.field(default_factory=list)
    autopilot: int = 0


def paces(deals: Iterable[DealScore]) -> list[Pace]:
    """The pace of each player with enough plays with a choice in these deals, most unusual first."""
    times = {player: each for player, each in _by_player(deals).items() if len(each.chosen) >= LEAST_PLAYS}
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
    return sorted(found, key=lambda pace: (-pace.most_off, pace.player))


def _by_player(deals: Iterable[DealScore]) -> dict[UUID, _Times]:
    times: dict[UUID, _Times] = {}
    for deal in deals:
        each = times.setdefault(deal.player, _Times())
        each.chosen += [log(ms + 1) for ms in deal.chosen_ms]
        each.forced += [log(ms + 1) for ms in deal.forced_ms]
        each.autopilot += deal.autopilot
    return times


def _count(times: _Times) -> int:
    return len(times.chosen) + len(times.forced) + times.autopilot
