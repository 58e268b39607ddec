"""Scores are explained in both languages, and every explanation ends with the number that was recorded."""

import re
from random import Random

import pytest
from msgspec import json

from domain.events import HandEnded, MatchSettled
from domain.rulesets import RULESETS, Ruleset
from domain.seats import SEATS
from domain.settlement import hand_points, settle
from replays.score_words import Line, account_lines, points_lines, settlement_lines
from tests.replays.matches import recorded_match

BLOOD = [ruleset for ruleset in RULESETS.values() if ruleset.by_blood]
POINTS = [ruleset for ruleset in RULESETS.values() if not ruleset.by_blood]


def _number_at_the_end(text: str) -> int:
    return int(re.findall(r"[+−-]?\d+", text)[-1].replace("−", "-"))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_account_ends_with_the_raw_score_in_both_languages(ruleset: str) -> None:
    for event in recorded_match(ruleset, seed=1, hands=3):
        if isinstance(event, HandEnded):
            for account, raw in zip(event.accounts, event.raw_scores, strict=True):
                lines = account_lines(account)
                assert _number_at_the_end(lines[-1].en) == _number_at_the_end(lines[-1].zh) == raw
                assert all(_numbers_of(line.en) == _numbers_of(line.zh) for line in lines)


def _numbers_of(text: str) -> list[str]:
    return re.findall(r"\d+", text)


@pytest.mark.parametrize("ruleset", POINTS, ids=lambda ruleset: str(ruleset.name))
def test_points_of_a_hand_are_explained_with_the_recorded_number(ruleset: Ruleset) -> None:
    numbers = Random(ruleset.name)
    for _ in range(50):
        first, second, third, fourth = (numbers.randrange(-80, 80) * 10 for _ in SEATS)
        raw = (first, second, third, fourth)
        for line, points in zip(points_lines(ruleset, raw), hand_points(ruleset, raw), strict=True):
            assert _number_at_the_end(line.en) == _number_at_the_end(line.zh) == points


def _settled(ruleset: Ruleset, blood: tuple[int, int, int, int]) -> MatchSettled | None:
    points = settle(ruleset, blood)
    if points is None:
        return None
    event = next(e for e in recorded_match("zero_sum-1", seed=1, hands=1) if isinstance(e, MatchSettled))
    return MatchSettled(
        match=event.match, version=2, at=event.at, players=event.players,
        blood=blood, points=points, cause="threshold",
    )  # fmt: skip


@pytest.mark.parametrize("ruleset", BLOOD, ids=lambda ruleset: str(ruleset.name))
def test_settlement_names_every_seat_with_its_recorded_points(ruleset: Ruleset) -> None:
    assert ruleset.settlement is not None
    numbers, seen = Random(ruleset.name), set()
    reach = 2 * ruleset.settlement.threshold // 10
    for _ in range(400):
        first, second, third, fourth = (numbers.randrange(-reach, reach) * 10 for _ in SEATS)
        settled = _settled(ruleset, (first, second, third, fourth))
        if settled is None:
            continue
        lines = settlement_lines(ruleset, settled)
        for seat, points in enumerate(settled.points):
            told = _told_of(seat, lines)
            assert told == ([points] if any(settled.points) else []), lines
        seen.add(sum(points > 0 for points in settled.points))
    assert seen >= ({2} if ruleset.partners else {1, 2, 3}), seen


def _told_of(seat: int, lines: tuple[Line, ...]) -> list[int]:
    """The last number of each line that says what a seat gains or loses."""
    of_seat = [line for line in lines if f"seat {seat}" in line.en and re.search("gains|loses", line.en)]
    assert all(f"{seat} 号座位" in line.zh for line in of_seat)
    return [_number_at_the_end(line.en) for line in of_seat]


def test_match_of_agreed_hands_says_that_their_points_are_added() -> None:
    settled = next(e for e in recorded_match("zero_sum-1", seed=1, hands=1) if isinstance(e, MatchSettled))
    (line,) = settlement_lines(RULESETS["zero_sum-1"], settled)
    assert "added up" in line.en
    assert json.encode(line)
