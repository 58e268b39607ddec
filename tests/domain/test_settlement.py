"""Points: a row for each clause of rules.md §6–§8, then what holds for every outcome."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.decisions.hand_end import points_at_end
from domain.rulesets import RULESETS, BloodSettlement, Ruleset, ruleset_named
from domain.seats import SEATS
from domain.settlement import (
    fall,
    hand_points,
    individual_shares,
    int_towards_zero,
    later_winner_less,
    match_is_decided,
    pay,
    settle,
)

Numbers = tuple[int, int, int, int]


def _rules(name: str) -> BloodSettlement:
    settlement = ruleset_named(name).settlement
    assert settlement is not None
    return settlement


@pytest.mark.parametrize(
    ("numerator", "whole"),
    [(0, 0), (499, 0), (500, 1), (-1, 0), (-499, 0), (-500, -1), (-999, -1), (-1000, -2)],
)
def test_int_drops_the_fraction_towards_zero(numerator: int, whole: int) -> None:
    assert int_towards_zero(numerator, 500) == whole


FALLS = [
    ("blood-1", -1000, 10), ("blood-1", -1499, 10), ("blood-1", -1500, 11), ("blood-1", -2000, 12),
    ("blood-1", -15999, 39), ("blood-1", -16000, 40), ("blood-1", -16500, 40), ("blood-1", -99999, 40),
    ("blood-2", -4000, 10), ("blood-2", -4500, 11), ("blood-2", -18999, 39), ("blood-2", -19000, 40),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "blood", "loss"), FALLS)
def test_fall_grows_by_one_each_500_up_to_the_cap(ruleset: str, blood: int, loss: int) -> None:
    assert fall(_rules(ruleset), blood) == loss


PAYS = [
    ("at the threshold against nobody", "blood-1", 1000, 0, 10),
    ("a loser above 0 counts by absolute value", "blood-1", 1000, 500, 11),
    ("a loser below 0", "blood-1", 1000, -500, 11),
    ("just short of a step", "blood-1", 1000, -499, 10),
    ("a loser beyond −T", "blood-1", 1200, -1800, 14),
    ("the cap", "blood-1", 8000, -8000, 40),
    ("just below the cap", "blood-1", 8000, -7999, 39),
    ("two decks", "blood-2", 4000, 500, 11),
    ("two decks, the cap", "blood-2", 10000, -9000, 40),
]


@pytest.mark.parametrize(("clause", "ruleset", "winner", "loser", "paid"), PAYS)
def test_pay_follows_its_clause(clause: str, ruleset: str, winner: int, loser: int, paid: int) -> None:
    assert pay(_rules(ruleset), winner, loser) == paid, clause


@pytest.mark.parametrize(
    ("distance", "less"),
    [(0, 4), (2000, 4), (2001, 5), (3500, 5), (3501, 6), (5000, 6), (5001, 7)],
)
def test_h_grows_by_one_each_1500_begun(distance: int, less: int) -> None:
    assert later_winner_less(_rules("blood-1"), distance) == less


SETTLEMENTS: list[tuple[str, str, Numbers, Numbers | None]] = [
    # While nobody has reached a threshold the match goes on.
    ("below both thresholds", "blood-1", (990, -990, 0, 0), None),
    ("below both thresholds, two decks", "blood-2", (3990, -3990, 0, 0), None),
    ("zero_sum keeps no blood", "zero_sum-1", (5000, -5000, 0, 0), None),
    # Individual, someone at +T: those win, the rest lose.
    ("one winner gets the sum", "blood-1", (1000, 0, -500, 500), (32, -10, -11, -11)),
    ("at +T everyone else loses, at −T too", "blood-1", (1000, -1000, 0, 0), (32, -12, -10, -10)),
    (
        "two winners each get the sum; the first sets the pay",
        "blood-1",
        (1500, 1000, 0, -500),
        (23, 23, -11, -12),
    ),
    (
        "three winners: the first gets L, the others less",
        "blood-1",
        (1500, 1100, 1000, -300),
        (11, 7, 7, -11),
    ),
    ("three winners, two tie for first", "blood-1", (1500, 1500, 1000, -300), (11, 11, 7, -11)),
    ("three winners, d begins a second step", "blood-1", (1500, 1100, 1000, -3001), (17, 12, 12, -17)),
    (
        "three winners, the loser's blood is capped at C",
        "blood-1",
        (1500, 1100, 1000, -20000),
        (40, 27, 27, -40),
    ),
    ("four winners", "blood-1", (1000, 2000, 3000, 1000), (0, 0, 0, 0)),
    ("two decks, one winner", "blood-2", (4000, 0, 0, 0), (30, -10, -10, -10)),
    # Individual, nobody at +T: those at −T lose.
    ("one loser: first gets L, the others less", "blood-1", (0, 100, 200, -1000), (6, 6, 10, -10)),
    ("one loser, all winners tie for first", "blood-1", (0, 0, 0, -1000), (10, 10, 10, -10)),
    ("one loser, two winners tie for first", "blood-1", (200, 200, 0, -1500), (11, 11, 7, -11)),
    ("one loser, d = |b| − |l| in absolute values", "blood-1", (0, 100, -900, -3500), (10, 15, 10, -15)),
    ("one loser, the lowest winner's blood sets d for all", "blood-1", (0, 100, 200, -2001), (7, 7, 12, -12)),
    ("one loser beyond the cap", "blood-1", (0, 0, 100, -20000), (26, 26, 40, -40)),
    ("two losers: both winners get the sum", "blood-1", (0, 100, -1000, -1500), (21, 21, -10, -11)),
    ("three losers: the winner gets the sum", "blood-1", (0, -1000, -1500, -2000), (33, -10, -11, -12)),
    ("four losers", "blood-1", (-1000, -1000, -2000, -1500), (0, 0, 0, 0)),
    ("two decks, one loser", "blood-2", (0, 0, 0, -4500), (11, 11, 11, -11)),
    ("two decks, the cap is at −19000", "blood-2", (0, 0, 0, -19000), (40, 40, 40, -40)),
    # Partners: a side's blood decides, points are each player's.
    ("partners below both thresholds", "blood-1-partners", (900, 900, 90, 90), None),
    ("partners test the sum only", "blood-1-partners", (1500, 0, -600, 0), None),
    ("one side at +T", "blood-1-partners", (600, 0, 400, 0), (20, -10, 20, -10)),
    ("one side at +T, the other at −T", "blood-1-partners", (600, -500, 400, -500), (24, -12, 24, -12)),
    ("both at +T: the higher wins", "blood-1-partners", (600, 700, 400, 400), (-12, 24, -12, 24)),
    ("both at +T and equal", "blood-1-partners", (600, 500, 400, 500), (0, 0, 0, 0)),
    ("one side at −T", "blood-1-partners", (-600, 0, -900, 0), (-11, 22, -11, 22)),
    ("both at −T: the lower loses", "blood-1-partners", (-600, -500, -900, -500), (-11, 22, -11, 22)),
    ("both at −T and equal", "blood-1-partners", (-600, -500, -400, -500), (0, 0, 0, 0)),
    ("the cap of a side", "blood-1-partners", (-8000, 0, -8000, 0), (-40, 80, -40, 80)),
    ("two decks, partners", "blood-2-partners", (2000, 0, 2000, -500), (22, -11, 22, -11)),
]


@pytest.mark.parametrize(("clause", "ruleset", "blood", "points"), SETTLEMENTS)
def test_settlement_follows_its_clause(
    clause: str, ruleset: str, blood: Numbers, points: Numbers | None
) -> None:
    assert settle(ruleset_named(ruleset), blood) == points, clause


HANDS: list[tuple[str, str, Numbers, Numbers]] = [
    ("the rules' own example", "zero_sum-1", (-120, -280, 0, 160), (-960, -3516, 960, 3516)),
    ("two decks are not multiplied", "zero_sum-2", (-120, -280, 0, 160), (-80, -293, 80, 293)),
    (
        "the rules' own example, partners",
        "zero_sum-1-partners",
        (-190, 50, -10, 0),
        (-1500, 1500, -1500, 1500),
    ),
    ("two decks, partners", "zero_sum-2-partners", (-190, 50, -10, 0), (-125, 125, -125, 125)),
    ("all equal", "zero_sum-2", (-50, -50, -50, -50), (0, 0, 0, 0)),
    ("two missing ones go to the largest fractions", "zero_sum-2", (10, 0, 0, 0), (10, -3, -3, -4)),
    ("one missing one goes to the lower seat", "zero_sum-2", (-10, 0, 0, 0), (-10, 4, 3, 3)),
    ("a larger fraction comes before a lower seat", "zero_sum-2", (0, 0, 10, 10), (-7, -7, 7, 7)),
]


@pytest.mark.parametrize(("clause", "ruleset", "raw", "points"), HANDS)
def test_points_of_a_hand_follow_their_clause(
    clause: str, ruleset: str, raw: Numbers, points: Numbers
) -> None:
    assert hand_points(ruleset_named(ruleset), raw) == points, clause


def _tens(low: int, high: int) -> st.SearchStrategy[Numbers]:
    one = st.integers(low, high).map(lambda tens: 10 * tens)
    return st.tuples(one, one, one, one)


@given(_tens(-2000, 2000))
def test_shares_add_up_to_0_and_are_off_by_less_than_one(raw: Numbers) -> None:
    shares = individual_shares(raw)
    assert sum(shares) == 0
    for seat in SEATS:
        assert abs(shares[seat] - (raw[seat] - Fraction(sum(raw) - raw[seat], 3))) < 1


@given(_tens(-2000, 2000), st.sampled_from([r for r in RULESETS.values() if not r.by_blood]))
def test_points_of_every_hand_add_up_to_0(raw: Numbers, ruleset: Ruleset) -> None:
    assert sum(hand_points(ruleset, raw)) == 0


@given(_tens(-2500, 2500), st.sampled_from([r.name for r in RULESETS.values() if r.by_blood]))
def test_settlement_turns_with_the_table(blood: Numbers, name: str) -> None:
    ruleset = ruleset_named(name)
    points = settle(ruleset, blood)
    turned = settle(ruleset, (blood[1], blood[2], blood[3], blood[0]))
    assert turned == (points and (points[1], points[2], points[3], points[0]))
    assert (points is not None) == match_is_decided(ruleset, blood)


@given(_tens(-2500, 2500))
def test_no_loser_pays_more_than_the_cap_and_no_winner_loses(blood: Numbers) -> None:
    points = settle(ruleset_named("blood-1"), blood)
    for seat in SEATS if points else ():
        assert points is not None
        assert points[seat] >= -40
        if blood[seat] == max(blood):
            assert points[seat] >= 0


LIMITS = [
    ("blood-1", (0, 0, 0, 0), (0, 0, 0, 0), 255, None, None),
    ("blood-1", (500, -500, 0, 0), (0, 0, 0, 0), 256, None, ("limit", (0, 0, 0, 0))),
    ("blood-1", (1000, 0, 0, 0), (0, 0, 0, 0), 256, None, ("threshold", (30, -10, -10, -10))),
    ("zero_sum-1", (0, 0, 0, 0), (12, -12, 0, 0), 3, 4, None),
    ("zero_sum-1", (0, 0, 0, 0), (12, -12, 0, 0), 4, 4, ("hands_played", (12, -12, 0, 0))),
    ("zero_sum-1", (0, 0, 0, 0), (12, -12, 0, 0), 256, 256, ("hands_played", (12, -12, 0, 0))),
]


@pytest.mark.parametrize(("name", "blood", "points", "hands", "agreed", "over"), LIMITS)
def test_match_ends_by_threshold_hands_agreed_or_the_limit(
    name: str,
    blood: Numbers,
    points: Numbers,
    hands: int,
    agreed: int | None,
    over: tuple[str, Numbers] | None,
) -> None:
    assert points_at_end(ruleset_named(name), blood, points, hands, agreed) == over
