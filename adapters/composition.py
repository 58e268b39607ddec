"""The one place that builds the parts and connects them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec

from adapters.clock import Clock, SystemClock
from adapters.event_store import MatchLog
from adapters.group_commit import GroupCommit
from adapters.keys import KeyRing, ensure_keys, load_keys
from adapters.match_service import MatchService
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
    sealer = Sealer(keys, ports.randomness)
    with open_pool(database_url) as pool:
        async with GroupCommit(database_url) as commits:
            service = MatchService(MatchLog(pool, sealer), commits, keys, sealer, ports.clock, ports.dealer)
            try:
                yield service
            finally:
                await service.settle_down()
