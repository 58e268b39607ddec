"""Events a second into the read models, how soon a commit shows in them, and what building them anew takes.

`ours`: all projections together, from the stream; `ours_leaderboards`: that one alone. `library`: the stock library's
`ProjectionRunner` on one leaderboard of the same events, a transaction an event, on the same server; `library_unsynced`
does not wait for the disk, as ours does not. `floor`: reads and decodes the stream and upserts a row a match, in
batches, without waiting for the disk. `visible`: one event at a time is committed while everything is idle.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg

from adapters.feed import PROJECTIONS, Feed
from adapters.nats.connection import connected
from adapters.nats.consumer import FeedConsumer
from adapters.nats.launcher import NatsServer
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.randomness import SystemRandomness
from projections.leaderboards import LEADERBOARDS
from projections.runner import Projection
from tests.bench import library_board
from tests.bench.feed import in_memory
from tests.bench.measured import Measured, at_least, at_most, limit, machine, ratio
from tests.bench.project_parts import Rebuilt, Visible, rebuilt, visible
from tests.support.big_log import fill
from tests.support.feeds import relayed
from tests.support.stored_matches import stored_rows

EVENTS: Final = int(os.environ.get("BENCH_EVENTS", "1000000"))
PROJECTED: Final = min(EVENTS, 200_000)
LIBRARY_EVENTS: Final = 3000
ROUNDS: Final = 3
LIMIT_S: Final = 120.0
_UNSYNCED: Final = ("floor", "library_unsynced")
_UPSERT: Final = """
INSERT INTO floor SELECT * FROM unnest(%s::uuid[], %s::bigint[], %s::text[]) ON CONFLICT (match) DO UPDATE
SET version = excluded.version, tag = excluded.tag
"""

Peer = Callable[[str, NatsServer], int]
"""Projects what a fresh database's log holds; how many events that were."""


def run() -> Measured:
    """Rates in rounds, latencies, and a rebuild."""
    with (
        tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="gongzhu-bench-", dir=in_memory()) as memory,
    ):
        postgres = PostgresServer(Path(folder) / "postgres")
        server = NatsServer(Path(memory) / "nats")
        try:
            postgres.start()
            server.start()
            rates, failed = _rates(postgres, server)
            big = _database(postgres, "big")
            migrate(big)
            fill(big, EVENTS)
            again = rebuilt(big)
        finally:
            server.stop()
            postgres.stop()
    return _measured(rates, failed, again, visible())


def _rates(postgres: PostgresServer, server: NatsServer) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Each peer in each round, on a copy of the same database; and why a peer gave out."""
    last, library_last = _prepare(_database(postgres, "filled"), server)

    def library(url: str, _: NatsServer) -> int:
        library_board.project(url, library_last, LIMIT_S)
        return library_last

    peers: dict[str, Peer] = {
        "ours": lambda url, nats: _ours(url, nats, PROJECTIONS),
        "ours_leaderboards": lambda url, nats: _ours(url, nats, (LEADERBOARDS,)),
        "floor": lambda url, nats: asyncio.run(_upsert_all(url, nats, last)),
        "library": library,
        "library_unsynced": library,
    }
    rates: dict[str, list[float]] = {name: [] for name in peers}
    failed: dict[str, str] = {}
    for number in range(ROUNDS):
        for name in [name for name in peers if name not in failed]:
            try:
                rates[name].append(_rate(name, number, peers[name], postgres, server))
            except Exception as error:  # noqa: BLE001 - a peer that fails in any way must not end the others
                failed[name] = f"{type(error).__name__}: {error}"
                del rates[name]
    return rates, failed


def _prepare(url: str, server: NatsServer) -> tuple[int, int]:
    """Fills our log with its stream, and the library's; their last positions."""
    migrate(url)
    last = fill(url, PROJECTED)
    asyncio.run(relayed(url, server, last))
    with psycopg.connect(url, autocommit=True) as connection:
        rows = stored_rows(connection)[:LIBRARY_EVENTS]
    return last, library_board.record(url, rows)


def _rate(name: str, number: int, peer: Peer, postgres: PostgresServer, server: NatsServer) -> float:
    """Events a second of one peer, on a copy of the database that is removed afterwards."""
    copy = f"{name}_{number}"
    url = _database(postgres, copy, template="filled")
    if name in _UNSYNCED:
        _do_not_wait_for_the_disk(url)
    try:
        with limit(LIMIT_S):
            began = time.perf_counter()
            return peer(url, server) / (time.perf_counter() - began)
    finally:
        with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{copy}" WITH (FORCE)'.encode())


def _database(postgres: PostgresServer, name: str, template: str = "template1") -> str:
    with psycopg.connect(postgres.url_of("postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    return postgres.url_of(name)


def _do_not_wait_for_the_disk(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{connection.info.dbname}" SET synchronous_commit = off'.encode())


def _ours(url: str, server: NatsServer, projections: Sequence[Projection]) -> int:
    feed = Feed(url, server.relay_url, server.projections_url, SystemRandomness(), projections=projections)
    return asyncio.run(feed.catch_up())


async def _upsert_all(url: str, server: NatsServer, last: int) -> int:
    async with connected(server.projections_url, "bench") as connection:
        consumer, position = FeedConsumer(connection, "main"), 0
        with psycopg.connect(url) as database:
            database.execute("CREATE TABLE floor (match uuid PRIMARY KEY, version bigint, tag text)")
            while position < last:
                messages = await consumer.after(position, 1000, 5)
                assert messages, f"nothing after {position}"
                newest = {message.match: message for message in messages}
                columns = zip(*[(m.match, m.version, m.tag) for m in newest.values()], strict=True)
                database.execute(_UPSERT, [list(column) for column in columns])
                database.commit()
                position = messages[-1].position
        await consumer.close()
    return last


def _measured(
    rates: dict[str, list[float]], failed: dict[str, str], again: list[Rebuilt], soon: Visible
) -> Measured:
    figures: dict[str, Any] = {"events": PROJECTED, "library_events": LIBRARY_EVENTS}
    figures |= {f"{name}_events_per_s": round(statistics.median(found)) for name, found in rates.items()}
    figures |= {f"{name}_failed": why for name, why in failed.items()}
    figures |= {f"visible_{name}": round(value) for name, value in msgspec.structs.asdict(soon).items()}
    for one in again:
        figures[f"rebuild_{one.projection}_events"] = one.events
        figures[f"rebuild_{one.projection}_s"] = round(one.seconds, 1)
        figures[f"rebuild_{one.projection}_memory_growth_mb"] = round(one.growth_mb, 1)
    aims = (
        at_least(
            "all projections, times the library's runner on one board", 30.0, ratio(rates, "ours", "library")
        ),
        at_least("all projections, of the floor's rate", 0.1, ratio(rates, "ours", "floor")),
        at_most("memory growth over a rebuild, MB", 64.0, max(one.growth_mb for one in again)),
    )
    return Measured(name="project", machine=machine(), figures=figures, aims=aims)
