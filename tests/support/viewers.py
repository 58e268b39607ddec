"""Viewers of a live match who may not know what differs: they look, come and go, and try what they may not.

Each is a spectator, a seat not concerned, or someone who does not sit at the table; what he is sent is kept. What he
does is drawn from a generator seeded with the match, so it is the same in both worlds of a pair.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from adapters.http.actions import SEAT_ACTIONS
from domain.match import Match
from domain.seats import SEATS
from tests.support.asgi import Headers, Socket, request
from tests.support.worlds import Pair

Passes = Callable[[str, UUID | None], Headers]
"""The headers of someone of a role, as a player if one is given."""
GUEST: Final = UUID(int=950)
_SOME_LOOKS: Final = 3
_SOME_TRIES: Final = 2


class Who(NamedTuple):
    """Someone who looks: what he brings with his requests, and the seat he sits at."""

    name: str
    headers: Headers
    seat: int | None = None


class Try(NamedTuple):
    """Something that is refused."""

    who: Who
    seat: int
    action: str
    body: dict[str, Any]


class Viewers:
    """Everyone who may not know, at one match. `paths`: what they may try to read."""

    def __init__(self, app: Any, passes: Passes, pair: Pair, paths: Sequence[str]) -> None:
        self._app = app
        self._pair = pair
        self._chance = Random(pair.match.int)
        self._paths = paths
        self.spectator = Who("spectator", {})
        self.seats = {
            seat: Who(f"seat {seat}", passes("player", UUID(int=900 + seat)), seat)
            for seat in SEATS
            if seat not in pair.concerned
        }
        self._others = [
            Who("guest", passes("player", GUEST)),
            *(Who(role, passes(role, None)) for role in ("operator", "investigator", "service", "spectator")),
        ]
        self._sockets: dict[str, Socket] = {}
        self._gone: list[Socket] = []
        self.lines: list[str] = []

    @property
    def sent(self) -> list[str]:
        """Everything that anyone was sent, each socket's for itself."""
        return [
            *self.lines,
            *(line for socket in (*self._gone, *self._sockets.values()) for line in socket.sent),
        ]

    # --- coming and going ---------------------------------------------------------------------------------------

    async def come(self, who: Who, query: str = "") -> Socket:
        """Someone opens a socket, as whom he sits as unless told otherwise."""
        as_ = query or ("as=spectator" if who.seat is None else "as=seat")
        path = f"/matches/{self._pair.match}/live?{as_}"
        socket = await Socket(self._app, path, who.headers).open()
        if not socket.refused:
            self._sockets[who.name] = socket
        else:
            self._gone.append(socket)
        return socket

    async def take(self, seat: int) -> None:
        """A seat not concerned is taken by its player."""
        await self._post(self.seats[seat], f"seats/{seat}/take", {})

    async def command(self, seat: int, action: str, body: dict[str, Any]) -> None:
        """A seat not concerned does something that is admitted, over its socket."""
        await self._socket_of(self.seats[seat]).ask({"do": action, "body": body, "seat": seat})

    async def see(self, match: Match) -> None:
        """Everyone's socket has brought what there is; who has none yet opens one."""
        for who in (self.spectator, *self.seats.values()):
            if who.seat is not None and match.players[who.seat] is None:
                continue
            if who.name not in self._sockets:
                await self.come(who)
            await self._sockets[who.name].seen(match.version)

    async def after(self, match: Match) -> None:
        """What they do after a command whose outcome they have seen."""
        if match.version % 3 == 0:
            await self._come_back(match)
        if match.version % 5 == 0:
            await self.look(_SOME_LOOKS)
            await self.attempt(match, _SOME_TRIES)

    async def _come_back(self, match: Match) -> None:
        """Someone leaves and comes back: with his last number, an earlier one, as a newcomer, or as a spectator."""
        present = [who for who in (self.spectator, *self.seats.values()) if who.name in self._sockets]
        who = self._chance.choice(present)
        await self._leave(who)
        own = "as=spectator" if who.seat is None else "as=seat"
        earlier = max(1, match.version - self._chance.randrange(9))
        how = (
            own,
            f"{own}&after={match.version}",
            f"{own}&after={earlier}",
            "as=spectator",
            f"{own}&after=99999",
        )
        await self.come(who, self._chance.choice(how))
        if self._chance.random() < 0.2:
            for other in self._others:
                await self.come(other, "as=seat")

    async def _leave(self, who: Who) -> None:
        socket = self._sockets.pop(who.name)
        await socket.close()
        self._gone.append(socket)
        self.lines.append(f"{who.name} left")

    async def leave(self) -> None:
        """Everyone goes."""
        for who in (self.spectator, *self.seats.values()):
            if who.name in self._sockets:
                await self._leave(who)

    def _socket_of(self, who: Who) -> Socket:
        return self._sockets[who.name]

    # --- looking and trying -------------------------------------------------------------------------------------

    async def look(self, times: int | None) -> None:
        """Some of them read some of what can be read; with no number, all of it, and everyone the match."""
        everyone = [self.spectator, *self.seats.values(), *self._others]
        if times is None:
            own = str(self._pair.match)
            looks = [(who, path) for path in self._paths if path.endswith(own) for who in everyone]
            looks += [(self._chance.choice(everyone), path) for path in self._paths]
        else:
            looks = [(self._chance.choice(everyone), self._chance.choice(self._paths)) for _ in range(times)]
        for who, path in looks:
            await self._read(who, path)

    async def _read(self, who: Who, path: str) -> None:
        """Reads, and reads again with what tells the site what is known."""
        answer = await request(self._app, "GET", path, who.headers)
        self.lines.append(f"{who.name}: {answer.text}")
        if etag := answer.header(b"etag"):
            again = await request(self._app, "GET", path, who.headers | {"if-none-match": etag})
            self.lines.append(f"{who.name} again: {again.text}")

    async def attempt(self, match: Match, times: int | None) -> None:
        """Some of what is refused, over HTTP and over the socket; with no number, all of it."""
        tries = self._tries()
        for one in tries if times is None else self._chance.sample(tries, times):
            await self._post(one.who, f"seats/{one.seat}/{one.action}", one.body)
            if one.who.name in self._sockets:
                message = {"do": one.action, "body": one.body, "seat": one.seat}
                await self._socket_of(one.who).ask(message)
        if times is None and match.phase != "seating":
            await self._ask_to_abandon()

    def _tries(self) -> list[Try]:
        """Cards of others and cards that are none, for one's own seat and others', and at no seat at all."""
        found = []
        for who in (self.spectator, *self.seats.values(), self._others[0]):
            own = 0 if who.seat is None else who.seat
            for seat in dict.fromkeys((own, *sorted(self._pair.concerned)[:1], 7)):
                found += [Try(who, seat, action, body) for action, body in _asked(self._pair.telling)]
            if who.seat is None:
                found += [Try(who, own, action, {}) for action in ("done", "hand-over", "leave")]
            found += [Try(who, (own + 1) % 4, action, {}) for action in ("done", "hand-over")]
        return found

    async def _ask_to_abandon(self) -> None:
        """A seat agrees to abandon the match, and takes it back; others may not."""
        for who in (*list(self.seats.values())[:1], *self._others[:1]):
            await self._post(who, "abandon", {})
            await self._post(who, "abandon", {"agree": False})
            await self._post(who, "hands/1/report", {"reason": "a look"})
            await self._post(who, "hands/2/report", {"reason": "a look"})

    async def _post(self, who: Who, path: str, body: dict[str, Any]) -> None:
        answer = await request(self._app, "POST", f"/matches/{self._pair.match}/{path}", who.headers, body)
        self.lines.append(f"{who.name}: {answer.text}")


def _asked(telling: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """What is never admitted of whoever does not hold these cards, at his own seat or another."""
    assert {"play", "declare", "take-back", "take", "reveal"} <= set(SEAT_ACTIONS)
    cards = [*telling[:4], "XX", "S3"]
    return [
        *(("play", {"cards": [card]}) for card in telling[:4] or ("XX",)),
        ("play", {"cards": [cards[0], cards[1]]}),
        ("play", {"cards": [cards[0], cards[0]]}),
        ("play", {"cards": ["XX", cards[0]], "hand_no": 200}),
        *(("declare", {"card": card}) for card in cards),
        ("declare", {"card": cards[0], "level": "hidden"}),
        ("take-back", {}),
        ("take", {}),
        ("reveal", {"nonce": "00" * 32}),
    ]
