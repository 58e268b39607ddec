"""Reviews find what is plainly wrong, blame nobody for what he could not know, and are the same every time."""

from functools import cache, partial
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import DeclareCard
from domain.events import HandEnded
from domain.rulesets import RULESETS
from domain.seats import SEATS
from replays.review import (
    HandNotEnded,
    HandReview,
    Reviewed,
    ReviewSettings,
    Stopped,
    exercises_of,
    judging,
    player_reviews,
    review_hand,
)
from replays.review.decisions import decisions_of
from replays.review.estimates import Estimate
from replays.review.hands import review_decision
from replays.review.judging import MOST_EXACT
from replays.review.sizes import points_per_value, size_of, stakes
from replays.timeline import CardsNotPublic, Timeline
from replays.worlds import Numbers, Sampler
from tests.replays.matches import public, recorded_match, until_last_hand_ends
from tests.support.random_play import random_events
from tests.support.tables import PLAYERS, Table, dealt

QUICK = ReviewSettings(worlds=60, playouts=20)
HAND_OF_3 = "SA S2 H2 H3 H4 H5 H6 D2 D3 D4 D5 D6 D7"


def reviewed(table: Table, settings: ReviewSettings = QUICK) -> HandReview:
    """The review of the hand of a table, which is played to its end first."""
    return review_hand(Timeline(public(tuple(table.play_hand().events))), 1, settings)


def play_by(review: HandReview, seat: int, trick_no: int = 1) -> Reviewed:
    """What a seat played to a trick."""
    return next(one for one in review.decisions if one.seat == seat and one.trick_no == trick_no)


@cache
def table_of(ruleset: str, seed: int = 1) -> Timeline:
    """A hand played at random."""
    return Timeline(public(tuple(random_events(RULESETS[ruleset], Random(f"{ruleset} {seed}"), hands=1))))


# --- what it finds -------------------------------------------------------------------------------------------------


def pig_taken() -> Table:
    """The last to play takes a trick with the pig in it, though it has a low spade."""
    table = dealt(RULESETS["blood-1"], {0: "C2 S3", 1: "SQ", 2: "S4", 3: HAND_OF_3}).everyone_done()
    return table.play("S3", "SQ", "S4", "SA")


def test_obvious_blunder_is_found_and_the_better_play_is_named() -> None:
    timeline = Timeline(public(tuple(pig_taken().play_hand().events)))
    decision = next(one for one in decisions_of(timeline, 1) if one.seat == 3 and one.kind == "play")
    taken = review_decision(decision, 400, ReviewSettings(worlds=1000, playouts=50))
    assert (taken.chosen, taken.best, taken.best_shown, taken.size) == ("SA", "S2", "S2", "blunder")
    assert taken.made.known_cost.mean > 80
    assert taken.made.shown_cost.mean > 80
    assert taken.choices[0].label == "S2"
    assert taken.choices[0].known_cost == Estimate(0.0, 0.0)


def test_with_few_worlds_nothing_is_called_a_mistake() -> None:
    assert play_by(reviewed(pig_taken()), 3).size == "inaccuracy"


def test_forced_play_costs_nothing() -> None:
    review = reviewed(pig_taken())
    forced = [one for one in review.decisions if len(one.choices) == 1]
    assert len(forced) >= 4  # everyone's last card at least
    for one in forced:
        assert one.size == "forced"
        assert one.made.known_cost == one.made.shown_cost == Estimate(0.0, 0.0)


def test_play_that_only_hidden_cards_made_bad_is_blamed_on_nobody() -> None:
    timeline = table_of("blood-1")
    decision = next(one for one in decisions_of(timeline, 1) if one.kind == "play" and len(one.options) > 3)
    other = Sampler(decision.information).draw(Numbers(5))
    assert other != decision.truth
    one, two = (
        review_decision(replace(decision, truth=truth), 400, QUICK) for truth in (decision.truth, other)
    )
    assert [choice.known for choice in one.choices] == [choice.known for choice in two.choices]
    assert [choice.known_cost for choice in one.choices] == [choice.known_cost for choice in two.choices]
    assert [choice.shown for choice in one.choices] != [choice.shown for choice in two.choices]
    assert one.size == two.size


