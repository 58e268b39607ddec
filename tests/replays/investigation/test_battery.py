"""The battery on hands of random play: what it measures, and that it measures the same whenever it is asked."""

from functools import cache
from random import Random
from uuid import UUID

import pytest

from domain.rulesets import RULESETS
from replays.investigation.battery import Deal, Decision, decision_of, scores_of
from replays.investigation.declaring import choices_of, position_with, world_with
from replays.investigation.evaluators import Evaluator
from replays.investigation.moments import Moment, moments_of
from replays.investigation.ranks import advantage, centred_rank
from replays.investigation.softness import help_for, softness
from replays.timeline import CardsNotPublic, Timeline
from tests.support.random_play import random_events

SMALL = Evaluator(worlds=5, rollouts=1, leak_bases=3, leak_fills=1)
PLAYERS = (UUID(int=10), UUID(int=11), UUID(int=12), UUID(int=13))


@cache
def moments(ruleset: str, seed: int = 3) -> tuple[Moment, ...]:
    timeline = Timeline(random_events(RULESETS[ruleset], Random(seed), hands=1))
    return tuple(moments_of(timeline, 1))


def deal(ruleset: str) -> Deal:
    return Deal(match=UUID(int=1), hand_no=1, ruleset=f"{ruleset} revision 1", players=PLAYERS)


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_a_hand_has_a_decision_for_every_play_and_one_a_seat_for_the_declarations(ruleset: str) -> None:
    found = moments(ruleset)
    declaring = [moment for moment in found if not moment.played]
    assert sorted(moment.seat for moment in declaring) == [0, 1, 2, 3]
    cards = sum(moment.played.bit_count() for moment in found)
    assert cards == 52 * RULESETS[ruleset].decks


@pytest.mark.parametrize("ruleset", ["zero_sum-1", "blood-1", "zero_sum-2-partners", "blood-2"])
def test_the_true_world_is_possible_and_what_was_played_is_legal_at_every_decision(ruleset: str) -> None:
    for moment in moments(ruleset):
        assert moment.information.admits(moment.world)
        if moment.played:
            assert moment.played in moment.position.legal_plays(moment.world)


def test_the_cards_of_a_hand_in_play_are_not_asked_for() -> None:
    events = random_events(RULESETS["zero_sum-1"], Random(3), hands=1)
    timeline = Timeline(events[: len(events) // 2])
    with pytest.raises(CardsNotPublic):
        list(moments_of(timeline, 1))


def test_a_forced_play_says_nothing() -> None:
    last = [moment for moment in moments("zero_sum-1") if moment.played][-4:]
    assert [decision_of(deal("zero_sum-1"), moment, SMALL) for moment in last] == [None] * 4


def test_a_decision_says_the_same_whenever_it_is_asked() -> None:
    made = {moment.step: decision(moment) for moment in moments("zero_sum-1")[20:40]}
    again = {moment.step: decision(moment) for moment in reversed(moments("zero_sum-1")[20:40])}
    assert made == again
    assert any(each is not None for each in made.values())


def decision(moment: Moment) -> Decision | None:
    return decision_of(deal("zero_sum-1"), moment, SMALL)


@pytest.mark.parametrize("ruleset", ["zero_sum-1", "blood-1-partners"])
def test_a_deal_score_adds_up_a_seats_own_decisions(ruleset: str) -> None:
    late = [each._replace(own=True) for each in moments(ruleset) if not each.played or each.step > 40]
    scores = scores_of(deal(ruleset), late, SMALL)
    for score in scores:
        decisions = [
            decision_of(deal(ruleset), each, SMALL)
            for each in late
            if each.seat == score.seat and each.played
        ]
        real = [each for each in decisions if each is not None]
        assert score.decisions == len(real)
        assert score.rank == pytest.approx(sum(each.rank for each in real))
        assert score.leaks[score.seat] is None
        assert score.player == PLAYERS[score.seat]
    assert sum(score.role == "leads" for score in scores) == 1


def test_nobody_is_soft_on_a_partner() -> None:
    late = [moment for moment in moments("zero_sum-1-partners") if moment.step > 40]
    for score in scores_of(deal("zero_sum-1-partners"), late, SMALL):
        assert score.soft[(score.seat + 2) % 4] is None


def test_plays_of_the_autopilot_are_counted_and_not_judged() -> None:
    late = [moment._replace(own=False) for moment in moments("zero_sum-1") if moment.step > 40]
    for score in scores_of(deal("zero_sum-1"), late, SMALL):
        assert score.decisions == 0
        assert score.rank == 0
        assert score.autopilot > 0
        assert score.mean_think_ms is None


def test_what_might_have_been_declared_differs_in_one_card() -> None:
    moment = next(each for each in moments("blood-1") if not each.played and len(choices_of(each)) > 1)
    made, *others = choices_of(moment)
    own = moment.world.hands[moment.seat]
    assert position_with(moment.position, own, made) == moment.position
    assert world_with(moment.world, moment.seat, made) == moment.world
    for other in others:
        assert len(set(made.items()) ^ set(other.items())) in (1, 2)
        assert other != made


@pytest.mark.parametrize(
    ("true", "others", "rank"),
    [(5.0, [1.0, 2.0], 0.5), (0.0, [1.0, 2.0], -0.5), (1.5, [1.0, 2.0], 0.0), (1.0, [1.0, 1.0], 0.0)],
)
def test_a_rank_lies_between_below_all_and_above_all(true: float, others: list[float], rank: float) -> None:
    assert centred_rank(true, others) == rank


def test_an_advantage_is_beyond_the_mean_of_all_plays() -> None:
    assert advantage([30.0, 0.0, 0.0], 0) == 20.0


def test_help_is_what_another_gets_beyond_the_rest() -> None:
    assert help_for([(0, 60, -20, -40), (0, 0, 0, 0)], 0, 1) == [90.0, 0.0]


def test_giving_away_at_a_cost_is_soft_and_what_goes_along_with_ones_own_result_is_not() -> None:
    own, given = [40.0, 0.0, 38.0], [-20.0, 80.0, -19.0]
    assert softness(own, given, 1, 20.0) > 1
    assert abs(softness(own, given, 0, 20.0)) < 0.3
    along = softness([0.0, 40.0, 80.0], [0.0, 20.0, 40.0], 2, 20.0)
    assert abs(along) < 0.1
