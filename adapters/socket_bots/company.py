"""Bots for a table that somebody else opened: they sit down at its free seats and play as any other client does."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import httpx
import jwt

from adapters.errors import AdapterError
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import Passes, SiteRefused, ask
from domain.seats import Seat

_log = logging.getLogger(__name__)


class Company:
    """Sits bots down at tables of one site. `pace_s`: seconds before each card."""

    def __init__(self, url: str, client: httpx.AsyncClient, passes: Passes, pace_s: float) -> None:
        self._url = url
        self._client = client
        self._passes = passes
        self._pace_s = pace_s

    async def sit_down(self, match: UUID, most: int = 4) -> dict[Seat, BotSeat]:
        """Takes up to so many free seats of a match and gives their bots, to be played. Raises `SiteRefused`."""
        bots: dict[Seat, BotSeat] = {}
        for seat in (await self._free_seats(match))[:most]:
            token = await self._passes.player()
            await self._call_itself(token, f"bot {seat}")
            try:
                await ask(self._client, f"/matches/{match}/seats/{seat}/take", token, {})
            except SiteRefused:
                continue  # somebody else was quicker, or the match has begun or ended
            bots[seat] = BotSeat(self._url, match, seat, token, pace_s=self._pace_s)
        return bots

    async def _free_seats(self, match: UUID) -> list[Seat]:
        try:
            answer = await self._client.get(f"/matches/{match}")
        except httpx.HTTPError as error:
            raise SiteRefused(f"the site cannot be reached: {str(error) or type(error).__name__}") from error
        if answer.status_code != 200:
            raise SiteRefused(
                f"the site does not show match {match}: {answer.status_code} {answer.text[:200]}"
            )
        view = answer.json()["view"]
        if view["phase"] != "seating":
            return []
        return [seat for seat, player in enumerate(view["players"]) if player is None]

    async def _call_itself(self, token: str, name: str) -> None:
        """Says who it is, where names are shown. A name is a courtesy: without it the bot plays all the same."""
        player = jwt.decode(token, options={"verify_signature": False})["sub"]
        headers = {"Authorization": f"Bearer {token}"}
        try:
            await self._client.put(f"/players/{player}/name", json={"name": name}, headers=headers)
        except httpx.HTTPError:
            _log.warning("bot %s has no name", player)


class HouseBots:
    """The bots a site itself keeps for tables that lack company, `most` seats at once."""

    def __init__(self, company: Company, most: int) -> None:
        self._company = company
        self._most = most
        self._playing: set[asyncio.Task[None]] = set()
        self._coming = 0

    @property
    def free(self) -> int:
        """How many more can sit down now."""
        return self._most - len(self._playing) - self._coming

    async def fill(self, match: UUID, most: int) -> tuple[Seat, ...]:
        """Sits bots down at up to so many free seats of a match and lets them play; gives the seats."""
        wanted = min(most, self.free)
        self._coming += wanted
        try:
            bots = await self._company.sit_down(match, wanted)
        finally:
            self._coming -= wanted
        for bot in bots.values():
            task = asyncio.create_task(_play(bot), name=f"house bot at {match}")
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        return tuple(bots)

    async def stop(self) -> None:
        """Ends all of them where they are; their clocks run on, and the autopilot plays for them in the end."""
        self._most = 0
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)


@asynccontextmanager
async def house_bots(url: str, passes: Passes, *, most: int, pace_s: float) -> AsyncIterator[HouseBots]:
    """The bots of the site at this URL, while the block lasts."""
    limits = httpx.Limits(max_connections=8)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30, trust_env=False) as client:
        bots = HouseBots(Company(url, client, passes, pace_s), most)
        try:
            yield bots
        finally:
            await bots.stop()


async def _play(bot: BotSeat) -> None:
    try:
        await bot.play()
    except AdapterError:
        _log.exception("a bot of the house gave up its seat")
