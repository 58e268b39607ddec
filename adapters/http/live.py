"""The WebSocket of a live match: a snapshot, then numbered changes; commands with ids, answered as over HTTP.

`/matches/{match}/live?as=seat|spectator&after=N`. The token comes as `Authorization: Bearer …` or, from a browser, as
the subprotocol `bearer.…` beside `gongzhu`. Who is not admitted is answered with a problem instead of a socket.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError
from litestar import WebSocket, websocket
from litestar.exceptions import ValidationException, WebSocketException
from litestar.handlers import WebsocketRouteHandler

from adapters.errors import AdapterError
from adapters.http.actions import SEAT_ACTIONS, act
from adapters.http.asking import MatchPath
from adapters.http.bodies import Receipt, SentMs
from adapters.http.callers import Caller, caller_of, opened_visit
from adapters.http.matches import viewer_of
from adapters.http.problems import MEDIA_TYPE, Problem, ProblemRaised, problem, problem_of, too_many_requests
from adapters.http.site import Site
from adapters.identity.bearers import ANYONE, Bearer, TokenRefused
from adapters.live.subscriptions import Ending, Subscription
from adapters.people.visits import Visit
from domain.errors import GongzhuError
from domain.visibility import Viewer

PROTOCOL: Final = "gongzhu"
_TOKEN_PROTOCOL: Final = "bearer."  # noqa: S105 - the prefix of one
_CLOSE_CODES: Final[dict[Ending, int]] = {
    "too slow": 1013,
    "seat left": 4403,
    "service stops": 1012,
}
_EXPIRED: Final = 4401
_FLOODING: Final = 1008
_MOST_REFUSED: Final = 100

Socket = WebSocket[Any, Any, Any]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command: what to do, with the body it has over HTTP, and at which seat if not the viewer's own.

    `sent_ms`: when the client sent it, in milliseconds of its own clock, if it says so.
    """

    do: str
    body: msgspec.Raw = msgspec.Raw(b"{}")
    seat: int | None = None
    sent_ms: SentMs | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="frame"):
    """What became of a command: its receipt, or its problem with the status it has over HTTP."""

    do: str | None
    command_id: UUID | None
    status: int
    body: Receipt | Problem


def socket_route(site: Site) -> WebsocketRouteHandler:
    """The route of live sockets."""

    @websocket("/matches/{match:uuid}/live", opt={"site": site})
    async def live(socket: Socket, match: MatchPath) -> None:
        await _serve(site, socket, match)

    return live


async def _serve(site: Site, socket: Socket, match: UUID) -> None:
    try:
        bearer, protocol = _bearer(site, socket)
        caller = caller_of(socket, bearer)
        _admit(site, caller)
        as_, after = _parameters(socket)
        table = await site.live.tables.follow(match)
        viewer = viewer_of(table.match, bearer, as_)
        sitting = _sitting(viewer, bearer)
        subscription, first = await site.live.tables.subscribe(table, viewer, sitting, after)
    except (GongzhuError, AdapterError, ValidationException, PersistenceError) as error:
        await _refuse(socket, problem_of(error))
        return
    site.sockets += 1
    visit = opened_visit(site, caller, match, after)
    session = _Session(site, socket, caller, match, viewer, subscription, visit)
    try:
        await socket.accept(subprotocols=protocol)
        await socket.send_data(first.decode(), mode="text")
        await session.run()
    finally:
        site.sockets -= 1
        if visit is not None:
            site.visits.close(visit)
        table.unsubscribe(subscription)
        site.live.tables.leave(table)


def _bearer(site: Site, socket: Socket) -> tuple[Bearer, str | None]:
    """Who asks, and the subprotocol to answer with. Raises `TokenRefused`."""
    offered: Sequence[str] = socket.scope.get("subprotocols", [])
    protocol = PROTOCOL if PROTOCOL in offered else None
    given = socket.headers.get("authorization", "").removeprefix("Bearer ").strip()
    tokens = [name.removeprefix(_TOKEN_PROTOCOL) for name in offered if name.startswith(_TOKEN_PROTOCOL)]
    token = given or (tokens[0] if tokens else "")
    return (site.bearers.bearer(token) if token else ANYONE), protocol


def _admit(site: Site, caller: Caller) -> None:
    """Raises `ProblemRaised` where there are too many sockets, or requests of this client."""
    if site.sockets >= site.terms.most_sockets:
        raise ProblemRaised(problem(503, "TooManySockets", "too many sockets", "连接太多", retry_after_s=5))
    if not site.limits.admit(caller.counted_as):
        raise ProblemRaised(too_many_requests())


