"""The feed as lines of JSON: from a position on, until the stream's end or for ever."""

from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec
from nats.aio.msg import Msg

from adapters.health import Patience
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection
from adapters.nats.consumer import StreamReader, sequence_of
from adapters.nats.headers import SEQUENCE, SOURCE, epoch_of
from adapters.nats.stream import FeedBroken, FeedStream, StreamState
from domain.errors import GongzhuError

_BATCH: Final = 500
_LOOK_AGAIN_S: Final = 1.0


class NewEpoch(GongzhuError):
    """The stream is not the one whose positions are known; says what to do."""


class FeedLine(msgspec.Struct, frozen=True):
    """One message: where it stands, in which epoch of the stream, and its body, byte for byte."""

    position: int
    epoch: str
    event: msgspec.Raw

    @property
    def body(self) -> bytes:
        """The event as it is stored."""
        return bytes(self.event)


class FeedLines:
    """Reads the feed of one log. `epoch` is the one that was expected, or the one first found."""

    def __init__(
        self,
        connection: NatsConnection,
        log: str,
        *,
        epoch: str | None = None,
        patience_s: float | None = None,
        on_trouble: Callable[[str], None] | None = None,
    ) -> None:
        """`patience_s`: how long a server may be away (None: for ever). `on_trouble` hears why it waits."""
        self._connection = connection
        self._stream = FeedStream(connection, log)
        self._reader = StreamReader(connection, log, _line)
        self._patience_s = patience_s
        self._on_trouble = on_trouble
        self._checked = 0
        self.epoch = epoch

    async def state(self) -> StreamState:
        """How the stream stands. Raises `FeedBroken` where there is none, `NewEpoch` where it is another."""
        state = await self._stream.state()
        if state is None:
            raise FeedBroken(
                f"there is no stream {self._stream.name} yet; `gongzhu serve` or `gongzhu play` makes it"
            )
        if self.epoch not in (None, state.epoch):
            raise NewEpoch(
                f"the stream {self._stream.name} is a new one (epoch {state.epoch}, it was {self.epoch}): what was "
                "derived from the old one is void; begin again at position 1"
            )
        self.epoch = state.epoch
        return state

    async def caught_up(self, first: int) -> AsyncGenerator[list[FeedLine], None]:
        """The messages from position `first` to the stream's end, as it is when that is reached."""
        position, last = first - 1, (await self.state()).last
        while position < last:
            lines = await self._after(position)
            if lines:
                yield lines
                position = lines[-1].position
            last = (await self.state()).last

    async def for_ever(self, first: int | None) -> AsyncGenerator[list[FeedLine], None]:
        """The messages from position `first` (None: the next one) on, as they come."""
        position = (await self.state()).last if first is None else first - 1
        while True:
            lines = await self._after(position)
            if lines:
                yield lines
                position = lines[-1].position

    async def close(self) -> None:
        """Removes the consumer."""
        await self._reader.close()

    async def _after(self, position: int) -> list[FeedLine]:
        """What follows a position, if anything does within a second. Waits for a server that is away."""
        patience = Patience(self._patience_s)
        while True:
            try:
                lines = await self._reader.after(position, _BATCH, _LOOK_AGAIN_S)
                await self._check_epoch()
            except (NatsAway, JetStreamRefused) as trouble:
                if self._on_trouble is not None:
                    self._on_trouble(str(trouble))
                self._connection.check_open()
                await patience.wait(trouble)
            else:
                return lines

    async def _check_epoch(self) -> None:
        """A new consumer may be one of a new stream, where the position means nothing. Raises `NewEpoch`."""
        created = self._reader.created
        if created != self._checked:
            await self.state()
            self._checked = created


def _line(received: Msg) -> FeedLine:
    """A message as it was received. Raises `FeedBroken` for one that is not of a feed."""
    position = sequence_of(received.reply)
    headers = received.headers or {}
    if headers.get(SEQUENCE) != f"{position:020}" or SOURCE not in headers:
        raise FeedBroken(
            f"message {position} of the stream is not of a feed; `gongzhu feed status` says more"
        )
    return FeedLine(position, epoch_of(headers[SOURCE]), msgspec.Raw(received.data))
