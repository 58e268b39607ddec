"""Bots for a table that somebody else opened: they sit down at its free seats and play as any other client does."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final
from uuid import UUID

import httpx
import jwt
import msgspec

from adapters.bots import BOT_NAMES, bot_id
from adapters.errors import AdapterError
from adapters.identity.bearers import Bearers
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import SiteRefused, ask
from domain.seats import Seat

_log = logging.getLogger(__name__)


_LASTS: Final = timedelta(days=7)


class Newcomer(msgspec.Struct, frozen=True):
    """A player who is to sit down: his token, and what he wants to be called, where he has no name yet."""

    token: str
    name: str | None = None


class Company:
    """Sits bots down at tables of one site. `pace_s`: seconds before each card."""

    def __init__(self, url: str, client: httpx.AsyncClient, pace_s: float) -> None:
        self._url = url
        self._client = client
        self._pace_s = pace_s

    async def sit_down(self, match: UUID, newcomers: Sequence[Newcomer]) -> dict[Seat, BotSeat]:
        """Takes free seats of a match for as many of these, in order; gives the bots, to be played.

        A seat that somebody else was quicker to take stays without one. Raises `SiteRefused`.
        """
        bots: dict[Seat, BotSeat] = {}
        for seat in await self._free_seats(match):
            if len(bots) == len(newcomers):
                break
            newcomer = newcomers[len(bots)]
            await self._call_itself(newcomer)
            try:
                await ask(self._client, f"/matches/{match}/seats/{seat}/take", newcomer.token, {})
            except SiteRefused:
                continue
            bots[seat] = BotSeat(self._url, match, seat, newcomer.token, pace_s=self._pace_s)
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

    async def _call_itself(self, newcomer: Newcomer) -> None:
        """Says who it is, where names are shown. A name is a courtesy: without it the bot plays all the same."""
        if newcomer.name is None:
            return
        player = jwt.decode(newcomer.token, options={"verify_signature": False})["sub"]
        headers = {"Authorization": f"Bearer {newcomer.token}"}
        try:
            await self._client.put(f"/players/{player}/name", json={"name": newcomer.name}, headers=headers)
        except httpx.HTTPError:
            _log.warning("bot %s has no name", player)


class HouseBots:
    """The bots a site itself keeps for tables that lack company: numbered players, each at one table at a time.

    They are the same players wherever they sit, so a board has a line for each and not one for every match.
    """

    def __init__(self, company: Company, bearers: Bearers, most: int) -> None:
        self._company = company
        self._bearers = bearers
        self._idle = list(range(1, most + 1))
        self._playing: set[asyncio.Task[None]] = set()

    @property
    def free(self) -> int:
        """How many more can sit down now."""
        return len(self._idle)

    async def fill(self, match: UUID, most: int) -> tuple[Seat, ...]:
        """Sits bots down at up to so many free seats of a match and lets them play; gives the seats."""
        called, self._idle = self._idle[:most], self._idle[most:]
        bots: dict[Seat, BotSeat] = {}
        try:
            bots = await self._company.sit_down(match, [self._newcomer(number) for number in called])
        finally:
            self._idle = sorted([*self._idle, *called[len(bots) :]])
        for number, bot in zip(called, bots.values(), strict=False):
            task = asyncio.create_task(self._play(number, bot), name=f"bot {number} at {match}")
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        return tuple(bots)

    async def stop(self) -> None:
        """Ends all of them where they are; their clocks run on, and the autopilot plays for them in the end."""
        self._idle.clear()
        for task in list(self._playing):
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        self._idle.clear()

    def _newcomer(self, number: int) -> Newcomer:
        player = bot_id(number)
        name = None if player in BOT_NAMES else f"bot {number}"
        return Newcomer(self._bearers.issue("player", player, _LASTS), name)

    async def _play(self, number: int, bot: BotSeat) -> None:
        try:
            await bot.play()
        except AdapterError:
            _log.exception("bot %d gave up its seat", number)
        finally:
            self._idle = sorted([*self._idle, number])


@asynccontextmanager
async def house_bots(url: str, bearers: Bearers, *, most: int, pace_s: float) -> AsyncIterator[HouseBots]:
    """The bots of the site at this URL, while the block lasts."""
    limits = httpx.Limits(max_connections=8)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30, trust_env=False) as client:
        bots = HouseBots(Company(url, client, pace_s), bearers, most)
        try:
            yield bots
        finally:
            await bots.stop()
