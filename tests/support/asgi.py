"""The application without a network: every byte that it would send, as it hands it to the server."""

import asyncio
from typing import Any, Final
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


async def request(app: Any, method: str, path: str, headers: Headers, body: Any = None) -> str:
    """One request; its answer as text: status, headers, body."""
    content = b"" if body is None else msgspec.json.encode(body)
    headers = headers | {"content-length": str(len(content)), "content-type": "application/json"}
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

    await app(_scope("http", path, headers, method=method, scheme="http"), receive, send)
    head = b"\n".join(name + b": " + value for name, value in sent[0]["headers"])
    payload = b"".join(message.get("body", b"") for message in sent[1:])
    return f"{method} {path} -> {sent[0]['status']}\n{head.decode()}\n{payload.decode()}"


class Socket:
    """One socket; everything the application sends is kept in `sent`, in order."""

    def __init__(self, app: Any, path: str, headers: Headers) -> None:
        self._app = app
        self._scope = _scope("websocket", path, headers, scheme="ws", subprotocols=[], extensions={})
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._grown = asyncio.Condition()
        self.sent: list[str] = []
        self.numbers: list[int] = []

    async def open(self) -> "Socket":
        """Connects, and waits for what comes first after the acceptance."""
        self._incoming.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(self._app(self._scope, self._incoming.get, self._send))
        await self.grown(2)
        return self

    async def ask(self, message: Any) -> None:
        """Sends a message and waits for one more."""
        before = len(self.sent)
        self._incoming.put_nowait(
            {"type": "websocket.receive", "text": msgspec.json.encode(message).decode()}
        )
        await self.grown(before + 1)

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
        async with self._grown:
            self._grown.notify_all()
