"""Boards are sums of their ledger, whatever integrity staff decide; ratings are one fold in order of settling."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest

from domain.events import Event, HandCorrected, HandEnded, MatchSettled
from domain.rulesets import RULESETS
from domain.scoring import Account, CardScore
from domain.seats import SEATS
from projections.leaderboards import LEADERBOARDS
from projections.leaderboards.booking import pigs_taken, wins
from projections.leaderboards.ratings import UNRATED, Skill, rated
from projections.leaderboards.rows import Amounts, Entry, Standing
from projections.periods import end_of, periods_of
from tests.support.read_models import Content, folded
from tests.support.stored_matches import (
    abandoned,
    annulled,
    corrected,
    lifted,
    messages_of,
    played,
    season,
    side_by_side,
)

ALL = sorted(RULESETS)


def boards(*matches: Sequence[Event]) -> Content:
    return folded(LEADERBOARDS, messages_of([event for match in matches for event in match]))


def of_type(events: Sequence[Event], kind: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def sums_of(entries: Sequence[Entry]) -> dict[tuple[str, str, str, UUID], Amounts]:
    """The boards as they follow from the ledger."""
    sums: dict[tuple[str, str, str, UUID], Amounts] = defaultdict(Amounts)
    for entry in entries:
        for period in periods_of(entry.at):
            key = (entry.ruleset, entry.origin, period, entry.player)
            sums[key] = sums[key].plus(entry.amounts) if entry.counts else sums[key]
    return {key: amounts for key, amounts in sums.items() if amounts != Amounts()}


def all_time(content: Content) -> dict[UUID, Standing]:
    return {key[3]: row for key, row in content["standings"].items() if key[2] == "all"}


def board_rows(content: Content) -> Any:
    """All that readers of boards see."""
    return content["standings"], content["ratings"], content["rating_steps"]


@pytest.mark.parametrize("seed", range(6))
def test_boards_equal_the_sums_of_their_ledger(seed: int) -> None:
    content = folded(LEADERBOARDS, messages_of(season(seed, matches=16)))
    boards = {key: standing.amounts for key, standing in content["standings"].items()}
    assert boards == sums_of(list(content["entries"].values()))
    assert boards


@pytest.mark.parametrize("seed", range(6))
def test_of_one_event_and_seat_the_newest_entry_counts_alone(seed: int) -> None:
    content = folded(LEADERBOARDS, messages_of(season(seed, matches=16)))
    newest: dict[Any, Entry] = {}
    for (match, version, seat, _), entry in sorted(content["entries"].items()):
        previous = newest.get((match, version, seat))
        assert previous is None or not previous.counts
        newest[match, version, seat] = entry


@pytest.mark.parametrize("name", ALL)
def test_points_are_those_the_events_say(name: str) -> None:
    events = played(RULESETS[name], Random(4))
    standings = all_time(boards(events))
    (settled,) = of_type(events, MatchSettled)
    hands = of_type(events, HandEnded)
    for seat in SEATS:
        row = standings[settled.players[seat]]
        assert row.points == settled.points[seat]
        assert (row.matches, row.hands) == (1, len(hands))
        assert row.slams == sum(hand.accounts[seat].rule == "slam" for hand in hands)
    assert sum(row.pigs for row in standings.values()) == RULESETS[name].decks * len(hands)


def test_blood_belongs_to_the_day_of_the_settlement_and_zero_sum_to_that_of_each_hand() -> None:
    for name in ("blood-1", "zero_sum-1"):
        events = played(RULESETS[name], Random(4), hands=None if name == "blood-1" else 3)
        content = boards(events)
        days = {periods_of(event.at)[3] for event in of_type(events, HandEnded)}
        settled = {periods_of(of_type(events, MatchSettled)[0].at)[3]}
        found = {key[2] for key, row in content["standings"].items() if len(key[2]) == 10 and row.hands}
        assert found == (settled if name == "blood-1" else days)


def test_an_abandoned_match_counts_its_zero_sum_hands_and_no_blood() -> None:
    for name in ("blood-1", "zero_sum-1"):
        random = Random(9)
        events = abandoned(played(RULESETS[name], random, hands=3)[:-1])
        hands = of_type(events, HandEnded)
        standings = all_time(boards(events))
        if name == "blood-1":
            assert not standings
            continue
        for seat in SEATS:
            row = standings[hands[0].players[seat]]
            assert row.points == sum(hand.points[seat] for hand in hands)
            assert (row.matches, row.hands, row.wins) == (0, len(hands), 0)


@pytest.mark.parametrize("name", ALL)
def test_annulling_takes_a_match_off_as_if_it_had_not_been(name: str) -> None:
    random = Random(3)
    one, two, three = (played(RULESETS[name], random) for _ in range(3))
    without = boards(one, [e for e in two if e.version == 1], three)
    gone = boards(one, two, three, annulled(two)[len(two) :])
    assert {k: v.amounts for k, v in gone["standings"].items()} == {
        k: v.amounts for k, v in without["standings"].items()
    }
    assert _skills(gone) == _skills(without)


@pytest.mark.parametrize("name", ALL)
def test_annulling_and_lifting_gives_back_the_same_boards_to_the_digit(name: str) -> None:
    random = Random(8)
    one, two, three = (played(RULESETS[name], random) for _ in range(3))
    before = boards(one, two, three)
    again = lifted(annulled(two))
    twice = lifted(annulled(again))
    for events in (again, twice):
        assert board_rows(boards(one, two, three, events[len(two) :])) == board_rows(before)


def test_a_correction_changes_points_and_winners_and_stays_in_its_period() -> None:
    for name in ALL:
        events = played(RULESETS[name], Random(5))
        changed = corrected(events, 1, (-5000, 100, 0, 0))
        (correction,) = of_type(changed, HandCorrected)
        before, after = boards(events), boards(changed)
        assert {key for key in after["standings"] if after["standings"][key].hands} == {
            key for key in before["standings"] if before["standings"][key].hands
        }
        won = wins(correction.match_points, by_blood=RULESETS[name].by_blood)
        for seat, player in enumerate(correction.players):
            row = all_time(after)[player]
            assert (row.points, row.wins) == (correction.match_points[seat], won[seat])
            assert row.hands == all_time(before)[player].hands


def test_a_correction_under_an_annulment_counts_once_that_is_lifted() -> None:
    events = played(RULESETS["zero_sum-1"], Random(5), hands=2)
    corrected_first = lifted(annulled(corrected(events, 1, (10, 20, 30, 40))))
    corrected_within = lifted(corrected(annulled(events), 1, (10, 20, 30, 40)))
    standings = [
        {key: row.amounts for key, row in boards(history)["standings"].items()}
        for history in (corrected_first, corrected_within)
    ]
    assert standings[0] == standings[1]
    assert not boards(corrected(annulled(events), 1, (10, 20, 30, 40)))["standings"]


@pytest.mark.parametrize("seed", range(4))
def test_ratings_equal_a_fold_from_nothing_over_settled_matches_that_count(seed: int) -> None:
    content = folded(LEADERBOARDS, messages_of(season(seed, matches=24)))
    skills: dict[tuple[str, str, UUID], Skill] = {}
    steps = 0
    for match in sorted(content["rated_matches"].values(), key=lambda match: match.position):
        if match.annulled:
            continue
        keys = [(match.ruleset, match.origin, player) for player in match.players]
        first, second, third, fourth = (skills.get(key, UNRATED) for key in keys)
        after = rated((first, second, third, fourth), match.results, partners=match.partners)
        skills.update(zip(keys, after, strict=True))
        steps += 4
        for key, skill in zip(keys, after, strict=True):
            step = content["rating_steps"][*key, match.position]
            assert (step.mu, step.sigma, step.at) == (*skill, match.at)
    assert _skills(content) == skills
    assert len(content["rating_steps"]) == steps


def _skills(content: Content) -> dict[Any, Skill]:
    return {key: Skill(row.mu, row.sigma) for key, row in content["ratings"].items()}


def test_ratings_follow_ranks_ties_and_sides() -> None:
    new = (UNRATED,) * 4
    first, second, third, fourth = rated(new, (30, 10, 10, -50), partners=False)
    assert first.mu > second.mu > fourth.mu
    assert second == third
    sides = rated(new, (10, -10, 10, -10), partners=True)
    assert sides[0] == sides[2] != sides[1] == sides[3]
    assert sides[0].mu > UNRATED.mu > sides[1].mu
    assert len({skill.mu for skill in rated(new, (0, 0, 0, 0), partners=False)}) == 1


def test_a_rating_moves_less_the_more_is_known() -> None:
    events = [played(RULESETS["zero_sum-1"], Random(seed), hands=1) for seed in range(40)]
    content = boards(*events)
    for (_, _, player), rating in content["ratings"].items():
        steps = [s for key, s in sorted(content["rating_steps"].items()) if key[2] == player]
        assert [step.position_before for step in steps[1:]] == [step.position for step in steps[:-1]]
        assert steps[0].position_before == 0
        assert (rating.mu, rating.position) == (steps[-1].mu, steps[-1].position)
        assert rating.sigma < UNRATED.sigma


@pytest.mark.parametrize(
    ("results", "by_blood", "won"),
    [
        ((10, -10, -20, -30), True, (1, 0, 0, 0)),
        ((10, 10, -20, 6), True, (1, 1, 0, 1)),
        ((0, 0, 0, 0), True, (0, 0, 0, 0)),
        ((960, -3516, -960, 3516), False, (0, 0, 0, 1)),
        ((1500, -1500, 1500, -1500), False, (1, 0, 1, 0)),
        ((0, 0, 0, 0), False, (1, 1, 1, 1)),
    ],
)
def test_blood_is_won_by_gaining_points_and_zero_sum_by_the_highest_total(
    results: tuple[int, int, int, int], by_blood: bool, won: tuple[int, int, int, int]
) -> None:
    assert wins(results, by_blood=by_blood) == won


def test_a_slam_takes_every_pig() -> None:
    pig = CardScore("SQa", -100, 1)
    assert pigs_taken(Account(rule="slam", raw=800), decks=2) == 2
    assert pigs_taken(Account(rule="sum", raw=-100, pigs=(pig,)), decks=2) == 1
    assert pigs_taken(Account(rule="nothing", raw=0), decks=1) == 0


def test_matches_of_one_log_do_not_touch_each_other() -> None:
    random = Random(1)
    matches = [played(RULESETS[name], random) for name in ALL]
    apart = boards(*matches)["standings"]
    together = boards(side_by_side(matches, random))["standings"]
    assert together == apart


def test_periods_end_where_the_next_begins() -> None:
    for text, ends in [("2026-12-31", "2027-01-01"), ("2026-12", "2027-01-01"), ("2026", "2027-01-01")]:
        assert end_of(text) == datetime.fromisoformat(f"{ends}T00:00:00+00:00")
    assert end_of("2026-01") == datetime.fromisoformat("2026-02-01T00:00:00+00:00")
    assert end_of("all") is None
    with pytest.raises(ValueError, match="month"):
        end_of("2026-13")
