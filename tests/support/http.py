"""The API on a real port, and clients of it: players, spectators, and what they were sent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx
import msgspec
import websockets

from adapters.composition import Ports, live_site
from adapters.http.server import http_server
from adapters.http.site import Site, Terms
from adapters.identity.bearers import Role
from adapters.live.frames import applied
from adapters.live.service import LiveService
from adapters.people.connections import RETENTION
from adapters.randomness import SeededRandomness
from domain.decisions.dealing import chain_deal
from domain.decisions.story import Dealer
from tests.support.live import ManualClock, player

FREELY = Terms(requests_a_second=1e6, burst=1_000_000)
"""Terms without limits of rate."""


class Served:
    """A site that is served, and its clients."""

    def __init__(self, site: Site, url: str, client: httpx.AsyncClient) -> None:
        self.site = site
        self.url = url
        self.client = client

    @property
    def live(self) -> LiveService:
        """The live service behind it."""
        return self.site.live

    def token(self, role: Role, who: UUID | None = None) -> str:
        """A token for an hour."""
        return self.site.bearers.issue(role, who, timedelta(hours=1))

    def headers(self, seat: int | None = None, role: Role | None = None) -> dict[str, str]:
        """What the player of a seat sends, or someone of a role; nothing for a spectator."""
        if seat is not None:
            return {"Authorization": f"Bearer {self.token('player', player(seat))}"}
        return {"Authorization": f"Bearer {self.token(role)}"} if role else {}

    async def get(self, path: str, **options: Any) -> httpx.Response:
        """Asks for something, as a spectator unless headers say otherwise."""
        return await self.client.get(path, **options)

    async def post(
        self, path: str, seat: int | None = None, role: Role | None = None, **body: Any
    ) -> httpx.Response:
        """Sends a command as the player of a seat, or as someone of a role."""
        return await self.client.post(path, json=body, headers=self.headers(seat, role))

    async def act(self, match: UUID, seat: int, action: str, **body: Any) -> httpx.Response:
        """A player's command at his own seat."""
        return await self.post(f"/matches/{match}/seats/{seat}/{action}", seat, **body)

    def socket(self, match: UUID, seat: int | None = None, after: int | None = None) -> "Client":
        """A client of the live socket: the player of a seat, or a spectator."""
        return Client(self, match, seat, after)


@asynccontextmanager
async def served_on(
    database_url: str,
    folder: Path,
    clock: ManualClock,
    *,
    seed: int | str = 1,
    dealer: Dealer = chain_deal,
    terms: Terms = FREELY,
    keep: timedelta = RETENTION,
) -> AsyncIterator[Served]:
    """The API of a live service, on a free port."""
    ports = Ports(clock, SeededRandomness(seed), dealer)
    async with (
        live_site(database_url, folder, ports, clock, terms=terms, keep=keep) as site,
        http_server(site) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        yield Served(site, url, client)


class Client:
    """One socket, as a client keeps it: the view after every frame so far, and the answers to its commands."""

    def __init__(self, served: Served, match: UUID, seat: int | None, after: int | None) -> None:
        as_ = "spectator" if seat is None else "seat"
        resume = "" if after is None else f"&after={after}"
        self._url = f"{served.url.replace('http', 'ws', 1)}/matches/{match}/live?as={as_}{resume}"
        self._headers = served.headers(seat)
        self.view: dict[str, Any] = {}
        self.number = after or 0
        self.deadline: str | None = None
        self.raw: list[bytes] = []
        self.events: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.connection: websockets.ClientConnection

    async def __aenter__(self) -> Self:
        self.connection = await websockets.connect(
            self._url, additional_headers=self._headers, proxy=None, max_size=2**24, compression=None
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.connection.close()

    async def next(self) -> dict[str, Any]:
        """The next frame, taken in."""
        raw = await self.connection.recv(decode=False)
        self.raw.append(raw)
        frame: dict[str, Any] = msgspec.json.decode(raw)
        if frame["frame"] == "answer":
            self.answers.append(frame)
            return frame
        if frame["frame"] == "snapshot":
            self.view = frame["view"]
        else:
            assert frame["after"] == self.number, "a frame was skipped"
            self.view = applied(self.view, frame["changes"])
            self.events += frame["events"]
        self.number, self.deadline = frame["number"], frame["deadline"]
        return frame

    async def see(self, number: int) -> dict[str, Any]:
        """The view once it has come to this number."""
        while not self.view or self.number < number:
            await self.next()
        return self.view

    async def ask(self, do: str, **body: Any) -> dict[str, Any]:
        """A command over the socket, and the answer to it."""
        await self.connection.send(msgspec.json.encode({"do": do, "body": body}).decode())
        return await self.answer()

    async def answer(self) -> dict[str, Any]:
        """The next answer; frames before it are taken in."""
        while True:
            frame = await self.next()
            if frame["frame"] == "answer":
                return frame
