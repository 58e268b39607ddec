"""Reads a feed from any position on, through consumers of its own making (design §6).

The consumer is ephemeral, lives in the server's memory and acknowledges nothing: where a reader stands is written in
its own database and nowhere else. It is made at the position wanted, and made anew on any gap, error, missed heartbeat
or interruption. One pull is on its way at a time, so no more is in memory than was asked for.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar
from uuid import UUID

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from adapters.feed_messages import message_of_feed
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection
from adapters.nats.headers import ID, ROW_DIGEST, SEQUENCE, SOURCE, TYPE, epoch_of, tag_of_type
from adapters.nats.stream import REBUILD_FEED, FeedBroken, stream_name
from domain.errors import BrokenLog
from projections.messages import Message

_PULL: Final = 1000
_SECOND: Final = 1_000_000_000
_EXPIRES_S: Final = 30
_HEARTBEAT_S: Final = 1.0
_SILENCE_S: Final = 3.5
_UNUSED_S: Final = 60

_STATUS: Final = "Status"
_PULL_OVER: Final = ("404", "408")
_NOBODY: Final = UUID(int=0)


class _Consumer(msgspec.Struct):
    name: str


class _Done(msgspec.Struct):
    success: bool = True


class Placed(Protocol):
    """What a delivery is read as; `position` is its stream sequence."""

    @property
    def position(self) -> int:
        """The stream sequence."""
        ...


M = TypeVar("M", bound=Placed)


class StreamReader(Generic[M]):
    """The messages of one log's stream, in order, as `read` makes them. `created` counts the consumers made so far."""

    def __init__(
        self, connection: NatsConnection, log: str, read: Callable[[Msg], M], *, pull: int = _PULL
    ) -> None:
        self._read = read
        self._connection = connection
        self._stream = stream_name(log)
        self._pull_size = pull
        self._name = ""
        self._first = 0
        self._next = 0
        self._owed = 0
        self._trouble = "not made yet"
        self._subscription: Subscription | None = None
        self._inbox = ""
        self._received: deque[Msg] = deque()
        self._arrived = asyncio.Event()
        self._heard = 0.0
        self._interruptions = -1
        self.created = 0

    async def after(self, position: int, limit: int, within_s: float) -> list[M]:
        """Up to `limit` messages from `position + 1` on, as soon as there are any; none after `within_s` seconds.

        Raises `FeedBroken` where the stream lacks the next one, `NatsAway` and `JetStreamRefused` where it is worth
        trying again.
        """
        if self._next != position + 1:
            self._trouble = "another position is wanted"
        deadline = self._now() + within_s
        made = False
        while True:
            if self._trouble:
                if made:
                    # Not even a new one works: whoever asks may wait a moment.
                    raise NatsAway(f"the consumer of {self._stream} does not last: {self._trouble}")
                await self._make(position + 1)
                made = True
            if self._owed == 0:
                # The next ones are on their way while these are applied.
                await self._pull()
            if self._received:
                return self._taken(limit)
            if not await self._news(deadline):
                return []

    async def close(self) -> None:
        """Removes the consumer, if the server can be asked."""
        self._trouble = "closed"
        subscription, name = self._subscription, self._name
        self._subscription, self._name = None, ""
        if subscription is None or not self._connection.client.is_connected:
            return
        try:
            await subscription.unsubscribe()
            await self._connection.ask(f"CONSUMER.DELETE.{self._stream}.{name}", None, _Done)
        except (nats.errors.Error, NatsAway, JetStreamRefused):
            # It is gone with its server, or will be for lack of use.
            return

    async def _make(self, first: int) -> None:
        await self.close()
        self._received.clear()
        config = {
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": first,
            "ack_policy": "none",
            "replay_policy": "instant",
            "max_waiting": 4,
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": _UNUSED_S * _SECOND,
        }
        question = {"stream_name": self._stream, "config": config}
        # What an interruption from here on ends is this consumer.
        self._trouble = ""
        with self._connection.on_interruption(self._interrupted):
            made = await self._connection.ask(f"CONSUMER.CREATE.{self._stream}", question, _Consumer)
            self._inbox = self._connection.client.new_inbox()
            try:
                self._subscription = await self._subscribe()
            except nats.errors.Error as error:
                raise NatsAway(f"NATS: {error}") from error
        self._name = made.name
        self._first = self._next = first
        self._owed = 0
        self._interruptions = self._connection.interruptions
        self.created += 1

    async def _subscribe(self) -> Subscription:
        inbox = self._inbox

        async def receive(message: Msg) -> None:
            # What was on its way to an earlier consumer is not wanted any more.
            if inbox == self._inbox:
                self._receive(message)

        return await self._connection.client.subscribe(inbox, cb=receive)

    async def _pull(self) -> None:
        request = {
            "batch": self._pull_size,
            "expires": _EXPIRES_S * _SECOND,
            "idle_heartbeat": int(_HEARTBEAT_S * _SECOND),
        }
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name}"
        self._owed = self._pull_size
        self._heard = self._now()
        try:
            await self._connection.client.publish(subject, msgspec.json.encode(request), reply=self._inbox)
        except nats.errors.Error as error:
            raise NatsAway(f"NATS: {error}") from error

    async def _news(self, deadline: float) -> bool:
        """Waits until something arrives or is wrong; whether there is still time."""
        self._arrived.clear()
        now = self._now()
        if now >= deadline:
            return False
        try:
            async with asyncio.timeout(min(deadline - now, _HEARTBEAT_S)):
                await self._arrived.wait()
        except TimeoutError:
            if self._now() - self._heard > _SILENCE_S:
                self._trouble = "no heartbeat"
        if self._connection.interruptions != self._interruptions:
            self._trouble = "interrupted"
        return True

    def _receive(self, message: Msg) -> None:
        self._heard = self._now()
        status = message.headers.get(_STATUS) if message.headers and not message.data else None
        if status is None:
            self._owed -= 1
            self._received.append(message)
        elif status in _PULL_OVER:
            self._owed = 0
        elif status != "100":
            self._trouble = f"status {status}"
        self._arrived.set()

    def _interrupted(self) -> None:
        self._trouble = "interrupted"
        self._arrived.set()

    def _taken(self, limit: int) -> list[M]:
        """The messages that have arrived, from the next one on. Raises `FeedBroken`."""
        taken: list[M] = []
        while self._received and len(taken) < limit:
            message = self._read(self._received.popleft())
            if message.position < self._next:
                continue
            if message.position > self._next:
                if self._next == self._first:
                    raise FeedBroken(f"the stream {self._stream} lacks message {self._next}; {REBUILD_FEED}")
                self._trouble = "a gap"
                break
            self._next += 1
            taken.append(message)
        return taken

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class FeedConsumer(StreamReader[Message]):
    """The messages of one log's stream, for projections."""

    def __init__(self, connection: NatsConnection, log: str, *, pull: int = _PULL) -> None:
        super().__init__(connection, log, _message, pull=pull)


def _message(received: Msg) -> Message:
    """A message for projections; one that is not of a feed calls itself position 0."""
    position = sequence_of(received.reply)
    headers = received.headers or {}
    try:
        return message_of_feed(
            position,
            int(headers[SEQUENCE]),
            headers[ID],
            tag_of_type(headers[TYPE]),
            bytes.fromhex(headers[ROW_DIGEST]),
            epoch_of(headers[SOURCE]),
            received.data,
        )
    except (KeyError, ValueError) as error:
        foreign = BrokenLog(f"this message is not of a feed ({error!r}); {REBUILD_FEED}", position=position)
        return Message(position, 0, _NOBODY, 0, "", b"", "", foreign)


def sequence_of(reply: str) -> int:
    """The stream sequence in a delivery's reply subject.

    `$JS.ACK.<stream>.<consumer>.<delivered>.<sequence>.…`; where it is longer, domain and account stand before the
    stream.
    """
    parts: list[Any] = reply.split(".")
    return int(parts[5] if len(parts) == 9 else parts[7])
