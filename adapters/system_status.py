"""How everything stands: log, stream, relay and projections, asked of the servers alone.

Nothing is asked of the processes that do the work, so the answer is the same whether they run or not.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec
import psycopg

from adapters.errors import ServersUnavailable
from adapters.feed import PROJECTIONS, feed_is_running
from adapters.feed_status import FeedStatus, feed_status
from adapters.nats.connection import connected
from adapters.nats.stream import REBUILD_FEED, FeedBroken
from adapters.postgres.log_reader import LogReader
from adapters.postgres.session_lock import RELAY, is_held
from adapters.postgres.standings import ProjectionStanding, standings
from projections.runner import Projection

RelayState = Literal["working", "not running", "red"]
"""`working`: some process holds the relay's lock. `red`: the stream is not the log; no relay may go on."""

_PATIENCE_S = 10


class SystemStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Log, stream, relay and projections beside each other.

    `feed` is None where the stream cannot be a feed at all. `served`: a process keeps relay and projections going.
    `red`: what is wrong, each with what to do; empty where all is well.
    """

    log: str
    log_last: int
    served: bool
    relay: RelayState
    feed: FeedStatus | None
    projections: tuple[ProjectionStanding, ...]
    red: tuple[str, ...]


async def system_status(
    database_url: str,
    reader_url: str,
    now: datetime,
    *,
    log: str = "main",
    projections: Sequence[Projection] = PROJECTIONS,
) -> SystemStatus:
    """How everything stands now. Raises `ServersUnavailable` and the like where a server does not answer."""
    found = standings(database_url, projections, log)
    feed: FeedStatus | None = None
    broken = ""
    async with (
        connected(reader_url, "gongzhu status") as connection,
        LogReader(database_url, patience_s=_PATIENCE_S) as reader,
    ):
        last = await reader.last_position()
        try:
            feed = await feed_status(connection, reader, log, now)
        except FeedBroken as error:
            broken = str(error)
    if feed is not None and feed.standing == "broken":
        broken = f"the stream {feed.stream} does not hold what the log holds; {REBUILD_FEED}"
    return SystemStatus(
        log=log,
        log_last=last,
        served=feed_is_running(database_url),
        relay="red" if broken else _relay(database_url),
        feed=feed,
        projections=tuple(found),
        red=tuple(_red(broken, found)),
    )


def _relay(database_url: str) -> RelayState:
    try:
        return "working" if is_held(database_url, RELAY) else "not running"
    except psycopg.OperationalError as error:
        raise ServersUnavailable(f"PostgreSQL cannot be reached: {str(error).strip()}") from error


def _red(broken: str, found: Sequence[ProjectionStanding]) -> list[str]:
    stopped = [f"{one.projection}: {one.stopped}" for one in found if one.stopped]
    return [f"relay: {broken}", *stopped] if broken else stopped
