"""The feed and its projections, kept going together: until everything is caught up, or until stopped (design §5, §6).

Each part stops alone: a projection that must not go on leaves the others running. A part that is red is tried again
every few seconds, so that it goes on by itself once someone has put things right.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import psycopg

from adapters.errors import AdapterError, ServersUnavailable
from adapters.health import Health
from adapters.nats.connection import connected
from adapters.nats.relay import Relay
from adapters.nats.shared_reading import SharedFeed
from adapters.nats.stream import FeedBroken, FeedStream
from adapters.postgres.log_reader import LogReader
from adapters.postgres.session_lock import FEED, SessionLock, is_held
from adapters.projecting import ProjectionWorker
from adapters.randomness import Randomness
from projections.hand_replays import HAND_REPLAYS
from projections.leaderboards import LEADERBOARDS
from projections.players import PLAYER_STATISTICS
from projections.runner import Projection, ProjectionStopped
from projections.tables import TABLES

PROJECTIONS: Final = (TABLES, LEADERBOARDS, HAND_REPLAYS, PLAYER_STATISTICS)
"""Every projection there is."""

_AGAIN_S: Final = 3.0
_PROGRESS_S: Final = 0.1
_DATABASE_WITHIN_S: Final = 3.0

_log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Told of each part (`relay` or a projection's name) how many events it has done and how many there are."""


class Feed:
    """Relay and projections of one log. `healths` says of each part how it is."""

    def __init__(
        self,
        database_url: str,
        relay_url: str,
        projections_url: str,
        randomness: Randomness,
        *,
        log: str = "main",
        projections: Sequence[Projection] = PROJECTIONS,
        patience_s: float = 60.0,
    ) -> None:
        self._database_url = database_url
        self._relay_url = relay_url
        self._projections_url = projections_url
        self._randomness = randomness
        self._log = log
        self._patience_s = patience_s
        self._relay = Health("relay")
        self._projections = [(projection, Health(projection.name)) for projection in projections]

    @property
    def healths(self) -> list[Health]:
        """The relay, then each projection."""
        return [self._relay, *(health for _, health in self._projections)]

    async def catch_up(self, progress: Progress | None = None) -> int:
        """Publishes and projects what the log holds now; its last position.

        Raises `FeedBroken`, `ProjectionStopped`, and `ServersUnavailable` for a server that is away or stays so.
        """
        last = await self._last_position()
        async with self._workers() as workers:
            parts = [self._run_relay(last), *(worker.run(last) for worker in workers)]
            tasks = [asyncio.ensure_future(part) for part in parts]
            try:
                await self._watch(tasks, last, progress)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        return last

    async def run(self) -> None:
        """Keeps everything going until it is cancelled; others can tell that it does (`feed_is_running`).

        Raises `ServersUnavailable` where a server cannot be reached at the start; later it waits for them.
        """
        await self._check_servers()
        async with SessionLock(self._database_url, FEED, shared=True) as lock, asyncio.TaskGroup() as group:
            await lock.take()
            group.create_task(_hold(lock))
            group.create_task(_keep(self._relay, self._run_relay))
            group.create_task(self._keep_projections())

    async def _keep_projections(self) -> None:
        """Keeps all projections going over one connection, and makes another where that one is closed for good."""
        while True:
            try:
                async with self._workers() as workers, asyncio.TaskGroup() as group:
                    for worker in workers:
                        group.create_task(_keep(worker.health, worker.run, worker.check_open))
            except ServersUnavailable as away:
                self._wait_for(away)
            except BaseExceptionGroup as several:
                if several.split(ServersUnavailable)[1] is not None:
                    raise
                self._wait_for(several.exceptions[0])
            await asyncio.sleep(_AGAIN_S)

    def _wait_for(self, trouble: BaseException) -> None:
        for _, health in self._projections:
            health.wait_for(str(trouble))

    @asynccontextmanager
    async def _workers(self) -> AsyncIterator[list[ProjectionWorker]]:
        """A worker for each projection; they read the feed together."""
        async with connected(self._projections_url, "gongzhu projections") as connection:
            shared = SharedFeed(connection, self._log)
            try:
                yield [
                    ProjectionWorker(
                        projection,
                        self._database_url,
                        connection,
                        self._log,
                        shared=shared,
                        health=health,
                        patience_s=self._patience_s,
                    )
                    for projection, health in self._projections
                ]
            finally:
                await shared.close()

    async def _run_relay(self, until: int | None = None) -> None:
        async with connected(self._relay_url, "gongzhu relay") as connection:
            relay = Relay(
                self._database_url,
                connection,
                self._log,
                self._randomness,
                patience_s=self._patience_s,
                health=self._relay,
            )
            await relay.run(until)

    async def _watch(
        self, tasks: Sequence["asyncio.Future[None]"], last: int, progress: Progress | None
    ) -> None:
        """Waits until all are done, telling of progress. Raises what the first one to fail raised."""
        pending = set(tasks)
        while pending:
            done, pending = await asyncio.wait(
                pending, timeout=_PROGRESS_S, return_when=asyncio.FIRST_EXCEPTION
            )
            for health in self.healths if progress else ():
                assert progress is not None
                progress(health.name, min(health.position, last), last)
            for task in done:
                task.result()

    async def _last_position(self) -> int:
        async with LogReader(self._database_url, patience_s=_DATABASE_WITHIN_S) as reader:
            return await reader.last_position()

    async def _check_servers(self) -> None:
        await self._last_position()
        for url in (self._relay_url, self._projections_url):
            async with connected(url, "gongzhu"):
                pass