def test_card_declared_is_compared_with_what_else_could_be_done_with_it() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 SQ", 1: "HA"})
    table.ask(DeclareCard(seat=0, card="SQ", level="open")).everyone_done()
    review = reviewed(table)
    declared, kept = (
        one for one in review.decisions if one.kind == "declaration" and one.card in ("SQ", "HA")
    )
    assert (declared.seat, declared.card, declared.chosen) == (0, "SQ", "open")
    assert (kept.seat, kept.card, kept.chosen) == (1, "HA", "none")
    for one in (declared, kept):
        assert {choice.label for choice in one.choices} == {"none", "hidden", "open"}


def test_where_nothing_is_declared_face_down_there_are_two_choices() -> None:
    review = reviewed(dealt(RULESETS["zero_sum-1"], {0: "C2 SQ HA"}))
    assert [(one.seat, one.card) for one in review.decisions if one.kind == "declaration"][:2] == [
        (0, "SQ"),
        (0, "HA"),
    ]
    assert all(len(one.choices) == 2 for one in review.decisions if one.kind == "declaration")


def test_hand_of_two_decks_that_was_imported_is_reviewed() -> None:
    table = dealt(RULESETS["zero_sum-2"], {0: "C2a C2b HAa HAb", 1: "SQa SQb"})
    table.everyone_done().play("C2a C2b")
    review = reviewed(table, ReviewSettings(worlds=8, playouts=4))
    led = play_by(review, 0)
    assert led.chosen == "C2a C2b"
    assert {"C2a", "C2b", "C2a C2b"} == {choice.label for choice in led.choices}
    assert review.points_per_value == 1


# --- what holds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["blood-1-partners", "blood-2"])
def test_same_settings_give_the_same_review(ruleset: str) -> None:
    settings = ReviewSettings(worlds=6, playouts=3)
    first, again, other = (
        review_hand(table_of(ruleset), 1, each) for each in (settings, settings, replace(settings, seed=2))
    )
    assert first == again
    assert first != other
    assert msgspec.json.decode(msgspec.json.encode(first), type=HandReview) == first


def test_every_decision_is_there_in_order() -> None:
    timeline = table_of("blood-1")
    review = review_hand(timeline, 1, ReviewSettings(worlds=2, playouts=2))
    plays = [one for one in review.decisions if one.kind == "play"]
    assert len(plays) == 52
    assert len([one for one in review.decisions if one.kind == "declaration"]) == 4
    assert [one.step for one in review.decisions] == sorted(one.step for one in review.decisions)
    for one in plays:
        event = timeline.step(one.step).event
        assert " ".join(sorted(getattr(event, "cards", ()))) == " ".join(sorted(one.chosen.split()))


def test_luck_is_what_plain_players_make_of_the_deal() -> None:
    timeline = table_of("blood-1")
    review = review_hand(timeline, 1, QUICK)
    ended = next(step.event for step in timeline if isinstance(step.event, HandEnded))
    for seat, luck in enumerate(review.luck):
        others = sum(ended.raw_scores) - ended.raw_scores[seat]
        assert luck.result == pytest.approx(ended.raw_scores[seat] - others / 3, abs=0.01)
        assert luck.adjusted == pytest.approx(luck.result - luck.deal.mean, abs=0.02)
    assert sum(luck.deal.mean for luck in review.luck) == pytest.approx(0, abs=0.1)


def test_time_runs_out_between_decisions_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    with pytest.raises(Stopped, match="hand 1 ran out of time at decision 3 of 56"):
        review_hand(
            table_of("blood-1"),
            1,
            ReviewSettings(worlds=2, playouts=2),
            keep_going=lambda: len(told) < 2,
            progress=lambda done, of: told.append((done, of)),
        )
    assert told == [(1, 56), (2, 56)]


def test_only_hands_that_have_ended_are_reviewed() -> None:
    events = tuple(until_last_hand_ends(recorded_match("blood-1", 1, hands=1)))
    for told in (events, public(events)):
        with pytest.raises((HandNotEnded, CardsNotPublic)):
            review_hand(Timeline(told), 1, QUICK)


