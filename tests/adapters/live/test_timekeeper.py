"""Clocks: the service acts when the time has come, once, and never for anything hidden."""

import asyncio
import hashlib
import random
from collections.abc import Awaitable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from adapters.clock import SystemClock
from adapters.composition import Ports, live_service
from adapters.group_commit import LogUnavailable
from adapters.live.service import LiveService
from adapters.live.timekeeper import _only_at
from adapters.randomness import SeededRandomness
from domain.commands import AbandonMatch, Command, HandOverSeat, PlayCards, RevealNonce, SayDone, TakeSeat
from domain.decisions import decide_and_evolve
from domain.duties import AUTOPILOT_DELAY_S, GONE_AFTER
from domain.errors import CommandRefused
from domain.events import (
    CardsPlayed,
    Clocks,
    DeclarationsClosed,
    Event,
    HandDealt,
    MatchAbandoned,
    MatchSettled,
    PlayerLeft,
    SeatHandedOver,
)
from domain.match import Match
from tests.support.live import ManualClock, calm, live_on, player, served
from tests.support.services import START, match_id, next_command, play_on

MATCH = match_id(1)
CLOCKS = Clocks(seat_s=30, declare_s=15, play_s=20, pause_s=5, grace_s=10)


async def seated(live: LiveService, match: UUID = MATCH, **terms: Any) -> Match:
    await live.service.handle(match, served(match, clocks=CLOCKS, **terms))
    for seat in range(3):
        await live.service.handle(match, TakeSeat(seat=seat, player=player(seat)))
    return (await live.service.handle(match, TakeSeat(seat=3, player=player(3)))).state


async def playing(live: LiveService, match: UUID = MATCH, **terms: Any) -> Match:
    dealt = await seated(live, match, **terms)
    return await play_on(live.service, dealt, random.Random(1), until=lambda m: m.phase == "playing")


async def state(live: LiveService, match: UUID = MATCH) -> Match:
    await calm(live)
    return await live.service.fresh(match)


def play_by(match: Match, chance: random.Random) -> PlayCards:
    command = next_command(match, chance)
    assert isinstance(command, PlayCards)
    return command