async def _keep(
    health: Health, run: Callable[[], Awaitable[None]], check: Callable[[], None] = lambda: None
) -> None:
    """Runs a part again and again, and says what is wrong once. What `check` raises ends it."""
    said = ""
    while True:
        try:
            await run()
        except (FeedBroken, ProjectionStopped) as stopped:
            health.stop(str(stopped))
        except AdapterError as trouble:
            health.wait_for(str(trouble))
        except Exception as error:  # noqa: BLE001 - a fault in one part must not end the others
            _log.exception("%s failed", health.name)
            health.stop(f"{type(error).__name__}: {error}")
        if health.error != said:
            said = health.error
            _log.error("%s is %s: %s", health.name, health.state, said)
        check()
        await asyncio.sleep(_AGAIN_S)


async def _hold(lock: SessionLock) -> None:
    """Keeps a lock that is lost with its connection."""
    while True:
        await lock.take()
        await asyncio.sleep(_AGAIN_S)


async def run_feed(
    database_url: str,
    relay_url: str,
    projections_url: str,
    randomness: Randomness,
    *,
    log: str = "main",
    until_caught_up: bool,
    progress: Progress | None = None,
) -> None:
    """Publishes and projects a log: until both have its last position of now, or until cancelled."""
    feed = Feed(database_url, relay_url, projections_url, randomness, log=log)
    if until_caught_up:
        await feed.catch_up(progress)
    else:
        await feed.run()


async def rebuild_feed(
    database_url: str,
    operator_url: str,
    relay_url: str,
    randomness: Randomness,
    *,
    log: str = "main",
    progress: Progress | None = None,
) -> int:
    """Removes the stream and fills a new one, of another epoch, from position 1; its last position.

    A relay that works elsewhere fills it as well as one of ours. Projections go on where they stand.
    """
    async with connected(operator_url, "gongzhu operator") as connection:
        await FeedStream(connection, log).delete()
    feed = Feed(database_url, relay_url, relay_url, randomness, log=log, projections=())
    return await feed.catch_up(progress)


def feed_is_running(database_url: str) -> bool:
    """Whether some process keeps this log's feed going. Raises `ServersUnavailable`."""
    try:
        return is_held(database_url, FEED)
    except psycopg.OperationalError as error:
        raise ServersUnavailable(f"PostgreSQL cannot be reached: {' '.join(str(error).split())}") from error
