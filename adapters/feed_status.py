"""How far the stream is behind the log, and whether it holds what the log holds."""

from datetime import datetime
from typing import Literal

import msgspec

from adapters.nats.connection import NatsConnection
from adapters.nats.headers import ROW_DIGEST
from adapters.nats.stream import FeedStream, StreamState
from adapters.postgres.log_reader import LogReader
from adapters.serialization import Row, decode_row

Standing = Literal["in step", "behind", "no stream", "broken"]


class FeedStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Stream and log beside each other.

    `lag` counts events of the log that the stream lacks, `lag_s` is the age of the oldest of them in seconds.
    `broken`: the stream's last message is not the log's row at its position.
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
        lag_s=max((now - _at(missing[0])).total_seconds(), 0.0) if missing else 0.0,
        standing=await _standing(stream, state, reader, log_last),
    )


def _at(row: Row) -> datetime:
    return decode_row(row).at


async def _standing(
    stream: FeedStream, state: StreamState | None, reader: LogReader, log_last: int
) -> Standing:
    if state is None:
        return "no stream"
    if state.last > 0 and not await _agree(stream, state.last, reader):
        return "broken"
    return "in step" if state.last == log_last else "behind"


async def _agree(stream: FeedStream, position: int, reader: LogReader) -> bool:
    """Whether stream and log hold the same at a position."""
    message = await stream.message(position)
    rows = await reader.rows(position, 1)
    if message is None or not rows or rows[0].position != position:
        return False
    return message.headers.get(ROW_DIGEST) == rows[0].digest.hex() and message.body == rows[0].public
