"""How long an answer may be kept, and by whom; ETags, so that what has not changed is not sent again.

A route that says nothing has its answers kept nowhere: they may hold a player's own cards, his name or his token.
What everyone may see, and what changes seldom, is `CHECKED` (kept, and asked for again with its ETag) or `KEPT_HOUR`.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

FRESHNESS: Final = "freshness"
"""The option of a route that says so."""
CHECKED: Final = "no-cache"
KEPT_HOUR: Final = "public, max-age=3600"
_NOWHERE: Final = "no-store"
_DOCUMENTS: Final = "/openapi"

Headers = list[tuple[bytes, bytes]]


def freshness(app: ASGIApp) -> ASGIApp:
    """The application with these headers on its answers; one that sets its own `Cache-Control` is left as it is."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        await app(scope, receive, _Answer(scope, send).take)

    return answer


class _Answer:
    """One answer on its way out: held back until it is whole where it gets an ETag."""

    def __init__(self, scope: Any, send: Send) -> None:
        self._send = send
        self._asked = _header(scope["headers"], b"if-none-match").decode("latin-1")
        self._policy = _policy(scope) if scope["method"] == "GET" else _NOWHERE
        self._start: Any = None
        self._body = bytearray()

    async def take(self, message: Message) -> None:
        """Takes what the application sends."""
        told: Any = message
        if told["type"] == "http.response.start":
            await self._begin(told)
        elif self._start is None:
            await self._send(message)
        else:
            self._body += told.get("body", b"")
            if not told.get("more_body", False):
                await self._end()

    async def _begin(self, start: Any) -> None:
        if _header(start["headers"], b"cache-control"):
            await self._send(start)
        elif self._policy == _NOWHERE or start["status"] != 200:
            await self._send(_with(start, [(b"cache-control", _NOWHERE.encode())]))
        else:
            self._start = start

    async def _end(self) -> None:
        body = bytes(self._body)
        etag = f'"{sha256(body).hexdigest()[:32]}"'
        start = _with(self._start, [(b"etag", etag.encode()), (b"cache-control", self._policy.encode())])
        if etag in self._asked or self._asked.strip() == "*":
            kept = [header for header in start["headers"] if not header[0].lower().startswith(b"content-")]
            start, body = {**start, "status": 304, "headers": kept}, b""
        whole: Any = {"type": "http.response.body", "body": body, "more_body": False}
        await self._send(start)
        await self._send(whole)


def _policy(scope: Any) -> str:
    if scope["path"].startswith(_DOCUMENTS):
        return KEPT_HOUR
    return str(scope["route_handler"].opt.get(FRESHNESS, _NOWHERE))


def _header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes:
    return next((value for key, value in headers if key.lower() == name), b"")


def _with(start: Any, headers: Headers) -> Any:
    return {**start, "headers": [*start["headers"], *headers]}
