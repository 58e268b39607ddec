"""Tables of four bots each, over the API: opened, filled and played, several at a time."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, Protocol
from uuid import UUID

import httpx
import msgspec

from adapters.errors import AdapterError
from adapters.identifiers import new_random_id
from adapters.identity.bearers import Bearers
from adapters.randomness import Randomness
from adapters.socket_bots.seat import BotSeat

_LASTS: Final = timedelta(days=7)
_MOST_RETRIES: Final = 100


class SiteRefused(AdapterError):
    """The site does not take what the bots ask."""


class Passes(Protocol):
    """Where bots get their tokens."""

    opener: str | None
    """A service token to open matches of bots with; None where players open them."""

    async def player(self) -> str:
        """A new player's token."""
        ...


class OwnPasses:
    """Tokens signed with the site's own keys, for whoever has its data folder."""

    def __init__(self, bearers: Bearers, randomness: Randomness) -> None:
        self._bearers = bearers
        self._randomness = randomness
        self.opener: str | None = bearers.issue("service", None, _LASTS)

    async def player(self) -> str:
        """A new player's token."""
        return self._bearers.issue("player", new_random_id(self._randomness), _LASTS)


class GuestPasses:
    """Tokens of guests, as anyone gets them. `opener`: a service token, if one was given."""

    def __init__(self, client: httpx.AsyncClient, opener: str | None) -> None:
        self._client = client
        self.opener = opener

    async def player(self) -> str:
        """A new player's token."""
        return str((await ask(self._client, "/guests", None))["token"])


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is played: by which ruleset, how many hands (zero_sum), matches a table, seconds before each card."""

    ruleset: str
    hands: int = 4
    matches: int = 1
    pace_s: float = 1.0
    clocks: dict[str, int] = {}


class Played(msgspec.Struct):
    """What was played so far."""

    matches: int = 0
    plays: int = 0
    refusals: int = 0


OnSeat = Callable[[UUID, int], dict[str, Any]]
"""Gives what the bot of a seat is made with besides: whom it tells of frames and plays."""


class BotTables:
    """Plays tables of bots at one site."""

    def __init__(
        self, url: str, client: httpx.AsyncClient, passes: Passes, order: Order, on_seat: OnSeat | None = None
    ) -> None:
        self._url = url
        self._client = client
        self._passes = passes
        self._order = order
        self._on_seat = on_seat
        self.played = Played()

    async def play(self, tables: int) -> Played:
        """Plays so many tables at a time, each its matches one after another."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(tables):
                tasks.create_task(self._table())
        return self.played

    async def _table(self) -> None:
        tokens = [await self._passes.player() for _ in range(4)]
        for _ in range(self._order.matches):
            match = await self.open(tokens)
            seats = [self._seat(match, seat, token) for seat, token in enumerate(tokens)]
            async with asyncio.TaskGroup() as tasks:
                for seat in seats:
                    tasks.create_task(seat.play())
            self.played.matches += 1
            self.played.plays += sum(seat.plays for seat in seats)
            self.played.refusals += sum(seat.refusals for seat in seats)

    async def open(self, tokens: list[str]) -> UUID:
        """A match whose four seats these players have taken."""
        order, opener = self._order, self._passes.opener
        terms: dict[str, Any] = {"ruleset": order.ruleset, "clocks": order.clocks}
        if order.ruleset.startswith("zero_sum"):
            terms["hands"] = order.hands
        if opener is not None:
            terms["origin"] = "bots"
        opened = await ask(self._client, "/matches", opener or tokens[0], terms)
        for seat, token in enumerate(tokens):
            await ask(self._client, f"/matches/{opened['match']}/seats/{seat}/take", token, {})
        return UUID(opened["match"])

    def _seat(self, match: UUID, seat: int, token: str) -> BotSeat:
        more = self._on_seat(match, seat) if self._on_seat is not None else {}
        return BotSeat(self._url, match, seat, token, pace_s=self._order.pace_s, **more)


async def ask(client: httpx.AsyncClient, path: str, token: str | None, body: Any = None) -> dict[str, Any]:
    """What the site answers to a command; it waits where the site asks for that. Raises `SiteRefused`."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    for _ in range(_MOST_RETRIES):
        try:
            answer = await client.post(path, json=body, headers=headers)
        except httpx.HTTPError as error:
            raise SiteRefused(f"the site cannot be reached: {str(error) or type(error).__name__}") from error
        if answer.status_code not in (429, 503):
            break
        await asyncio.sleep(float(answer.headers.get("retry-after", 1)))
    if answer.status_code >= 400:
        raise SiteRefused(f"the site refuses {path}: {answer.status_code} {answer.text[:200]}")
    answered: dict[str, Any] = answer.json()
    return answered
