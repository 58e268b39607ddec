"""Live tables: whoever stays, comes back, or comes to another process ends with the same view."""

import asyncio
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.live import subscriptions
from adapters.live.service import LiveService
from domain.commands import LeaveSeat, TakeSeat
from domain.match import Match
from domain.visibility import Viewer, view
from tests.support.live import ManualClock, Watcher, live_on, player, served
from tests.support.services import match_id, next_command

MATCH = match_id(1)
VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, "spectator")


async def seated(live: LiveService, ruleset: str = "zero_sum-1", hands: int = 1) -> Match:
    await live.service.handle(MATCH, served(MATCH, ruleset, hands))
    for seat in range(3):
        await live.service.handle(MATCH, TakeSeat(seat=seat, player=player(seat)))
    return (await live.service.handle(MATCH, TakeSeat(seat=3, player=player(3)))).state


def as_json(match: Match, viewer: Viewer) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view(match, viewer)))
    return decoded


@pytest.mark.parametrize("ruleset", ["zero_sum-1", "blood-2-partners"])
def test_every_viewer_that_stays_holds_the_view_after_every_command(
    database_url: str, tmp_path: Path, ruleset: str
) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            match, chance = await seated(live, ruleset), random.Random(1)
            watchers = [await Watcher(live, viewer).come(MATCH) for viewer in VIEWERS]
            while match.hands_ended == 0:
                match = (await live.service.handle(MATCH, next_command(match, chance))).state
                for watcher in watchers:
                    assert await watcher.see(match.version) == as_json(match, watcher.viewer)
            # The first event after the deal, and every one since.
            versions = [event["version"] for event in watchers[0].events]
            assert versions == list(range(versions[0], match.version + 1))

    asyncio.run(play())


def test_whoever_leaves_and_comes_back_at_every_trick_equals_one_who_stayed(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            match, chance = await seated(live), random.Random(2)
            stayed = [await Watcher(live, viewer).come(MATCH) for viewer in VIEWERS]
            left = [await Watcher(live, viewer).come(MATCH) for viewer in VIEWERS]
            while not match.ended:
                for watcher in left:
                    watcher.go()
                for _ in range(4):
                    if not match.ended:
                        match = (await live.service.handle(MATCH, next_command(match, chance))).state
                for one, other in zip(stayed, left, strict=True):
                    await one.see(match.version)
                    await other.come(MATCH)
                    assert other.view == one.view
                    assert other.events == one.events
                    # And a newcomer is told the same.
                    newcomer = await Watcher(live, one.viewer).come(MATCH)
                    assert newcomer.view == one.view
                    newcomer.go()

    asyncio.run(play())


def test_change_from_any_number_to_the_present_leads_to_the_same_view(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            match, chance = await seated(live), random.Random(3)
            seen: dict[Viewer, list[tuple[int, dict[str, Any]]]] = {viewer: [] for viewer in VIEWERS}
            while not match.ended:
                for viewer in VIEWERS:
                    seen[viewer].append((match.version, as_json(match, viewer)))
                match = (await live.service.handle(MATCH, next_command(match, chance))).state
            for viewer in VIEWERS:
                for number, past in seen[viewer]:
                    watcher = Watcher(live, viewer)
                    watcher.number, watcher.view = number, past
                    await watcher.come(MATCH)
                    assert watcher.view == as_json(match, viewer)
                    assert len(watcher.events) == match.version - number

    asyncio.run(play())


def test_viewers_of_another_service_see_the_same(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with (
            live_on(database_url, tmp_path, ManualClock(), 1) as one,
            live_on(database_url, tmp_path, ManualClock(), 2) as other,
        ):
            match, chance = await seated(one), random.Random(4)
            watchers = [await Watcher(other, viewer).come(MATCH) for viewer in VIEWERS]
            while not match.ended:
                live = chance.choice((one, other))
                match = (await live.service.handle(MATCH, next_command(match, chance))).state
                for watcher in watchers:
                    assert await watcher.see(match.version) == as_json(match, watcher.viewer)

    asyncio.run(play())


def test_frames_missed_at_one_service_are_made_by_another(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with (
            live_on(database_url, tmp_path, ManualClock(), 1) as one,
            live_on(database_url, tmp_path, ManualClock(), 2) as other,
        ):
            match, chance = await seated(one), random.Random(5)
            stayed, moved = Watcher(one, 2), Watcher(one, 2)
            await stayed.come(MATCH)
            await moved.come(MATCH)
            while not match.ended:
                for _ in range(7):
                    if not match.ended:
                        match = (await one.service.handle(MATCH, next_command(match, chance))).state
                moved.move_to(chance.choice((one, other)))
                await moved.come(MATCH)
                await stayed.see(match.version)
                assert (moved.view, moved.events) == (stayed.view, stayed.events)

    asyncio.run(play())


def test_seat_whose_player_has_left_is_sent_nothing_more(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            await live.service.handle(MATCH, served(MATCH))
            await live.service.handle(MATCH, TakeSeat(seat=0, player=player(0)))
            table = await live.tables.follow(MATCH)
            subscription, _ = await live.tables.subscribe(table, 0, player(0), None)
            await live.service.handle(MATCH, LeaveSeat(seat=0))
            assert await subscription.next() is None
            assert subscription.ended == "seat left"

    asyncio.run(play())


def test_reader_that_is_too_slow_loses_his_subscription_and_resumes(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "_MOST_WAITING", 5)

    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock()) as live:
            match, chance = await seated(live), random.Random(6)
            slow = await Watcher(live, 1).come(MATCH)
            for _ in range(9):
                match = (await live.service.handle(MATCH, next_command(match, chance))).state
            with pytest.raises(AssertionError, match="has ended"):
                await slow.see(match.version)
            await slow.come(MATCH)
            assert slow.view == as_json(match, 1)

    asyncio.run(play())


def test_service_that_starts_again_goes_on_with_every_match_in_play(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with live_on(database_url, tmp_path, ManualClock(), 1) as live:
            match, chance = await seated(live), random.Random(7)
            watcher = await Watcher(live, 3).come(MATCH)
            for _ in range(10):
                match = (await live.service.handle(MATCH, next_command(match, chance))).state
        async with live_on(database_url, tmp_path, ManualClock(), 2) as again:
            assert [table.match for table in again.tables.tended()] == [match]
            watcher.move_to(again)
            await watcher.come(MATCH)
            assert watcher.view == as_json(match, 3)
            while not match.ended:
                match = (await again.service.handle(MATCH, next_command(match, chance))).state
            assert await watcher.see(match.version) == as_json(match, 3)
            assert again.tables.tended() == []

    asyncio.run(play())