def test_window_and_turn_end_at_their_deadlines_and_not_before(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            await seated(live)
            clock.move(14.999)
            assert (await state(live)).phase == "declaring"
            clock.move(0.001)
            match = await state(live)
            assert match.phase == "playing"
            assert match.hand is not None
            turn = match.hand.turn
            clock.move(19.999)
            assert (await state(live)).version == match.version
            clock.move(0.001)
            after = await live.service.events(MATCH, after=(await state(live)).version - 1)
            (played,) = after
            assert isinstance(played, CardsPlayed)
            assert (played.seat, played.by, played.think_ms) == (turn, "autopilot", 20_000)

    asyncio.run(play())


def test_match_that_is_heard_of_with_its_deal_is_tended_from_there(database_url: str, tmp_path: Path) -> None:
    events: list[Event] = []
    match: Match | None = None
    seats = (TakeSeat(seat=seat, player=player(seat)) for seat in range(4))
    for command in (served(MATCH, clocks=CLOCKS), *seats):
        decision = decide_and_evolve(match, command, START)
        match, events = decision.match, [*events, *decision.events]

    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            await live.service.add_match(events)
            assert (await state(live)).phase == "declaring"
            clock.move(15)
            assert (await state(live)).phase == "playing"

    asyncio.run(play())


def test_match_that_is_heard_of_with_its_end_is_not_followed(database_url: str, tmp_path: Path) -> None:
    opened = decide_and_evolve(None, served(MATCH, clocks=CLOCKS), START)
    ended = decide_and_evolve(opened.match, AbandonMatch(cause="asked", by="opener"), START)

    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            await live.service.add_match([*opened.events, *ended.events])
            assert live.tables.known(MATCH) is None

    asyncio.run(play())


def test_next_hand_is_dealt_after_the_pause(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            match = await playing(live)
            match = await play_on(
                live.service, match, random.Random(1), until=lambda m: m.phase == "between_hands"
            )
            clock.move(4.999)
            assert (await state(live)).phase == "between_hands"
            clock.move(0.001)
            (dealt,) = await live.service.events(MATCH, after=(await state(live)).version - 1)
            assert isinstance(dealt, HandDealt)

    asyncio.run(play())


def test_who_does_not_reveal_his_nonce_is_unseated(database_url: str, tmp_path: Path) -> None:
    nonces = [bytes([seat]) * 32 for seat in range(4)]

    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            await live.service.handle(MATCH, served(MATCH, clocks=CLOCKS))
            for seat, nonce in enumerate(nonces):
                commitment = hashlib.sha256(nonce).hexdigest()
                await live.service.handle(
                    MATCH, TakeSeat(seat=seat, player=player(seat), commitment=commitment)
                )
            await live.service.handle(MATCH, RevealNonce(seat=1, nonce=nonces[1].hex()))
            await live.service.handle(MATCH, RevealNonce(seat=2, nonce=nonces[2].hex()))
            clock.move(29.999)
            assert None not in (await state(live)).players
            clock.move(0.001)
            match = await state(live)
            assert match.players == (None, player(1), player(2), None)
            left = (await live.service.events(MATCH))[-2:]
            assert [(type(e), getattr(e, "cause", "")) for e in left] == [
                (PlayerLeft, "nonce not revealed")
            ] * 2

    asyncio.run(play())


def test_offer_that_nobody_takes_is_closed_after_an_hour(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            await live.service.handle(MATCH, served(MATCH, clocks=CLOCKS))
            clock.move(3_599)
            assert (await state(live)).phase == "seating"
            clock.move(1)
            assert (await state(live)).phase == "abandoned"
            assert live.tables.tended() == []

    asyncio.run(play())


def test_service_that_was_down_gives_every_seat_its_grace(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock(), 1) as live:
            match = await playing(live)
        clock = ManualClock()
        clock.move(600)
        async with live_on(database_url, tmp_path, clock, 2) as again:
            assert (await state(again)).version == match.version
            clock.move(9.999)
            assert (await state(again)).version == match.version
            clock.move(0.001)
            assert (await state(again)).version == match.version + 1

    asyncio.run(play())


def test_log_that_was_away_gives_every_seat_its_grace_too(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise LogUnavailable("away")

    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            match = await playing(live)
            monkeypatch.setattr(live.service._commits, "append", away)
            clock.move(20)
            assert (await state(live)).version == match.version
            monkeypatch.undo()
            clock.move(9.999)
            assert (await state(live)).version == match.version
            clock.move(0.001)
            assert (await state(live)).version == match.version + 1

    asyncio.run(play())


def test_seat_handed_over_is_played_for_after_the_constant_delay(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            match = await playing(live)
            assert match.hand is not None
            assert match.hand.turn is not None
            match = (await live.service.handle(MATCH, HandOverSeat(seat=match.hand.turn))).state
            clock.move(AUTOPILOT_DELAY_S - 0.001)
            assert (await state(live)).version == match.version
            clock.move(0.001)
            assert (await state(live)).version == match.version + 1

    asyncio.run(play())


def test_table_that_everybody_has_handed_over_plays_itself_to_its_end(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock) as live:
            match = await seated(live)
            for seat in range(4):
                match = (await live.service.handle(MATCH, HandOverSeat(seat=seat))).state
            while not match.ended:
                clock.move(1)
                match = await state(live)
            assert (match.phase, match.hands_ended) == ("settled", 2)
            played = [event for event in await live.service.events(MATCH) if isinstance(event, CardsPlayed)]
            assert {event.by for event in played} == {"autopilot"}

    asyncio.run(play())


def test_table_that_everybody_has_handed_over_is_broken_off_if_that_is_its_policy(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            await playing(live, abandonment="abandon")
            for seat in (0, 1, 2):
                await live.service.handle(MATCH, HandOverSeat(seat=seat))
            assert not (await state(live)).ended
            await live.service.handle(MATCH, HandOverSeat(seat=3))
            assert (await state(live)).phase == "abandoned"
            abandoned = (await live.service.events(MATCH))[-1]
            assert isinstance(abandoned, MatchAbandoned)
            assert (abandoned.cause, abandoned.by) == ("all seats are away", "service")
            assert live.tables.tended() == []

    asyncio.run(play())


@pytest.mark.parametrize(("policy", "ending"), [("play_on", MatchSettled), ("abandon", MatchAbandoned)])
def test_table_that_everybody_has_left_goes_on_or_is_abandoned_by_its_own_policy(
    database_url: str, tmp_path: Path, policy: str, ending: type
) -> None:
    """Nobody acts any more from the first turn on, and the service is started anew in the middle of it."""

    async def play() -> None:
        clock = ManualClock()
        async with live_on(database_url, tmp_path, clock, 1) as live:
            await playing(live, hands=1, abandonment=policy)
            for _ in range(6):
                clock.move(20)
                await state(live)
        async with live_on(database_url, tmp_path, clock, 2) as again:
            clock.move(10)
            match = await state(again)
            while not match.ended:
                clock.move(20)
                match = await state(again)
            events = await again.service.events(MATCH)
            assert isinstance(events[-1], ending)
            gone = [event for event in events if isinstance(event, SeatHandedOver)]
            # Each seat that is handed over has let three turns pass, whichever service counted them.
            for one in gone:
                before = [event for event in events[: one.version] if isinstance(event, CardsPlayed)]
                assert [event.seat for event in before].count(one.seat) == GONE_AFTER
            assert len(gone) == (4 if policy == "play_on" else 0)

    asyncio.run(play())


@pytest.mark.parametrize(("policy", "ending"), [("play_on", SeatHandedOver), ("abandon", MatchAbandoned)])
def test_seat_that_is_gone_for_long_is_replaced_or_ends_the_match(
    database_url: str, tmp_path: Path, policy: str, ending: type
) -> None:
    async def play() -> None:
        clock, chance = ManualClock(), random.Random(3)
        async with live_on(database_url, tmp_path, clock) as live:
            match = await playing(live, abandonment=policy)
            while not match.ended and not match.autopilot[2]:
                assert match.hand is not None
                if match.hand.turn == 2:
                    clock.move(20)
                    match = await state(live)
                else:
                    match = (await live.service.handle(MATCH, play_by(match, chance))).state
            events = await live.service.events(MATCH)
            assert any(isinstance(event, ending) for event in events)
            missed = [e for e in events if isinstance(e, CardsPlayed) and e.by == "autopilot"]
            assert [event.seat for event in missed] == [2, 2, 2]

    asyncio.run(play())


async def contested(
    live: LiveService, clock: ManualClock, chance: random.Random, match: Match, winners: dict[str, int]
) -> Match:
    """The match after one turn at whose deadline a play comes early or late, or just then."""
    assert match.hand is not None
    command, early_ms = play_by(match, chance), chance.randrange(-50, 51)
    clock.move(20 - early_ms / 1000 if early_ms > 0 else 20)
    await advance(chance.randrange(6))
    if early_ms <= 0:
        clock.move(-early_ms / 1000)
    trick = (match.hand.number, match.hand.trick_no)

    def same_turn(now: Match) -> None:
        if now.hand is None or (now.hand.number, now.hand.trick_no, now.hand.turn) != (
            *trick,
            command.seat,
        ):
            raise CommandRefused(seat=command.seat)

    with suppress(CommandRefused):
        await live.service.handle(match.id, command, guard=same_turn)
    if early_ms > 0:
        clock.move(early_ms / 1000)
    await calm(live)
    new = await live.service.events(match.id, after=match.version)
    plays = [event for event in new if isinstance(event, CardsPlayed)]
    # A play of the turn's seat first; where it took the trick, nothing of the next turn is due yet.
    assert [(p.seat, p.trick_no) for p in plays] == [(command.seat, trick[1])]
    winners[plays[0].by] += 1
    return await live.service.fresh(match.id)


async def advance(steps: int) -> None:
    for _ in range(steps):
        await asyncio.sleep(0)


def test_exactly_one_of_play_and_autopilot_is_recorded_whatever_comes_first(
    database_url: str, tmp_path: Path
) -> None:
    """1,000 turns, each with a play between 50 ms before its deadline and 50 ms after it."""

    async def play() -> None:
        clock, chance = ManualClock(), random.Random(11)
        winners: dict[str, int] = {"player": 0, "autopilot": 0}
        turns, number = 0, 0
        async with live_on(database_url, tmp_path, clock) as live:
            while turns < 1_000:
                number += 1
                match = await playing(live, match_id(number), hands=1)
                while match.phase == "playing" and turns < 1_000:
                    turns += 1
                    match = await contested(live, clock, chance, match, winners)
        assert min(winners.values()) > 200

    asyncio.run(play())


def test_exactly_one_of_play_and_autopilot_is_recorded_in_real_time(
    database_url: str, tmp_path: Path
) -> None:
    """50 tables, each with a play within 50 ms of the deadline of its first turn, on the machine's own clock."""

    async def play() -> None:
        alarm, chance = SystemClock(), random.Random(12)
        ports = Ports(alarm, SeededRandomness(1))
        async with live_service(database_url, tmp_path, ports, alarm) as live:
            matches = [
                await dealt(live, match_id(number), Clocks(declare_s=60, play_s=1, grace_s=0))
                for number in range(50)
            ]
            turns = await asyncio.gather(*(at_deadline(live, match, chance) for match in matches))
        # Who wins how often is the machine's affair, busy as it may be; that someone does, and alone, is ours.
        assert set(turns) <= {"player", "autopilot"}

    async def dealt(live: LiveService, match: UUID, clocks: Clocks) -> Match:
        await live.service.handle(match, served(match, clocks=clocks))
        for seat in range(4):
            await live.service.handle(match, TakeSeat(seat=seat, player=player(seat)))
        return await live.service.match(match)

    async def at_deadline(live: LiveService, match: Match, chance: random.Random) -> str:
        for seat in range(4):
            match = (await live.service.handle(match.id, SayDone(seat=seat))).state
        assert match.hand is not None
        command, early_s = play_by(match, chance), chance.uniform(-0.05, 0.05)
        due = match.hand.turn_since + timedelta(seconds=1 - early_s)
        table = await live.tables.follow(match.id)
        subscription = table.subscribe("spectator", None)
        await SystemClock().wait_until(due, asyncio.Event())
        with suppress(CommandRefused):
            await live.service.handle(match.id, command, guard=_only_at(match.version))
        await subscription.next()
        new = await live.service.events(match.id, after=match.version)
        first = new[0]
        assert isinstance(first, CardsPlayed)
        # On a busy machine the turn after it may have run out too.
        assert [e.seat for e in new if isinstance(e, CardsPlayed)].count(first.seat) == 1
        return first.by

    asyncio.run(play())


def test_what_is_due_at_one_instant_on_two_services_is_recorded_once(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        clock = ManualClock()
        async with (
            live_on(database_url, tmp_path, clock, 1) as one,
            live_on(database_url, tmp_path, clock, 2) as other,
        ):
            await asyncio.gather(*(seated(one, match_id(number)) for number in range(1, 11)))
            await all_at(other, 6)
            clock.move(15)
            await settled(calm(one), calm(other))
            for number in range(1, 11):
                events = await one.service.events(match_id(number))
                assert [type(event) for event in events].count(DeclarationsClosed) == 1
            for turn in range(1, 9):
                clock.move(20)
                await settled(calm(one), calm(other))
                for number in range(1, 11):
                    events = await one.service.events(match_id(number))
                    plays = [event for event in events if isinstance(event, CardsPlayed)]
                    assert len(plays) == turn

    async def settled(*calming: Awaitable[object]) -> None:
        await asyncio.gather(*calming)

    async def all_at(live: LiveService, version: int) -> None:
        for number in range(1, 11):
            table = await live.tables.follow(match_id(number))
            assert table.match.version >= version

    asyncio.run(play())


def test_window_and_turn_that_end_at_one_instant_on_two_services_end_once_each(
    database_url: str, tmp_path: Path
) -> None:
    """At half of the tables a turn ends when at the other half the window closes, and just then a player acts too."""
    early, late = [match_id(number) for number in range(1, 6)], [match_id(number) for number in range(6, 11)]

    async def play() -> None:
        clock, chance = ManualClock(), random.Random(5)
        async with (
            live_on(database_url, tmp_path, clock, 1) as one,
            live_on(database_url, tmp_path, clock, 2) as other,
        ):
            await asyncio.gather(*(seated(one, match) for match in early))
            clock.move(15)
            await asyncio.gather(calm(one), calm(other))
            clock.move(5)
            await asyncio.gather(*(seated(one, match) for match in late))
            for match in (*early, *late):
                await other.tables.follow(match)
            turns = {match: await other.service.fresh(match) for match in early}
            clock.move(15)
            await asyncio.gather(
                calm(one),
                calm(other),
                *(acts(other, match, play_by(turns[match], chance)) for match in early),
                *(acts(other, match, SayDone(seat=2)) for match in late),
            )
            for match in (*early, *late):
                events = await one.service.events(match)
                assert [type(event) for event in events].count(DeclarationsClosed) == 1
                played = [event for event in events if isinstance(event, CardsPlayed)]
                assert len(played) == (1 if match in early else 0)

    async def acts(live: LiveService, match: UUID, command: Command) -> None:
        with suppress(CommandRefused):
            await live.service.handle(match, command)

    asyncio.run(play())
