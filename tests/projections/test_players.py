"""A player's statistics are the sums of what each match that counts gave, and agree with the boards."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from domain.events import CardsPlayed, Event, HandEnded
from domain.match import fold
from domain.rulesets import RULESETS
from projections.leaderboards import LEADERBOARDS
from projections.players import PLAYER_STATISTICS
from projections.players.rows import Statistics
from tests.support.read_models import Content, folded
from tests.support.stored_matches import annulled, corrected, lifted, messages_of, played, season

SEEDS = pytest.mark.parametrize("seed", range(4))


def statistics(events: Sequence[Event]) -> Content:
    return folded(PLAYER_STATISTICS, messages_of(events))


def sums(content: Content) -> dict[Any, Statistics]:
    return {key: row.statistics for key, row in content["players"].items() if row.statistics != Statistics()}


@SEEDS
def test_a_players_row_is_the_sum_of_what_counts(seed: int) -> None:
    content = statistics(season(seed, matches=24))
    summed: dict[Any, Statistics] = defaultdict(Statistics)
    for row in content["participations"].values():
        if row.counts:
            key = (row.player, row.ruleset, row.origin)
            summed[key] = summed[key].plus(row.statistics)
    assert sums(content) == dict(summed)


@SEEDS
def test_points_matches_and_wins_agree_with_the_boards(seed: int) -> None:
    events = season(seed, matches=24)
    boards = folded(LEADERBOARDS, messages_of(events))["standings"]
    found = sums(statistics(events))
    for (ruleset, origin, period, player), row in boards.items():
        if period == "all":
            own = found[player, ruleset, origin]
            assert (own.points, own.matches, own.wins) == (row.points, row.matches, row.wins)
            assert own.hands >= row.hands


@SEEDS
def test_results_are_those_that_now_stand(seed: int) -> None:
    events = season(seed, matches=24)
    for row in statistics(events)["participations"].values():
        match = fold(event for event in events if event.match == row.match)
        assert match is not None
        assert [raw for raw, _ in row.results] == [raws[row.seat] for raws in match.raw_scores]
        assert row.statistics.raw_score == sum(raws[row.seat] for raws in match.raw_scores)
        assert row.counts != match.annulled


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_hands_plays_and_times_are_counted(name: str) -> None:
    events = played(RULESETS[name], Random(2))
    found = list(sums(statistics(events)).values())
    hands = [event for event in events if isinstance(event, HandEnded)]
    plays = [event for event in events if isinstance(event, CardsPlayed)]
    assert {one.hands for one in found} == {len(hands)}
    assert sum(one.plays + one.autopilot_plays for one in found) == len(plays)
    assert sum(one.think_ms for one in found) == sum(p.think_ms for p in plays if p.by == "player")
    assert sum(one.pigs for one in found) == RULESETS[name].decks * len(hands)
    declared = [d for hand in hands for d in hand.declarations if not d.automatic]
    assert sum(one.declared_open + one.declared_hidden for one in found) == len(declared)


def test_declared_pigs_that_come_back_are_counted() -> None:
    total = 0
    for seed in range(20):
        events = played(RULESETS["blood-2"], Random(seed), hands=2)
        expected = 0
        for hand in (event for event in events if isinstance(event, HandEnded)):
            for seat, account in enumerate(hand.accounts):
                own = {d.card for d in hand.declarations if d.seat == seat and d.card.startswith("SQ")}
                expected += len(own) if account.rule == "slam" else sum(p.card in own for p in account.pigs)
        assert sum(one.declared_pigs_taken for one in sums(statistics(events)).values()) == expected
        total += expected
    assert total


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_annulling_and_lifting_gives_back_the_same_statistics(name: str) -> None:
    one, two = (played(RULESETS[name], Random(seed)) for seed in (1, 2))
    before = statistics([*one, *two])
    assert sums(statistics([*one, *annulled(two)])) == sums(statistics(one))
    assert statistics([*one, *lifted(annulled(two))]) == before
    changed = corrected(two, 1, (10, -20, 30, -40))
    assert sums(statistics([*one, *lifted(annulled(changed))])) == sums(statistics([*one, *changed]))