# --- sizes ---------------------------------------------------------------------------------------------------------


def test_sizes_are_shares_of_what_is_at_stake() -> None:
    at_stake = stakes(RULESETS["blood-1"], {})
    assert at_stake == 400
    assert [size_of(Estimate(cost, 0.1), at_stake, 1000) for cost in (0, 9, 10, 29, 30, 79, 80)] == [
        "good", "good", "inaccuracy", "inaccuracy", "mistake", "mistake", "blunder",
    ]  # fmt: skip
    assert size_of(Estimate(80, 27), at_stake, 1000) == "good"
    assert size_of(Estimate(80, None), at_stake, 1000) == "good"
    assert size_of(Estimate(80, 0.1), at_stake, 999) == "inaccuracy"
    assert stakes(RULESETS["blood-2"], {}) == 800


def test_points_of_a_hand_follow_from_its_value() -> None:
    assert {
        name: points_per_value(RULESETS[name]) for name in ("blood-1", "zero_sum-1", "zero_sum-2-partners")
    } == {
        "blood-1": None,
        "zero_sum-1": 12,
        "zero_sum-2-partners": 0.5,
    }


# --- exercises and players -----------------------------------------------------------------------------------------


def test_exercise_shows_what_its_seat_saw_and_keeps_the_answer_apart() -> None:
    timeline = Timeline(public(tuple(pig_taken().play_hand().events)))
    review = review_hand(timeline, 1, QUICK)
    exercise = next(one for one in exercises_of(timeline, review, SEATS) if "SA" in one.options)
    assert exercise.view == timeline.view(exercise.step, 3)
    assert exercise.view.hand is not None
    assert exercise.view.hand.all_cards is None
    assert exercise.options == ("S2", "SA")
    assert (exercise.answer.best, exercise.answer.chosen) == ("S2", "SA")
    assert list(exercises_of(timeline, review, [])) == []
    assert {one.seat for one in exercises_of(timeline, review, [3])} == {3}


def test_players_hands_of_one_ruleset_are_taken_together() -> None:
    table = pig_taken()
    review = reviewed(table)
    (row,) = player_reviews(PLAYERS[3], [review, review])
    assert (row.hands, row.ruleset, row.adjusted.error) == (2, "blood-1", 0.0)
    own = [one for one in review.decisions if one.seat == 3 and one.size != "forced"]
    assert row.decisions == 2 * len(own)
    assert row.agreement == sum(one.chosen == one.best for one in own) / len(own)
    assert row.sizes["inaccuracy"] >= 2
    assert row.cost.mean == pytest.approx(sum(one.made.known_cost.mean for one in own), abs=0.01)
    assert player_reviews(PLAYERS[3], []) == []
    (alone,) = player_reviews(PLAYERS[0], [review])
    assert alone.cost.error is None


# --- endings -------------------------------------------------------------------------------------------------------


def test_last_tricks_are_worked_out_to_the_end() -> None:
    review = review_hand(table_of("blood-1"), 1, ReviewSettings(worlds=4, playouts=3))
    plays = [one for one in review.decisions if one.kind == "play"]
    few = [int(one.worlds) <= MOST_EXACT for one in plays]
    assert [one.method == "exact" for one in plays] == [False] * 40 + few[40:]
    assert sum(few[40:]) >= 8
    assert all(choice.shown.error == 0 for one in plays if one.method == "exact" for choice in one.choices)
    assert {one.method for one in review.decisions if one.kind == "declaration"} == {"playouts"}


@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-2-partners"])
def test_review_is_the_same_with_and_without_numba(ruleset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    settings, found = ReviewSettings(worlds=70, playouts=2), []
    decisions = list(decisions_of(table_of(ruleset), 1))[::13]
    parts = {name: getattr(judging, name) for name in ("evaluate", "draw_worlds")}
    for compiled in (True, False):
        for name, part in parts.items():
            monkeypatch.setattr(judging, name, partial(part, compiled=compiled))
        found.append([review_decision(decision, 400, settings) for decision in decisions])
    assert found[0] == found[1]
