"""Bots over the API: whole matches, as guests or with the site's keys, also when they are cut off."""

import asyncio
from pathlib import Path

import pytest

from adapters.http.site import Terms
from adapters.randomness import SeededRandomness
from adapters.socket_bots.tables import BotTables, GuestPasses, Order, OwnPasses, SiteRefused, ask
from domain.events import CardsPlayed, MatchOpened
from tests.support.http import FREELY, Served, served_on
from tests.support.live import ManualClock

LONG = {"declare_s": 3_000, "play_s": 3_000, "pause_s": 0}


@pytest.mark.parametrize("ruleset", ["zero_sum-1", "blood-2-partners"])
def test_bots_play_whole_matches(database_url: str, tmp_path: Path, ruleset: str) -> None:
    async def run() -> None:
        async with served_on(database_url, tmp_path, ManualClock()) as served:
            passes = OwnPasses(served.site.bearers, SeededRandomness(3))
            order = Order(ruleset=ruleset, hands=2, pace_s=0, clocks=LONG)
            played = await BotTables(served.url, served.client, passes, order).play(2)
            assert played.matches == 2
            assert played.refusals == 0
            with served.live.log.pool.connection() as connection:
                matches = connection.execute("SELECT DISTINCT match FROM log.events").fetchall()
            for (match,) in matches:
                events = await served.live.service.events(match)
                assert isinstance(events[0], MatchOpened)
                assert events[0].origin == "bots"
                assert {event.by for event in events if isinstance(event, CardsPlayed)} == {"player"}
                assert (await served.live.service.fresh(match)).phase == "settled"

    asyncio.run(run())


def test_guests_play_within_the_limits_of_the_site(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        terms = Terms(requests_a_second=1e6, burst=20)
        async with served_on(database_url, tmp_path, ManualClock(), terms=terms) as served:
            order = Order(ruleset="zero_sum-1", hands=1, pace_s=0, clocks=LONG)
            passes = GuestPasses(served.client, None)
            played = await BotTables(served.url, served.client, passes, order).play(1)
            assert played.matches == 1

    # The clock stands still, so each bot has no more than its burst; 13 plays and what goes before fit into it.
    asyncio.run(run())


def test_bots_that_are_cut_off_come_back_and_finish(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.socket_bots.seat._RETRY_S", 0.0)

    async def run() -> None:
        async with served_on(database_url, tmp_path, ManualClock(), terms=FREELY) as served:
            passes = OwnPasses(served.site.bearers, SeededRandomness(3))
            order = Order(ruleset="zero_sum-1", hands=1, pace_s=0, clocks=LONG)
            playing = asyncio.create_task(BotTables(served.url, served.client, passes, order).play(1))
            cutting = asyncio.create_task(cut(served))
            played = await playing
            cutting.cancel()
            assert played.matches == 1

    async def cut(served: Served) -> None:
        """Cuts everyone off at every fifth version, once."""
        last = 0
        while True:
            for table in served.live.tables.tended():
                if table.match.version >= last + 5:
                    last = table.match.version
                    table.end()
            await asyncio.sleep(0)

    asyncio.run(run())


def test_what_a_site_refuses_is_said(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with served_on(database_url, tmp_path, ManualClock()) as served:
            with pytest.raises(SiteRefused, match="401"):
                await ask(served.client, "/matches", "x", {"ruleset": "blood-1"})
        with pytest.raises(SiteRefused, match="reached"):
            await ask(served.client.__class__(base_url=served.url, trust_env=False), "/guests", None)

    asyncio.run(run())