def _parameters(socket: Socket) -> tuple[str, int | None]:
    """Whose view, and after which number. Raises `ValidationException` naming what is wrong."""
    given = socket.query_params
    if unknown := sorted(set(given) - {"as", "after"}):
        raise ValidationException(f"there is no parameter {', '.join(name[:40] for name in unknown)}")
    as_, after = str(given.get("as", "spectator")), given.get("after")
    if as_ not in ("spectator", "seat"):
        raise ValidationException("as: spectator or seat")
    if after is not None and not (after.isascii() and after.isdigit() and len(after) <= 9):
        raise ValidationException("after: the number of the last frame seen")
    return as_, int(after) if after is not None else None


def _sitting(viewer: Viewer, bearer: Bearer) -> UUID | None:
    return bearer.player if isinstance(viewer, int) else None


async def _refuse(socket: Socket, found: Problem) -> None:
    """Answers the opening request with a problem, as over HTTP."""
    headers = [(b"content-type", MEDIA_TYPE.encode())]
    if found.retry_after_s is not None:
        headers.append((b"retry-after", str(found.retry_after_s).encode()))
    start: Any = {"type": "websocket.http.response.start", "status": found.status, "headers": headers}
    body: Any = {"type": "websocket.http.response.body", "body": msgspec.json.encode(found)}
    await socket.send(start)
    await socket.send(body)


class _Session:
    """One socket that was admitted: frames and answers out, one after another; commands in, one at a time."""

    def __init__(
        self,
        site: Site,
        socket: Socket,
        caller: Caller,
        match: UUID,
        viewer: Viewer,
        subscription: Subscription,
        visit: Visit | None,
    ) -> None:
        self._site = site
        self._socket = socket
        self._caller = caller
        self._bearer = caller.bearer
        self._match = match
        self._viewer = viewer
        self._subscription = subscription
        self._visit = visit
        self._refused = 0

    async def run(self) -> None:
        """Until either side closes."""
        reading = asyncio.create_task(self._read())
        try:
            await self._write()
        except (WebSocketException, OSError):
            return
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _write(self) -> None:
        while (frame := await self._subscription.next()) is not None:
            if self._bearer.is_over(self._site.clock.now()):
                await self._socket.close(_EXPIRED, "the token has expired")
                return
            await self._socket.send_data(frame.decode(), mode="text")
        ended = self._subscription.ended
        if self._refused > _MOST_REFUSED:
            await self._socket.close(_FLOODING, "too many requests")
        elif ended is not None and ended != "viewer left":
            await self._socket.close(_CLOSE_CODES[ended], ended)

    async def _read(self) -> None:
        try:
            while True:
                message: Any = await self._socket.receive()
                if message["type"] != "websocket.receive":
                    break
                given = message.get("text") or message.get("bytes") or ""
                self._subscription.put(msgspec.json.encode(await self._answer(given)))
                if self._refused > _MOST_REFUSED:
                    break
        finally:
            self._subscription.end("viewer left")

    async def _answer(self, message: str | bytes) -> Answered:
        if not self._site.limits.admit(self._caller.counted_as):
            self._refused += 1
            return Answered(do=None, command_id=None, status=429, body=too_many_requests())
        self._refused = 0
        do, command_id = None, None
        try:
            asked = msgspec.json.decode(message, type=Asked)
            do = asked.do[:20]
            if self._visit is not None:
                self._site.visits.note(self._visit, do, asked.sent_ms)
            body = msgspec.json.decode(asked.body, type=SEAT_ACTIONS[asked.do])
            command_id = body.command_id
            if self._bearer.is_over(self._site.clock.now()):
                raise TokenRefused("the token has expired; get a new one")
            receipt = await act(self._site, self._bearer, self._match, self._seat(asked), body)
            return Answered(do=do, command_id=command_id, status=200, body=receipt)
        except KeyError:
            wrong = problem(400, "BadRequest", f"do: one of {', '.join(SEAT_ACTIONS)}", "没有这个指令")
            return Answered(do=do, command_id=None, status=400, body=wrong)
        except (msgspec.MsgspecError, ValueError) as error:
            wrong = problem(400, "BadRequest", str(error)[:300], "消息格式有误，见英文说明")
            return Answered(do=do, command_id=command_id, status=400, body=wrong)
        except (GongzhuError, AdapterError, PersistenceError) as error:
            found = problem_of(error)
            return Answered(do=do, command_id=command_id, status=found.status, body=found)

    def _seat(self, asked: Asked) -> int:
        if asked.seat is not None:
            return asked.seat
        return self._viewer if isinstance(self._viewer, int) else -1
