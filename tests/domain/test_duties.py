"""What the service owes a match, and when: from the log, its own start, and nothing hidden."""

import hashlib
from datetime import timedelta

import msgspec
import pytest

from domain import commands
from domain.autopilot import choose_play
from domain.duties import AUTOPILOT_DELAY_S, GONE_AFTER, Duty, duty_of, missed_after, missed_in
from domain.events import Clocks
from domain.rulesets import RULESETS
from domain.seats import SEATS
from domain.visibility import view
from tests.support.tables import MORNING, PLAYERS, Table, opened, opening

CLOCKS = Clocks(seat_s=30, declare_s=15, play_s=20, pause_s=5, grace_s=10)
LONG_AGO = MORNING - timedelta(days=1)


def seated(*, committed: bool = False) -> Table:
    table = opened(RULESETS["zero_sum-1"], clocks=CLOCKS)
    commitment = hashlib.sha256(bytes(32)).hexdigest() if committed else None
    return table.ask(*[commands.TakeSeat(seat=s, player=PLAYERS[s], commitment=commitment) for s in SEATS])


def after(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_match_that_waits_for_players_is_closed_when_nobody_comes_for_an_hour() -> None:
    table = opened(RULESETS["blood-1"])
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(3600), "close_offer")
    table.wait(60).ask(commands.TakeSeat(seat=0, player=PLAYERS[0]))
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(3660), "close_offer")


def test_who_owes_a_nonce_is_unseated_when_the_time_for_it_has_passed() -> None:
    match = seated(committed=True).match
    assert duty_of(match, LONG_AGO) == Duty(MORNING + after(30), "unseat")


def test_declaration_window_is_closed_at_its_end() -> None:
    assert duty_of(seated().match, LONG_AGO) == Duty(MORNING + after(15), "close_declarations")


def test_turn_is_played_when_its_time_has_passed() -> None:
    table = seated().wait(3).everyone_done()
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(23), "play", table.hand.turn)


def test_hand_is_dealt_after_the_pause() -> None:
    table = seated().everyone_done().play_hand()
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(5), "deal")


def test_ended_match_is_owed_nothing() -> None:
    table = seated().ask(commands.AbandonMatch(cause="x", by="y"))
    assert duty_of(table.match, LONG_AGO) is None


@pytest.mark.parametrize("committed", [True, False])
def test_no_seat_loses_its_time_while_the_service_is_down(committed: bool) -> None:
    table = seated(committed=committed)
    restarted = MORNING + after(600)
    due = duty_of(table.match, restarted)
    assert due is not None
    assert due.at == restarted + after(10)
    if not committed:
        due = duty_of(table.everyone_done().match, restarted)
        assert due is not None
        assert due.at == restarted + after(10)


def test_seat_handed_over_is_acted_for_after_the_same_delay_whatever_it_holds() -> None:
    table = seated().ask(commands.HandOverSeat(seat=2))
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(AUTOPILOT_DELAY_S), "declare", 2)
    table.wait(3).everyone_done()
    while table.hand.turn != 2:
        table.play_any(1)
    assert duty_of(table.match, LONG_AGO) == Duty(MORNING + after(3 + AUTOPILOT_DELAY_S), "play", 2)


def test_seat_that_lets_three_turns_pass_in_a_row_is_replaced() -> None:
    table = seated().everyone_done()
    missed = (0, 0, 0, 0)
    turn = table.hand.turn
    assert turn is not None
    before = table.match
    table.play_any(1)
    event = table.events[-1]
    by_autopilot = type(event)(
        **{**{f: getattr(event, f) for f in event.__struct_fields__}, "by": "autopilot"}
    )
    for number in range(1, GONE_AFTER + 1):
        missed = missed_after(missed, before, by_autopilot)
        assert missed[turn] == number
    assert duty_of(table.match, LONG_AGO, missed) == Duty(table.match.at, "replace", turn)
    # A turn he plays himself, or being handed over, begins the count anew.
    assert missed_after(missed, before, event) == (0, 0, 0, 0)
    table.ask(commands.HandOverSeat(seat=turn))
    assert missed_after(missed, before, table.events[-1]) == (0, 0, 0, 0)


@pytest.mark.parametrize("policy", ["play_on", "abandon"])
def test_match_that_nobody_plays_is_broken_off_if_that_is_its_policy(policy: str) -> None:
    offer = opening(RULESETS["zero_sum-1"], clocks=CLOCKS)
    table = Table().ask(msgspec.structs.replace(offer, abandonment=policy))
    table.ask(*[commands.TakeSeat(seat=s, player=PLAYERS[s]) for s in SEATS])
    table.ask(*[commands.HandOverSeat(seat=seat) for seat in (0, 1, 2)])
    due = duty_of(table.match, LONG_AGO)
    assert due is not None
    assert due.task == "declare"
    table.ask(commands.HandOverSeat(seat=3))
    due = duty_of(table.match, LONG_AGO)
    assert due is not None
    assert due.task == ("break_off" if policy == "abandon" else "declare")


def test_turns_missed_follow_from_the_log() -> None:
    table = seated().everyone_done()
    turn = table.hand.turn
    assert turn is not None
    table.wait(20).ask(
        commands.PlayCards(seat=turn, cards=choose_play(view(table.match, turn)), by="autopilot")
    )
    missed = missed_in(table.events)
    assert missed[turn] == 1
    assert sum(missed) == 1


def test_autopilot_of_a_seat_handed_over_does_not_count_as_missed() -> None:
    table = seated().ask(*[commands.HandOverSeat(seat=seat) for seat in SEATS]).everyone_done()
    turn, before = table.hand.turn, table.match
    assert turn is not None
    table.ask(commands.PlayCards(seat=turn, cards=choose_play(view(before, turn)), by="autopilot"))
    assert missed_after((0, 0, 0, 0), before, table.events[-1]) == (0, 0, 0, 0)


def test_opening_on_these_clocks_is_admitted() -> None:
    assert opening(RULESETS["blood-1"], clocks=CLOCKS).clocks == CLOCKS
