"""The one place that builds the parts and connects them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec

from adapters.clock import Alarm, Clock, SystemClock
from adapters.event_store import MatchLog
from adapters.group_commit import GroupCommit
from adapters.http.site import Site, Terms
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.keys import KeyRing, ensure_keys, load_keys
from adapters.live.service import LiveService
from adapters.live.tables import LiveTables
from adapters.live.tail import LogTail
from adapters.live.timekeeper import Timekeeper
from adapters.match_service import MatchService
from adapters.people.register import Register
from adapters.postgres.log_reader import LogReader
from adapters.postgres.match_rows import Pool, known_matches
from adapters.postgres.recorder import open_pool
from adapters.randomness import Randomness, SystemRandomness
from adapters.sealing import Sealer
from domain.decisions.dealing import chain_deal
from domain.decisions.story import Dealer

KEYS_FILE = "keys.json"


class Ports(msgspec.Struct, frozen=True):
    """What the outside world gives: time, randomness, and the deals (the chain of seeds, unless a test has its own)."""

    clock: Clock
    randomness: Randomness
    dealer: Dealer = chain_deal


def system_ports() -> Ports:
    """The machine's clock and the operating system's randomness."""
    return Ports(SystemClock(), SystemRandomness())


def keys_path(data: Path) -> Path:
    """Where the keys of a data folder are."""
    return data / KEYS_FILE


@contextmanager
def match_log(database_url: str, keys: KeyRing, ports: Ports) -> Iterator[MatchLog]:
    """The log of a database, for reading matches."""
    with open_pool(database_url) as pool:
        yield MatchLog(pool, Sealer(keys, ports.randomness))


@contextmanager
def readable_log(database_url: str, data: Path, ports: Ports) -> Iterator[MatchLog]:
    """The log, with what keys there are; without any, what is public can be read."""
    with match_log(database_url, load_keys(keys_path(data)), ports) as log:
        yield log


@asynccontextmanager
async def match_service(database_url: str, data: Path, ports: Ports) -> AsyncIterator[MatchService]:
    """A match service on a database, with the keys of a data folder (made where there are none)."""
    keys = ensure_keys(keys_path(data), ports.randomness)
    async with _sealed_service(database_url, keys, ports) as (service, _, _):
        yield service


@asynccontextmanager
async def ended_match_service(database_url: str, data: Path, ports: Ports) -> AsyncIterator[MatchService]:
    """A match service for what is decided on ended matches: all of it is public, so it needs no key and makes none."""
    async with _sealed_service(database_url, load_keys(keys_path(data)), ports) as (service, _, _):
        yield service


@asynccontextmanager
async def _sealed_service(
    database_url: str, keys: KeyRing, ports: Ports
) -> AsyncIterator[tuple[MatchService, MatchLog, Sealer]]:
    sealer = Sealer(keys, ports.randomness)
    with open_pool(database_url) as pool:
        log = MatchLog(pool, sealer)
        async with GroupCommit(database_url) as commits:
            service = MatchService(log, commits, keys, sealer, ports.clock, ports.dealer)
            try:
                yield service, log, sealer
            finally:
                await service.settle_down()


@asynccontextmanager
async def live_service(
    database_url: str, data: Path, ports: Ports, alarm: Alarm
) -> AsyncIterator[LiveService]:
    """A match service that follows every match in play on the log and acts when its time has come.

    `alarm` is the clock of `ports`. A broken log ends the block with `BrokenLog`, in an exception group.
    """
    async with (
        _sealed_service(database_url, ensure_keys(keys_path(data), ports.randomness), ports) as (
            service,
            log,
            sealer,
        ),
        LogReader(database_url) as reader,
        asyncio.TaskGroup() as tasks,
    ):
        timekeeper = Timekeeper(service, alarm, ports.randomness)
        tables = LiveTables(service, ports.clock, timekeeper.deadline_of)
        tables.on_change = timekeeper.schedule
        tail = LogTail(reader, service, tables, sealer)
        unfinished = [
            match.id for match in known_matches(log.pool) if match.opened.opened_by and not match.ended
        ]
        await tail.start(unfinished)
        moving = [tasks.create_task(tail.run()), tasks.create_task(timekeeper.run())]
        try:
            yield LiveService(service, log, tables, timekeeper, ports.clock, ports.randomness)
        finally:
            for task in moving:
                task.cancel()
            await tables.stop()


@asynccontextmanager
async def live_site(
    database_url: str,
    data: Path,
    ports: Ports,
    alarm: Alarm,
    *,
    terms: Terms | None = None,
    provider_keys: Path | None = None,
) -> AsyncIterator[Site]:
    """The API's site over a live service: give it to `http.server.run_http`.

    `provider_keys`: a JSON Web Key Set of another identity provider, whose tokens are accepted too.
    """
    keys = ensure_token_keys(data, ports.randomness, provider_keys)
    async with live_service(database_url, data, ports, alarm) as live:
        people = register_of(live.log.pool, data, ports)
        pruning = asyncio.create_task(people.connections.prune_daily(alarm), name="prune connections")
        site = Site(live, Bearers(keys, ports.clock), people, terms or Terms())
        try:
            yield site
        finally:
            pruning.cancel()
            await site.settle_down()


def register_of(pool: Pool, data: Path, ports: Ports) -> Register:
    """What is known of people in a database, with the keys of a data folder."""
    return Register(pool, ensure_keys(keys_path(data), ports.randomness), ports.randomness)
