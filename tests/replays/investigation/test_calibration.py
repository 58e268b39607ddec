"""Calibrations of simulated scores: populations, effects, false alarms and what is found, with their intervals."""

from random import Random
from uuid import UUID

import pytest
from scipy.stats import binomtest

from domain.seats import Seat
from replays.investigation.calibration import Effort, calibrated, rate_of, wilson, z_of
from replays.investigation.calibration_report import calibration_report
from replays.investigation.deal_scores import DealScore
from replays.investigation.evaluators import Evaluator
from replays.investigation.populations import NoNull
from replays.investigation.simulation import HONEST, TYPES
from replays.investigation.simulation.seasons import (
    SimulatedScore,
    UnknownPlayers,
    cheat_season,
    honest_season,
    player_of,
)

EVALUATOR = Evaluator()
QUICK = Effort(samples=600, anew=20, of_each=60)


def scores(
    kind: str,
    count: int,
    random: Random,
    *,
    rank: float = 0.0,
    leak: float = 0.0,
    soft: float = 0.0,
    season: str = "",
) -> list[SimulatedScore]:
    mate: Seat | None = None if kind in HONEST else 1
    return [
        SimulatedScore(
            season=season or kind,
            number=number,
            kind=kind,
            mate=mate,
            score=DealScore(
                match=UUID(int=number),
                hand_no=1,
                seat=0,
                player=UUID(int=1),
                ruleset="zero_sum-1 revision 1",
                role="leads" if number % 4 == 0 else "follows",
                most=13,
                decisions=9,
                rank=random.gauss(rank, 1),
                leaks=(None, random.gauss(leak, 1), random.gauss(0, 1), random.gauss(0, 1)),
                soft=(None, random.gauss(soft, 1), random.gauss(0, 1), random.gauss(0, 1)),
            ),
        )
        for number in range(count)
    ]


def honest(random: Random, count: int = 3_000) -> list[SimulatedScore]:
    return [each for kind in HONEST for each in scores(kind, count, random, season="honest")]


@pytest.mark.parametrize(("found", "times"), [(0, 4_000), (2, 4_000), (50, 100), (100, 100)])
def test_the_interval_of_a_rate_is_wilsons(found: int, times: int) -> None:
    known = binomtest(found, times).proportion_ci(method="wilson")
    assert wilson(found / times, times) == pytest.approx((known.low, known.high), abs=1e-9)


def test_a_population_is_measured_by_statistic_ruleset_and_role() -> None:
    found = calibrated(EVALUATOR, honest(Random(1)))
    kinds = {(null.statistic, null.role) for null in found.nulls}
    assert kinds == {
        (statistic, role) for statistic in ("rank", "leak", "soft") for role in ("leads", "follows")
    }
    assert all(abs(null.mean) < 0.2 for null in found.nulls)


def test_too_few_honest_deals_make_no_population() -> None:
    with pytest.raises(NoNull, match="too few of weak"):
        calibrated(EVALUATOR, honest(Random(2), count=100))


def test_a_report_tells_cheats_found_from_honest_players_flagged() -> None:
    random = Random(3)
    population = calibrated(EVALUATOR, honest(random))
    played = honest(random)
    played += scores("all-seeing", 300, random, rank=1.5)
    played += scores("pair", 300, random, rank=0.6, leak=0.8)
    played += scores("soft", 300, random, soft=0.7)
    report = calibration_report(played, population, effort=QUICK)
    found = {(each.rate.kind, each.rate.what): each for each in report.findings}
    assert all(each.holds for each in found.values()), [each for each in found.values() if not each.holds]
    assert found["all-seeing", "rank"].rate.rate > 0.99
    assert found["pair", "leak names the mate"].rate.rate > 0.99
    assert found["soft", "leak towards the mate"].rate.rate < 0.05
    assert (
        found["weak", "rank"].rate.low <= found["weak", "rank"].rate.rate <= found["weak", "rank"].rate.high
    )
    towards = {(each.kind, each.statistic, each.towards): each.effect for each in report.effects}
    assert towards["pair", "leak", "mate"] > 0.6 > abs(towards["pair", "leak", "another"])


def test_an_aim_that_is_missed_is_told() -> None:
    random = Random(4)
    population = calibrated(EVALUATOR, honest(random))
    report = calibration_report(scores("all-seeing", 200, random, rank=0.0), population, effort=QUICK)
    (finding,) = report.findings
    assert not finding.holds


def test_a_rate_of_few_deals_has_a_wide_interval() -> None:
    random = Random(5)
    few = {0: [random.gauss(0.3, 1) for _ in range(30)]}
    many = {0: [random.gauss(0.3, 1) for _ in range(3_000)]}
    wide = rate_of("rank", "x", few, 100, lambda z: z[0] > 3.09, Random(1), QUICK)
    narrow = rate_of("rank", "x", many, 100, lambda z: z[0] > 3.09, Random(1), QUICK)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_z_takes_a_wild_players_own_spread() -> None:
    assert z_of([1.0, 1.0, 1.0, 1.0]) == 2.0
    assert z_of([10.0, -8.0, 10.0, -8.0]) < 0.3


def test_every_player_of_a_season_has_an_id_of_his_own() -> None:
    season = honest_season("zero_sum-1", 100, 200, seed=1)
    ids = {player_of(season, table, seat) for table in range(100) for seat in range(4)}
    assert len(ids) == 400
    assert {kind for table in season.tables[:4] for kind in table.kinds[:1]} == set(HONEST)


@pytest.mark.parametrize("kind", sorted(set(TYPES) - set(HONEST)))
def test_a_cheat_sits_at_a_table_with_whom_he_cheats_for(kind: str) -> None:
    season = cheat_season(kind, "blood-1", 2, 5, seed=1)
    assert len(season) == 10
    assert season.tables[0].kinds[0] == kind
    assert season.tables[0].mates[0] == 1


def test_players_there_are_none_of_are_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownPlayers, match="all-seeing"):
        cheat_season("angel", "blood-1", 1, 1, seed=1)
