"""What a calibration comes to: effects of every kind of player, false alarms of honest ones, and what is found."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import msgspec

from domain.seats import SEATS, Seat
from replays.investigation.calibration import (
    FALSE_ALARM_Z,
    THOROUGH,
    Effect,
    Effort,
    Rate,
    effect_of,
    excesses,
    null_error,
    rate_of,
)
from replays.investigation.deal_scores import Statistic
from replays.investigation.populations import Population
from replays.investigation.simulation.players import HONEST
from replays.investigation.simulation.seasons import SimulatedScore

HONEST_SAMPLE: Final = 200
_UNDIRECTED: Final[tuple[Statistic, ...]] = ("rank", "declaring")
_DIRECTED: Final[tuple[Statistic, ...]] = ("leak", "soft")


class Aim(NamedTuple):
    """What is to hold of a kind of player: in samples of so many deals, a rate at most or at least so high."""

    kind: str
    what: str
    sample: int
    rate: float
    at_most: bool = False


AIMS: Final = (
    *(Aim(kind, "rank", HONEST_SAMPLE, 0.002, at_most=True) for kind in HONEST),
    Aim("all-seeing", "rank", 50, 0.95),
    Aim("pair", "rank", 200, 0.95),
    Aim("quarter-seeing", "rank", 300, 0.90),
    Aim("all-seeing, unlike", "rank", 300, 0.90),
    Aim("pair", "leak names the mate", 200, 0.95),
    Aim("soft", "soft towards the mate", 200, 0.95),
    Aim("soft", "leak towards the mate", 200, 0.05, at_most=True),
    Aim("dumping", "soft towards the mate", 200, 0.95),
)
"""What the tests are held to."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One aim with what was measured."""

    rate: Rate
    want: float
    at_most: bool

    @property
    def holds(self) -> bool:
        """Whether the measured rate meets it."""
        return self.rate.rate <= self.want if self.at_most else self.rate.rate >= self.want


class CalibrationReport(msgspec.Struct, frozen=True, kw_only=True):
    """Effects by kind and statistic, and each aim of which there were deals."""

    evaluator: str
    effects: tuple[Effect, ...]
    findings: tuple[Finding, ...]


def calibration_report(
    scores: Iterable[SimulatedScore], honest: Population, seed: int = 1, effort: Effort = THOROUGH
) -> CalibrationReport:
    """The report on these deals, which are other ones than the population was measured on. Raises `NoNull`."""
    by_kind: dict[str, list[SimulatedScore]] = {}
    for each in scores:
        # Beside a cheat sit honest players whose results he bends; they are no part of the honest season.
        if each.season == "honest" or each.kind == each.season:
            by_kind.setdefault(each.kind, []).append(each)
    findings = [
        Finding(rate=rate, want=aim.rate, at_most=aim.at_most)
        for aim in AIMS
        if aim.kind in by_kind
        and (rate := _rate(aim, by_kind[aim.kind], honest, Random(seed), effort)) is not None
    ]
    effects = [effect for kind, found in by_kind.items() for effect in _effects(kind, found, honest)]
    return CalibrationReport(evaluator=honest.evaluator, effects=tuple(effects), findings=tuple(findings))


def _effects(kind: str, found: Sequence[SimulatedScore], honest: Population) -> Iterator[Effect]:
    for statistic in _UNDIRECTED:
        yield from _effect(kind, statistic, "", _undirected(statistic, found, honest))
    for statistic in _DIRECTED:
        for turn, towards in enumerate(("mate", "another")):
            yield from _effect(kind, statistic, towards, _directed(statistic, found, honest, turn))


def _effect(kind: str, statistic: Statistic, towards: str, values: Sequence[float]) -> Iterator[Effect]:
    if len(values) > 1:
        yield effect_of(kind, statistic, towards, values)


def _undirected(statistic: Statistic, found: Sequence[SimulatedScore], honest: Population) -> list[float]:
    return excesses(statistic, ((each.score, None) for each in found), honest)


def _directed(
    statistic: Statistic, found: Sequence[SimulatedScore], honest: Population, turn: int
) -> list[float]:
    """Excesses towards one seat: of those who have a mate, towards him (0), or towards another (1, 2)."""
    return excesses(statistic, ((e.score, _turned(e, turn)) for e in found if e.mate is not None), honest)


def _turned(each: SimulatedScore, turn: int) -> Seat:
    """The mate first, then the other two."""
    assert each.mate is not None, "asked of those who have one"
    others = [seat for seat in SEATS if seat not in (each.score.seat, each.mate)]
    return (each.mate, *others)[turn]


def _rate(
    aim: Aim, found: Sequence[SimulatedScore], honest: Population, random: Random, effort: Effort
) -> Rate | None:
    columns, holds = _question(aim, found, honest)
    if min((len(values) for values in columns.values()), default=0) < 2:
        return None
    error = null_error(honest, _statistic(aim))
    return rate_of(aim.what, aim.kind, columns, aim.sample, holds, random, effort, error)


def _question(
    aim: Aim, found: Sequence[SimulatedScore], honest: Population
) -> tuple[Mapping[int, list[float]], Callable[[Mapping[int, float]], bool]]:
    """What is drawn for an aim (by column), and what has to be true of its z values."""
    if aim.what == "rank":
        return {0: _undirected("rank", found, honest)}, _is_high
    if aim.what == "leak names the mate":
        columns = {turn: _directed("leak", found, honest, turn) for turn in range(3)}
        return columns, _names_the_mate
    return {0: _directed(_statistic(aim), found, honest, 0)}, _is_high


def _statistic(aim: Aim) -> Statistic:
    return "rank" if aim.what == "rank" else "leak" if aim.what.startswith("leak") else "soft"


def _is_high(z: Mapping[int, float]) -> bool:
    return z[0] > FALSE_ALARM_Z


def _names_the_mate(z: Mapping[int, float]) -> bool:
    return z[0] > max(z[1], z[2])
