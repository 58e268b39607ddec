"""What integrity staff decide about matches that have ended."""

from random import Random

import msgspec
import pytest

from domain import commands
from domain.errors import AlreadyAnnulled, MatchNotEnded, NoSuchHand, NotAnnulled
from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from domain.match import Match
from domain.rulesets import ruleset_named
from domain.settlement import hand_points, settle
from tests.support.random_play import random_match
from tests.support.scenarios import given, happened
from tests.support.tables import Table, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
STAFF = {"case": "2026-17", "cause": "shared cards", "by": "integrity"}
ANNUL, LIFT = commands.AnnulMatch(**STAFF), commands.LiftAnnulment(**STAFF)
ABANDON = commands.AbandonMatch(cause="gone", by="service")


def _corrects(hand_no: int, raw: tuple[int, int, int, int]) -> commands.CorrectHand:
    return commands.CorrectHand(**STAFF, hand_no=hand_no, raw_scores=raw)


def _settled_zero_sum() -> Table:
    """A zero_sum match of two hands, both played."""
    return seated(ZERO_SUM, hands=2).play_hand().ask(commands.DealHand()).play_hand()


def _settled_blood() -> Table:
    """A blood match of several hands, settled by threshold."""
    for seed in range(50):
        table = Table()
        for step in random_match(BLOOD, Random(seed)):
            table.decide(step.command)
        if table.match.hands_ended >= 3:
            return table
    raise AssertionError("no seed gives a match of three hands")


def test_ended_match_is_annulled_and_the_annulment_lifted() -> None:
    table = _settled_zero_sum()
    given(table).when(LIFT).is_refused(NotAnnulled)
    assert given(table).when(ANNUL).then(happened(MatchAnnulled, **STAFF)).annulled
    given(table.ask(ANNUL)).when(ANNUL).is_refused(AlreadyAnnulled)
    assert not given(table).when(LIFT).then(happened(AnnulmentLifted, **STAFF)).annulled
    given(table.ask(LIFT)).when(ANNUL).then(happened(MatchAnnulled))


def test_abandoned_match_can_be_annulled_too() -> None:
    given(seated(BLOOD).ask(ABANDON)).when(ANNUL).then(happened(MatchAnnulled))


@pytest.mark.parametrize("command", [ANNUL, _corrects(1, (0, 0, 0, 0))], ids=["annul", "correct"])
def test_match_that_goes_on_is_not_judged(command: commands.Command) -> None:
    table = seated(ZERO_SUM).play_hand()
    given(table).when(command).is_refused(MatchNotEnded)


def test_only_a_finished_hand_is_corrected() -> None:
    table = _settled_zero_sum()
    for hand_no in (0, 3, -1):
        given(table).when(_corrects(hand_no, (0, 0, 0, 0))).is_refused(NoSuchHand, hand_no=hand_no)


def test_corrected_zero_sum_hand_changes_its_points_and_the_match_s() -> None:
    table = _settled_zero_sum()
    raw = (-100, 0, 50, -200)
    points, other = hand_points(ZERO_SUM, raw), hand_points(ZERO_SUM, table.match.raw_scores[1])
    total = tuple(mine + its for mine, its in zip(points, other, strict=True))
    match = (
        given(table)
        .when(_corrects(1, raw))
        .then(
            happened(HandCorrected, hand_no=1, raw_scores=raw, points=points, blood=None, match_points=total)
        )
    )
    assert (match.points, match.raw_scores[0], match.corrected) == (total, raw, True)


def test_hand_of_an_abandoned_zero_sum_match_is_corrected_without_a_settlement() -> None:
    table = seated(ZERO_SUM).play_hand().ask(ABANDON)
    raw = (0, 0, 0, -120)
    match = (
        given(table)
        .when(_corrects(1, raw))
        .then(happened(HandCorrected, points=hand_points(ZERO_SUM, raw), match_points=None))
    )
    assert match.points == hand_points(ZERO_SUM, raw)


def _blood_of(match: Match, hands: int) -> tuple[int, ...]:
    return tuple(map(sum, zip(*match.raw_scores[:hands], strict=True)))


def test_corrected_blood_hand_changes_blood_from_there_on_and_the_settlement() -> None:
    table = _settled_blood()
    hands = table.match.hands_ended
    raw = (-2000, 100, 50, 0)
    before = _blood_of(table.match, 1)
    after = tuple(b + r for b, r in zip(before, raw, strict=True))
    changed = msgspec.structs.replace(
        table.match, raw_scores=(table.match.raw_scores[0], raw, *table.match.raw_scores[2:])
    )
    blood = _blood_of(changed, hands)
    points = settle(BLOOD, blood) or (0, 0, 0, 0)  # type: ignore[arg-type]
    match = (
        given(table)
        .when(_corrects(2, raw))
        .then(happened(HandCorrected, hand_no=2, blood=after, points=None, match_points=points))
    )
    assert (match.blood, match.points) == (blood, points)


def test_correction_does_not_move_where_the_match_ended() -> None:
    table = _settled_blood()
    raws = [(0, 0, 0, 0)] * table.match.hands_ended
    for number, raw in enumerate(raws, start=1):
        table.ask(_corrects(number, raw))
    assert table.match.phase == "settled"
    assert (table.match.blood, table.match.points) == ((0, 0, 0, 0), (0, 0, 0, 0))


def test_second_correction_replaces_the_first() -> None:
    table = _settled_zero_sum().ask(_corrects(1, (-100, 0, 0, 0)), _corrects(1, (0, 0, 0, 0)))
    assert table.match.points == hand_points(ZERO_SUM, table.match.raw_scores[1])
