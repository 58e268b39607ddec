"""The feed beside a command: relay and projections until caught up, unless a `serve` keeps them going."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from rich.progress import Progress

from adapters.composition import system_ports
from adapters.embedded import Servers
from adapters.feed import Feed, feed_is_running
from adapters.nats.connection import connected
from adapters.nats.stream import FeedStream
from adapters.postgres.queries import ReadModels
from adapters.postgres.recorder import open_pool
from adapters.settings import Settings

_POLL_S: Final = 0.2


@asynccontextmanager
async def feeding(settings: Settings, servers: Servers, bars: Progress) -> AsyncIterator[None]:
    """Publishes and projects what the block appends, meanwhile and, when it ends, to the last event."""
    feed = feed_of(settings, servers)
    running = await asyncio.to_thread(feed_is_running, servers.database_url)
    meanwhile = None if running else asyncio.create_task(_again_and_again(feed), name="feed")
    try:
        yield
    finally:
        if meanwhile is not None:
            meanwhile.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await meanwhile
    await _finish(settings, servers, feed, bars)


async def _again_and_again(feed: Feed) -> None:
    """Catches up with the growing log; what stops it for good is raised by the last catching up."""
    while True:
        await feed.catch_up()
        await asyncio.sleep(_POLL_S)


async def catch_up(settings: Settings, servers: Servers, bars: Progress) -> None:
    """Publishes and projects what the log holds now."""
    await _finish(settings, servers, feed_of(settings, servers), bars)


async def _finish(settings: Settings, servers: Servers, feed: Feed, bars: Progress) -> None:
    """Waits for the `serve` that keeps the feed going, or catches up here; also if that `serve` ends meanwhile."""
    bar = bars.add_task("publishing and projecting", total=None)
    with open_pool(servers.database_url, most=1) as pool:
        models = ReadModels(pool, settings.log_name)
        while await asyncio.to_thread(feed_is_running, servers.database_url):
            if await asyncio.to_thread(models.is_up_to_date):
                return
            await asyncio.sleep(_POLL_S)
    await feed.catch_up(
        lambda part, done, total: bars.update(bar, description=f"{part}", completed=done, total=total)
    )


async def stream_position(settings: Settings, servers: Servers) -> int:
    """The stream's last sequence, 0 where there is no stream."""
    async with connected(servers.projections_url, "gongzhu") as connection:
        state = await FeedStream(connection, settings.log_name).state()
    return 0 if state is None else state.last


def feed_of(settings: Settings, servers: Servers) -> Feed:
    """Relay and projections of the log that was set."""
    return Feed(
        servers.database_url,
        servers.relay_url,
        servers.projections_url,
        system_ports().randomness,
        log=settings.log_name,
    )
