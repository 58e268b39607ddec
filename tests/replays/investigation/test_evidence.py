"""Deal scores added up: nulls, effects, false discovery and bets."""

from random import Random
from uuid import UUID

import msgspec
import pytest

from replays.investigation.betting import Wealth
from replays.investigation.deal_scores import DealScore
from replays.investigation.discovery import q_values
from replays.investigation.evidence import evidence
from replays.investigation.player_evidence import player_evidence
from replays.investigation.populations import NoNull, Null, Population, Unjudged, null_of, population
from replays.investigation.screening import Thresholds, screen

RULESET = "zero_sum-1 revision 1"


def known(*, mean: float = 0.0, spread: float = 1.0) -> Population:
    nulls = [
        Null(statistic="rank", ruleset=RULESET, role=role, mean=mean, mean_error=0.01, spread=spread, deals=10_000,
             honest="card reader")
        for role in ("leads", "follows")
    ]  # fmt: skip
    return population("test", nulls)


def deals(player: int, count: int, shift: float, random: Random) -> list[DealScore]:
    return [
        DealScore(
            match=UUID(int=deal),
            hand_no=1,
            seat=0,
            player=UUID(int=player),
            ruleset=RULESET,
            role="leads" if deal % 4 == 0 else "follows",
            most=13,
            decisions=9,
            rank=max(-6.0, min(6.0, random.gauss(shift, 1.0))),
        )
        for deal in range(count)
    ]


def test_an_honest_players_effect_is_near_nothing_and_a_cheats_is_found() -> None:
    random = Random(1)
    honest = evidence("rank", ((deal, None) for deal in deals(1, 400, 0.0, random)), known())
    cheat = evidence("rank", ((deal, None) for deal in deals(2, 400, 0.5, random)), known())
    assert honest is not None
    assert cheat is not None
    assert abs(honest.z) < 3
    assert honest.low < 0 < honest.high
    assert honest.e_value < 20
    assert cheat.z > 6
    assert cheat.low > 0.3
    assert cheat.e_value > 1_000


def test_players_are_measured_from_the_mean_of_honest_play() -> None:
    scores = deals(1, 400, 0.3, Random(2))
    recentred = evidence("rank", ((deal, None) for deal in scores), known(mean=0.3))
    assert recentred is not None
    assert abs(recentred.z) < 3


def test_a_wild_player_is_no_suspect_for_being_wild() -> None:
    scores = deals(1, 100, 0.0, Random(3))
    tame = evidence("rank", ((deal, None) for deal in scores), known(spread=1.0))
    wild = evidence("rank", ((deal, None) for deal in scores), known(spread=0.1))
    assert tame is not None
    assert wild is not None
    assert wild.z == pytest.approx(tame.z, abs=0.2)


def test_what_was_not_measured_is_no_evidence() -> None:
    assert evidence("leak", ((deal, 1) for deal in deals(1, 5, 0.0, Random(4))), known()) is None


def test_a_kind_of_deal_nobody_honest_was_measured_in_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(NoNull, match=r"zero_sum-1 revision 1, role follows.*gongzhu simulate calibrate"):
        Population(evaluator="test", nulls=()).null("rank", RULESET, "follows")


def test_the_null_is_that_of_the_honest_type_that_sits_highest() -> None:
    random = Random(5)
    values = {
        name: [random.gauss(mean, 1) for _ in range(500)] for name, mean in (("plain", 0.0), ("reader", 0.4))
    }
    null = null_of("rank", RULESET, "leads", values)
    assert null.honest == "reader"
    assert 0.25 < null.mean < 0.55
    assert 0.9 < null.spread < 1.15


def test_a_null_takes_enough_deals_of_each_type() -> None:
    with pytest.raises(NoNull, match=r"too few of plain \(3\)"):
        null_of("rank", RULESET, "leads", {"plain": [0.0, 1.0, 2.0], "strong": [0.0] * 300})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([], []),
        ([0.5], [0.5]),
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.04, 0.04, 0.04]),
        ([0.9, 0.001, 0.02, 0.5], [0.9, 0.004, 0.04, 2 / 3]),
    ],
)
def test_q_values_are_those_of_benjamini_and_hochberg(given: list[float], wanted: list[float]) -> None:
    assert q_values(given) == pytest.approx(wanted)


def test_wealth_against_honest_play_seldom_ever_reaches_twenty() -> None:
    random = Random(6)
    reached = 0
    for _ in range(300):
        wealth, most = Wealth(), 0.0
        for _ in range(200):
            wealth.bet(random.random(), 0.5)
            most = max(most, wealth.value)
        reached += most >= 20
    assert reached <= 300 / 20


def test_wealth_grows_against_one_who_knows_more() -> None:
    random, wealth = Random(7), Wealth()
    for _ in range(200):
        wealth.bet(min(1.0, random.random() + 0.15), 0.5)
    assert wealth.value > 1_000


@pytest.mark.parametrize(("value", "mean"), [(-0.1, 0.5), (1.1, 0.5), (0.5, 0.0), (0.5, 1.0)])
def test_a_bet_on_a_number_that_can_be_anything_is_refused(value: float, mean: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Wealth().bet(value, mean)


def test_screening_escalates_the_planted_cheats_and_no_honest_player() -> None:
    random = Random(8)
    scores = [deal for player in range(200) for deal in deals(player, 200, 0.0, random)]
    scores += [deal for player in range(900, 905) for deal in deals(player, 200, 0.6, random)]
    found = screen(scores, known())
    escalated = {standing.player.int for standing in found.standings if standing.level == "escalate"}
    assert escalated == set(range(900, 905))
    assert found.players == 205
    assert found.deals == 205 * 200
    assert [standing.evidence.z for standing in found.standings] == sorted(
        (standing.evidence.z for standing in found.standings), reverse=True
    )


def test_deals_of_a_ruleset_without_an_honest_population_are_told_and_not_judged() -> None:
    judged = deals(1, 30, 0.0, Random(11))
    strange = [
        msgspec.structs.replace(deal, ruleset="blood-1 revision 9") for deal in deals(1, 50, 3.0, Random(12))
    ]
    alone = [msgspec.structs.replace(deal, player=UUID(int=2)) for deal in strange]
    found = screen([*judged, *strange, *alone], known())
    (standing,) = found.standings
    assert standing.evidence.deals == 30
    assert standing.level == "clear"
    assert found.short == (UUID(int=2),)
    assert found.unjudged == (Unjudged(ruleset="blood-1 revision 9", deals=100),)
    mine = player_evidence(UUID(int=1), [*judged, *strange], known())
    assert mine.unjudged == (Unjudged(ruleset="blood-1 revision 9", deals=50),)
    assert mine.rank == standing.evidence


def test_a_small_effect_is_never_evidence_however_many_deals_there_are() -> None:
    found = screen(deals(1, 20_000, 0.06, Random(9)), known())
    (standing,) = found.standings
    assert standing.evidence.z > 4.5
    assert standing.level == "clear"


def test_a_player_of_few_deals_is_named_as_such_and_not_judged() -> None:
    found = screen(deals(1, 19, 3.0, Random(10)), known(), Thresholds(least_deals=20))
    assert found.standings == ()
    assert found.short == (UUID(int=1),)
