"""Everything that viewers of a live match can obtain over HTTP and sockets while a world unfolds (design P2)."""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg

from adapters.composition import Ports, live_site
from adapters.http.app import build_app
from adapters.http.site import Site
from adapters.postgres.appending import NO_SEAT
from adapters.randomness import SeededRandomness
from domain.commands import OpenMatch
from domain.match import Match
from domain.seats import SEATS
from tests.support.asgi import Headers, Socket, request
from tests.support.http import FREELY
from tests.support.live import OPENER, ManualClock, calm
from tests.support.worlds import MATCH, Pair, World

_COMMITMENT: Final = re.compile(r'("commitment": ?")([0-9a-f]+)')
Plant = Callable[[Site], Any]
"""Makes a site leak; gives the application to use, or None for its own."""


def _masked(text: str) -> str:
    """The text with commitments, which count as sealed, replaced by their lengths."""
    return _COMMITMENT.sub(lambda found: f"{found[1]}<{len(found[2])}>", text)


def empty(database_url: str) -> None:
    """Empties the log."""
    with psycopg.connect(database_url) as connection:
        connection.execute("TRUNCATE log.events, log.commands, log.snapshots, live.abandon_votes")


async def observed(
    database_url: str,
    folder: Path,
    pair: Pair,
    world: World,
    plant: Plant = lambda _: None,
) -> list[str]:
    """All that the viewers who may not know the difference of a pair were sent in one of its worlds."""
    empty(database_url)
    clock = ManualClock()
    ports = Ports(clock, SeededRandomness(5), world.dealer())
    async with live_site(database_url, folder, ports, clock, terms=FREELY) as site:
        live = site.live
        app = plant(site) or build_app(site)
        viewers = Viewers(site, app, [seat for seat in SEATS if seat not in pair.concerned])
        match: Match | None = None
        for number, command in enumerate(world.commands):
            clock.move(1)
            if isinstance(command, OpenMatch):
                command = msgspec.structs.replace(command, opened_by=OPENER)  # noqa: PLW2901
            seat = getattr(command, "seat", NO_SEAT)
            accepted = await live.service.handle(MATCH, command, seat=seat, command_id=UUID(int=number + 1))
            match = accepted.state
            await viewers.after(match)
        await viewers.at_the_end()
        # Time goes on: what the service does by itself, and when, tells nothing either.
        before = len(await live.service.events(MATCH))
        clock.move(0.5)
        await calm(live)
        viewers.lines.append(f"acted early: {len(await live.service.events(MATCH)) - before}")
        await viewers.leave()
        return [_masked(line) for line in viewers.lines]


class Viewers:
    """A spectator and some seats, each with a socket, who look, come back, and try what they may not."""

    def __init__(self, site: Site, app: Any, seats: Iterable[int]) -> None:
        self._site = site
        self._app = app
        self._seats = list(seats)
        self._sockets: dict[int | None, Socket] = {}
        self._gone: list[Socket] = []
        self.lines: list[str] = []

    def _headers(self, seat: int | None) -> Headers:
        if seat is None:
            return {}
        token = self._site.bearers.issue("player", UUID(int=900 + seat), timedelta(hours=1))
        return {"authorization": f"Bearer {token}"}

    async def _come(self, seat: int | None, after: int | None = None) -> None:
        as_ = "spectator" if seat is None else "seat"
        resume = "" if after is None else f"&after={after}"
        path = f"/matches/{MATCH}/live?as={as_}{resume}"
        self._sockets[seat] = await Socket(self._app, path, self._headers(seat)).open()

    async def after(self, match: Match) -> None:
        """What each sees and tries after a command."""
        seated = [seat for seat in self._seats if match.players[seat] is not None]
        for seat in (None, *seated):
            if seat not in self._sockets:
                await self._come(seat)
            await self._sockets[seat].seen(match.version)
        if match.version % 3 == 0:
            await self._come_back(match)
        if match.version % 5 == 0:
            # One at a time, in turn, so that a world takes a fraction of a second.
            seat = (None, *seated)[match.version // 5 % (len(seated) + 1)]
            await self._look(seat)
            await self._try(seat, match)

    async def _come_back(self, match: Match) -> None:
        """Someone leaves and comes back, now with his last number, now with an earlier one, or as a newcomer."""
        seat = list(self._sockets)[match.version % len(self._sockets)]
        await self._sockets[seat].close()
        self._gone.append(self._sockets[seat])
        await self._come(seat, (None, match.version, max(1, match.version - 5))[match.version // 3 % 3])

    async def _look(self, seat: int | None) -> None:
        paths = (
            [f"/matches/{MATCH}", f"/matches/{MATCH}/events", "/tables", "/matches", "/hands"]
            if seat is None
            else [f"/matches/{MATCH}?as=seat"]
        )
        for path in paths:
            self.lines.append(await request(self._app, "GET", path, self._headers(seat)))

    async def _try(self, seat: int | None, match: Match) -> None:
        """What is refused: cards not held, out of turn, for another's seat, and commands that are none."""
        own, other = (seat if seat is not None else 0), (1 if seat == 0 else 0)
        for action, body in (
            ("play", {"cards": ["XX"]}),
            ("play", {"cards": ["S2", "S3"]}),
            ("declare", {"card": "S3"}),
            ("take-back", {}),
            ("take", {}),
            ("reveal", {"nonce": "00" * 32}),
        ):
            headers = self._headers(seat)
            path = f"/matches/{MATCH}/seats/{own}/{action}"
            self.lines.append(await request(self._app, "POST", path, headers, body))
            await self._sockets[seat].ask({"do": action, "body": body})
        path = f"/matches/{MATCH}/seats/{other}/done"
        self.lines.append(await request(self._app, "POST", path, self._headers(seat), {}))
        if match.hand is not None and match.hand.turn not in (None, seat) and seat is not None:
            # Every card there is, when it is not his turn.
            await self._sockets[seat].ask({"do": "play", "body": {"cards": ["SQ"]}})

    async def at_the_end(self) -> None:
        """A last look by everyone."""
        for seat in list(self._sockets):
            await self._look(seat)

    async def leave(self) -> None:
        """Everyone goes; what their sockets brought is kept."""
        for seat, socket in self._sockets.items():
            await socket.close()
            self._gone.append(socket)
            self.lines.append(f"seat {seat} left")
        for socket in self._gone:
            self.lines += socket.sent
