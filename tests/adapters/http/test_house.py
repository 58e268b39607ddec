"""Bots of the house: a player asks for company, they sit down at free seats and play as clients of the same API."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

from adapters.socket_bots.company import Company, Newcomer, house_bots
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import GuestPasses
from domain.events import CardsPlayed
from tests.adapters.http.test_matches import opened, view
from tests.support.feeds import eventually
from tests.support.http import Served, served_on
from tests.support.live import ManualClock, player

LONG = {"declare_s": 3_000, "play_s": 3_000, "pause_s": 0}


@asynccontextmanager
async def with_bots(database_url: str, folder: Path, most: int = 3) -> AsyncIterator[Served]:
    async with (
        served_on(database_url, folder, ManualClock()) as served,
        house_bots(served.url, served.site.bearers, most=most, pace_s=0) as bots,
    ):
        served.site.bots = bots
        yield served


def test_player_and_three_bots_of_the_house_play_a_match(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with with_bots(database_url, tmp_path) as served:
            assert (await served.get("/site")).json() == {"guests": True, "bots": True, "most_clock_s": 3600}
            match = await opened(served, clocks=LONG)
            assert (await served.act(match, 2, "take")).status_code == 200
            filled = await served.post(f"/matches/{match}/bots", 2)
            assert (filled.status_code, filled.json()["seats"]) == (200, [0, 1, 3])
            names = [("player", str(who)) for who in (await view(served, match))["players"]]
            assert [line["name"] for line in (await served.get("/names", params=names)).json()] == [
                "bot 1",
                "bot 2",
                None,
                "bot 3",
            ]
            await BotSeat(served.url, match, 2, served.token("player", player(2))).play()
            events = await served.live.service.events(match)
            assert {event.by for event in events if isinstance(event, CardsPlayed)} == {"player"}
            assert (await view(served, match))["phase"] == "settled"
            again = await opened(served, clocks=LONG)
            assert (await served.act(again, 0, "take")).status_code == 200
            await eventually(lambda: served.site.bots is not None and served.site.bots.free == 3)
            assert (await served.post(f"/matches/{again}/bots", 0)).status_code == 200
            assert set((await view(served, again))["players"][1:]) < set(
                (await view(served, match))["players"]
            )

    asyncio.run(run())


def test_bots_come_only_to_who_sits_there_and_only_while_some_are_free(
    database_url: str, tmp_path: Path
) -> None:
    async def run() -> None:
        async with with_bots(database_url, tmp_path, most=4) as served:
            match, other = await opened(served, clocks=LONG), await opened(served, clocks=LONG)
            assert (await served.post(f"/matches/{match}/bots", 0)).json()["reason"] == "NotYourSeat"
            assert (await served.post(f"/matches/{match}/bots")).json()["reason"] == "RoleRefused"
            assert (await served.post(f"/matches/{uuid4()}/bots", 0)).status_code == 404
            for one in (match, other):
                assert (await served.act(one, 0, "take")).status_code == 200
            assert (await served.post(f"/matches/{match}/bots", 0)).status_code == 200
            busy = await served.post(f"/matches/{other}/bots", 0)
            assert (busy.status_code, busy.json()["reason"], busy.headers["retry-after"]) == (
                503,
                "BotsBusy",
                "30",
            )
            assert (await served.post(f"/matches/{other}/bots", 0, seats=1)).json()["seats"] == [1]
            assert (await served.post(f"/matches/{match}/bots", 0)).json()["reason"] == "WrongPhase"
            assert (await served.post(f"/matches/{other}/bots", 0, seats=4)).status_code == 400
            served.site.bots = None
            assert (await served.post(f"/matches/{other}/bots", 0)).status_code == 404
            assert not (await served.get("/site")).json()["bots"]

    asyncio.run(run())


def test_guests_that_are_bots_sit_down_beside_others_and_play_to_the_end(
    database_url: str, tmp_path: Path
) -> None:
    async def run() -> None:
        async with served_on(database_url, tmp_path, ManualClock()) as served:
            match: UUID = await opened(served, clocks=LONG)
            company, passes = Company(served.url, served.client, 0), GuestPasses(served.client, None)
            guests = [Newcomer(await passes.player(), f"guest {number}") for number in range(5)]
            two, rest = await company.sit_down(match, guests[:2]), await company.sit_down(match, guests[2:])
            assert (list(two), list(rest), await company.sit_down(match, guests)) == ([0, 1], [2, 3], {})
            await asyncio.gather(*(bot.play() for bot in (two | rest).values()))
            assert (await view(served, match))["phase"] == "settled"

    asyncio.run(run())
