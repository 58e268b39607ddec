"""A connection to NATS that comes back by itself, says when it was interrupted, and logs its errors.

nats-py would print errors, give up after a while, and offer answers of JetStream as loose dictionaries. Here a request
to JetStream gives a struct, or raises what the server said; a server that is away is told from one that refuses.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
import nats.errors

from adapters.errors import AdapterError, ServersUnavailable
from adapters.nats.denials import Denials
from adapters.nats.lean_client import LeanClient
from adapters.nats.users import inbox_prefix_of

_CONNECT_WITHIN_S: Final = 10.0
_REFUSED_WITHIN_S: Final = 2.0
_ANSWER_WITHIN_S: Final = 10.0  # a server may wait for its disk for seconds
_API: Final = "$JS.API."

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class NatsAway(AdapterError):
    """NATS does not answer just now."""


class JetStreamRefused(AdapterError):
    """JetStream refused a request. `code` is its own number for the reason."""

    def __init__(self, code: int, description: str) -> None:
        self.code = code
        super().__init__(f"JetStream refused: {description} ({code})")


class _Error(msgspec.Struct):
    code: int
    err_code: int = 0
    description: str = ""


class _Refusal(msgspec.Struct):
    error: _Error | None = None


class NatsConnection:
    """A connected client, and how often it was interrupted since."""

    def __init__(self) -> None:
        self.client = LeanClient()
        self.interruptions = 0
        self.denials = Denials("", "")
        self._denied = ""
        self._said = ""
        self._on_first_error = _nothing
        self._on_interruption: set[Callable[[], None]] = set()

    async def connect(self, url: str, name: str) -> None:
        """Connects for the first time. Raises `ServersUnavailable`; later interruptions heal by themselves."""
        servers = url.split(",")
        user = urlsplit(servers[0]).username or ""
        inbox_prefix = inbox_prefix_of(user)
        self.denials = Denials(user, inbox_prefix)
        connecting = self.client.connect(
            servers,
            name=name,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,  # type: ignore[arg-type]
            connect_timeout=5,
            ping_interval=10,
            inbox_prefix=inbox_prefix,
            error_cb=self._error,
            disconnected_cb=self._interrupted,
            reconnected_cb=self._reconnected,
            closed_cb=self._interrupted,
        )
        try:
            await self._first(connecting)
        except (TimeoutError, OSError, nats.errors.Error) as error:
            await self.close()
            why = self._denied or str(error) or "no answer"
            raise ServersUnavailable(
                f"NATS at {_without_password(url)} cannot be reached ({why}); is it running, is GONGZHU_NATS_URL right?"
            ) from error
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _first(self, connecting: Coroutine[Any, Any, None]) -> None:
        """Waits for the first connection, which the client would try for ever; not long for one that is refused."""
        working = asyncio.ensure_future(connecting)
        try:
            async with asyncio.timeout(_CONNECT_WITHIN_S) as limit:
                self._on_first_error = lambda: limit.reschedule(
                    min(limit.when() or 0, asyncio.get_running_loop().time() + self._worth_waiting())
                )
                await asyncio.shield(working)
        finally:
            self._on_first_error = _nothing
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    def _worth_waiting(self) -> float:
        """How long a first connection is still tried after an error: a server may just be starting."""
        return 0.0 if self._denied else _REFUSED_WITHIN_S

    async def close(self) -> None:
        """Ends the connection."""
        with contextlib.suppress(nats.errors.Error, OSError):
            await self.client.close()

    def check_open(self) -> None:
        """Raises `ServersUnavailable` where the connection will not come back by itself."""
        if self.client.is_closed:
            raise ServersUnavailable(f"NATS has closed the connection: {self._denied or 'no reason given'}")

    @contextlib.contextmanager
    def on_interruption(self, do: Callable[[], None]) -> Iterator[None]:
        """Calls `do` at once whenever the connection is interrupted."""
        self._on_interruption.add(do)
        try:
            yield
        finally:
            self._on_interruption.discard(do)

    async def ask(self, subject: str, question: Any, answer: type[Answer]) -> Answer:
        """The answer of the JetStream API. `subject` without `$JS.API.`; `question` None or what JSON is made of.

        Raises `JetStreamRefused`, `NatsAway`, `Denied`.
        """
        if not self.client.is_connected:
            raise NatsAway(f"NATS is away: {self._denied or 'the connection is interrupted'}")
        body = b"" if question is None else msgspec.json.encode(question)
        try:
            message = await self.denials.told(
                _API + subject, self.client.request(_API + subject, body, timeout=_ANSWER_WITHIN_S)
            )
        except (nats.errors.Error, OSError) as error:
            raise NatsAway(
                f"NATS does not answer {subject}: {self._denied or type(error).__name__}"
            ) from error
        refusal = msgspec.json.decode(message.data, type=_Refusal).error
        if refusal is not None:
            raise JetStreamRefused(refusal.err_code or refusal.code, refusal.description)
        return msgspec.json.decode(message.data, type=answer)

    async def _error(self, error: Exception) -> None:
        text = str(error) or type(error).__name__
        if self.denials.note(error) or "authorization" in text.lower():
            self._denied = text
        self._on_first_error()
        if text != self._said:
            self._said = text
            _log.warning("NATS: %s", text)

    async def _reconnected(self) -> None:
        self._said = ""

    async def _interrupted(self) -> None:
        self.interruptions += 1
        for do in list(self._on_interruption):
            do()


@contextlib.asynccontextmanager
async def connected(url: str, name: str) -> AsyncIterator[NatsConnection]:
    """A connection for as long as the block lasts. Raises `ServersUnavailable`."""
    connection = NatsConnection()
    await connection.connect(url, name)
    try:
        yield connection
    finally:
        await connection.close()


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _nothing() -> None:
    """Does nothing."""
