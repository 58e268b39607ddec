"""The one place that builds the parts and connects them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import msgspec

from adapters.clock import Alarm, Clock, SystemClock
from adapters.event_store import MatchLog
from adapters.group_commit import GroupCommit
from adapters.http.site import Site, Terms
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import TokenKeys, ensure_token_keys, rotate_token_keys
from adapters.keys import KeyRing, NewKey, ensure_keys, rotate_keys
from adapters.live.service import LiveService
from adapters.live.tables import LiveTables
from adapters.live.tail import LogTail
from adapters.live.timekeeper import Timekeeper
from adapters.match_service import MatchService
from adapters.people.connections import RETENTION, ConnectionRecords
from adapters.people.player_keys import PlayerKeys
from adapters.people.register import Register
from adapters.people.trail import Trail, whoever_asks
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


@asynccontextmanager
async def match_service(database_url: str, data: Path, ports: Ports) -> AsyncIterator[MatchService]:
    """A match service on a database, with the keys of a data folder (made where there are none).

    It can open live hands, which the operators' audit trail is told first.
    """
    async with _keyed_service(database_url, data, ports) as (service, _, _):
        yield service


@asynccontextmanager
async def ended_match_service(database_url: str, ports: Ports) -> AsyncIterator[MatchService]:
    """A match service for what is decided on ended matches: all of it is public, so it has no key."""
    with open_pool(database_url) as pool:
        async with _sealed_service(database_url, pool, KeyRing({}), ports) as (service, _, _):
            yield service


@asynccontextmanager
async def _keyed_service(
    database_url: str, data: Path, ports: Ports
) -> AsyncIterator[tuple[MatchService, MatchLog, Sealer]]:
    with open_pool(database_url) as pool:
        keys = sealing_keys(pool, data, ports)
        Trail(pool).add(ports.clock.now(), whoever_asks(), "took the keys of live hands", keys.current.hex())
        async with _sealed_service(database_url, pool, keys, ports) as parts:
            yield parts


@asynccontextmanager
async def _sealed_service(
    database_url: str, pool: Pool, keys: KeyRing, ports: Ports
) -> AsyncIterator[tuple[MatchService, MatchLog, Sealer]]:
    sealer = Sealer(keys, ports.randomness)
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
        _keyed_service(database_url, data, ports) as (service, log, sealer),
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
    keep: timedelta = RETENTION,
) -> AsyncIterator[Site]:
    """The API's site over a live service: give it to `http.server.run_http`.

    `provider_keys`: a JSON Web Key Set of another identity provider, whose tokens are accepted too.
    `keep`: how long connection records are kept.
    """
    async with live_service(database_url, data, ports, alarm) as live:
        pool = live.log.pool
        bearers = Bearers(token_keys_of(pool, data, ports, provider_keys), ports.clock)
        people = register_of(pool, data, ports)
        site = Site(live, bearers, people, terms or Terms())
        records = (people.connections.prune_daily(alarm, keep), site.visits.sweep_regularly(alarm))
        minding = [asyncio.create_task(mind, name="connection records") for mind in records]
        try:
            yield site
        finally:
            for task in minding:
                task.cancel()
            await site.settle_down()


@asynccontextmanager
async def old_records_deleted(
    database_url: str, alarm: Alarm, keep: timedelta = RETENTION
) -> AsyncIterator[None]:
    """Deletes connection records that have become too old, while the block lasts. No key is needed for that."""
    with open_pool(database_url, most=1) as pool:
        records = ConnectionRecords(pool, PlayerKeys(pool, KeyRing({}), SystemRandomness()))
        deleting = asyncio.create_task(records.prune_daily(alarm, keep), name="connection records")
        try:
            yield
        finally:
            deleting.cancel()


def register_of(pool: Pool, data: Path, ports: Ports) -> Register:
    """What is known of people in a database, with the keys of a data folder."""
    return Register(pool, sealing_keys(pool, data, ports), ports.randomness)


def sealing_keys(pool: Pool, data: Path, ports: Ports) -> KeyRing:
    """The keys of a data folder that seal. A first one is made where there is none, which the trail is told before."""
    new = _told(pool, ports, "made a key that seals live hands")
    return ensure_keys(keys_path(data), ports.randomness, new)


def rotated_sealing_keys(pool: Pool, data: Path, ports: Ports) -> KeyRing:
    """The keys of a data folder with a new one that seals from now on, which the trail is told before."""
    new = _told(pool, ports, "rotated the keys that seal live hands")
    return rotate_keys(keys_path(data), ports.randomness, new)


def token_keys_of(pool: Pool, data: Path, ports: Ports, provider_keys: Path | None = None) -> TokenKeys:
    """The keys of a data folder that sign tokens; a first one likewise."""
    new = _told(pool, ports, "made a key that signs tokens")
    return ensure_token_keys(data, ports.randomness, provider_keys, new)


def rotated_token_keys(pool: Pool, data: Path, ports: Ports) -> TokenKeys:
    """The keys that sign tokens with a new one likewise."""
    return rotate_token_keys(data, ports.randomness, _told(pool, ports, "rotated the keys that sign tokens"))


def _told(pool: Pool, ports: Ports, what: str) -> NewKey:
    """Tells the trail of a new key."""
    return lambda key_id: Trail(pool).add(ports.clock.now(), whoever_asks(), what, key_id)
