"""The application without a network: every byte that it would send, as it hands it to the server."""

import asyncio
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

Headers = dict[str, str]
_PEER: Final = ("203.0.113.7", 40_000)


def _scope(kind: str, path: str, headers: Headers, **more: Any) -> dict[str, Any]:
    parts = urlsplit(path)
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": _PEER,
        "server": ("site", 80),
        "state": {},
        **more,
    }


class Answer(NamedTuple):
    """What a request was answered: everything, in the order in which it would be sent."""

    asked: str
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def text(self) -> str:
        """The whole as text: what was asked, status, headers, body. Each byte of the body is one character."""
        head = b"\n".join(name + b": " + value for name, value in self.headers)
        return f"{self.asked} -> {self.status}\n{head.decode()}\n{self.body.decode('latin-1')}"

    def header(self, name: bytes) -> str | None:
        """The first header of this name in lower case, None where there is none."""
        return next((value.decode() for key, value in self.headers if key == name), None)


async def request(app: Any, method: str, path: str, headers: Headers, body: Any = None) -> Answer:
    """One request, from a client that would take a compressed answer, and its answer."""
    content = b"" if body is None else msgspec.json.encode(body)
    sent: list[dict[str, Any]] = []
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await asyncio.Event().wait()
        asked = True
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    usual = {"accept-encoding": "gzip, deflate, br, zstd", "content-length": str(len(content))}
    if body is not None:
        usual["content-type"] = "application/json"
    await app(_scope("http", path, usual | headers, method=method, scheme="http"), receive, send)
    payload = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(f"{method} {path}", sent[0]["status"], tuple(sent[0]["headers"]), payload)


class Socket:
    """One socket; everything the application sends is kept in `sent`, in order."""

    def __init__(self, app: Any, path: str, headers: Headers) -> None:
        self._app = app
        self._scope = _scope("websocket", path, headers, scheme="ws", subprotocols=[], extensions={})
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._grown = asyncio.Condition()
        self.sent: list[str] = []
        self.numbers: list[int] = []
        self._answers = 0

    async def open(self) -> "Socket":
        """Connects, and waits for what comes first after the acceptance."""
        self._incoming.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(self._app(self._scope, self._incoming.get, self._send))
        await self.grown(2)
        return self

    @property
    def refused(self) -> bool:
        """Whether the application answered with a problem instead of a socket."""
        return not self.sent[0].startswith("websocket.accept")

    async def ask(self, message: Any) -> None:
        """Sends a message and waits for the answer to it."""
        before = self._answers
        self._incoming.put_nowait(
            {"type": "websocket.receive", "text": msgspec.json.encode(message).decode()}
        )
        async with self._grown:
            await self._grown.wait_for(lambda: self._answers > before or self._task.done())

    async def grown(self, count: int) -> None:
        """Waits until so many messages were sent."""
        async with self._grown:
            await self._grown.wait_for(lambda: len(self.sent) >= count or self._task.done())

    async def seen(self, number: int) -> None:
        """Waits for the frame of this number."""
        async with self._grown:
            await self._grown.wait_for(lambda: max(self.numbers, default=0) >= number or self._task.done())

    async def close(self) -> None:
        """Disconnects."""
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await self._task

    async def _send(self, message: dict[str, Any]) -> None:
        text = message.get("text") or (message.get("bytes") or b"").decode()
        self.sent.append(f"{message['type']} {message.get('headers', '')} {message.get('code', '')} {text}")
        if text.startswith(('{"frame":"snapshot"', '{"frame":"change"')):
            self.numbers.append(msgspec.json.decode(text)["number"])
        self._answers += text.startswith('{"frame":"answer"')
        async with self._grown:
            self._grown.notify_all()
