"""How far the stream is behind the log, and whether it holds what the log holds."""

from datetime import datetime
from typing import Literal

import msgspec

from adapters.nats.connection import NatsConnection
from adapters.nats.headers import ROW_DIGEST
from adapters.nats.publishing import MOST_IN_WINDOW
from adapters.nats.stream import FeedStream, StoredMessage, StreamState
from adapters.postgres.log_reader import LogReader
from adapters.serialization import Row, decode_row
from domain.errors import BrokenLog

Standing = Literal["in step", "behind", "no stream", "broken"]


class FeedStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Stream and log beside each other.

    `lag` counts events of the log that the stream lacks, `lag_s` is the age of the oldest of them in seconds.
    `broken`: the stream lacks messages, or its newest ones are not the log's rows at their positions.
    """

    log: str
    log_last: int
    stream: str
    epoch: str | None
    last: int
    lag: int
    lag_s: float
    standing: Standing


async def feed_status(connection: NatsConnection, reader: LogReader, log: str, now: datetime) -> FeedStatus:
    """How the feed of a log stands. Raises `FeedBroken` where the stream cannot be one, `NatsAway` and the like."""
    stream = FeedStream(connection, log)
    # The stream is asked first: it can then not be found ahead of a log that has grown meanwhile.
    state = await stream.state()
    last = 0 if state is None else state.last
    log_last = await reader.last_position()
    missing = await reader.rows(last + 1, 1)
    return FeedStatus(
        log=log,
        log_last=log_last,
        stream=stream.name,
        epoch=None if state is None else state.epoch,
        last=last,
        lag=max(log_last - last, 0),
        lag_s=_age_s(missing[0], now) if missing else 0.0,
        standing=await _standing(stream, state, reader, log_last),
    )


def _age_s(row: Row, now: datetime) -> float:
    """How old a row's event is, in seconds; 0 for one that is broken, which others speak of."""
    try:
        return max((now - decode_row(row).at).total_seconds(), 0.0)
    except BrokenLog:
        return 0.0


async def _standing(
    stream: FeedStream, state: StreamState | None, reader: LogReader, log_last: int
) -> Standing:
    if state is None:
        return "no stream"
    if state.messages != state.last or not await _agree(stream, state.last, reader):
        return "broken"
    return "in step" if state.last == log_last else "behind"


async def _agree(stream: FeedStream, last: int, reader: LogReader) -> bool:
    """Whether stream and log hold the same up to here; looked at as far back as a relay may have been misled."""
    first = max(last - MOST_IN_WINDOW, 1)
    rows = await reader.rows(first, last - first + 1)
    messages = await stream.messages(first, last)
    return len(rows) == len(messages) and all(map(_is_of, messages, rows))


def _is_of(message: StoredMessage | None, row: Row) -> bool:
    """Whether a message is the one of this row."""
    return (
        message is not None
        and message.sequence == row.position
        and message.headers.get(ROW_DIGEST) == row.digest.hex()
        and message.body == row.public
    )
