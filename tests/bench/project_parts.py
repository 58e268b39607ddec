"""Two parts of the `project` benchmark: how soon a commit is visible in the read models, and rebuilding them."""

import asyncio
import multiprocessing
import resource
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import psycopg

from adapters.feed import PROJECTIONS
from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.postgres.appending import APPEND, Append, append_arguments
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.rebuilding import rebuild
from domain.rulesets import RULESETS
from tests.bench.append import fdatasync_us
from tests.chaos.run_worker import Part
from tests.support.big_log import rows_of, sealer
from tests.support.killed_parts import Workers
from tests.support.random_play import random_events
from tests.support.services import match_id
from tests.support.waiting import eventually
from tests.support.whole_check import positions_of_read_models

SAMPLES: Final = 150
_WITHIN_S: Final = 30.0
_POSITIONS: Final = "SELECT min(position) FROM projections.checkpoints"


class Visible(msgspec.Struct, frozen=True):
    """From a commit's reply until every read model has it, idle, in microseconds; and what it is made of."""

    p50_us: float
    p99_us: float
    fdatasync_us: float
    nats_round_trip_us: float


class Rebuilt(msgspec.Struct, frozen=True):
    """One rebuild: how long it took, and by how much the process's peak grew after the first fifth."""

    projection: str
    events: int
    seconds: float
    growth_mb: float


def visible() -> Visible:
    """Commits one event at a time while relay and projections idle in processes of their own."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as name:
        folder = Path(name)
        postgres, server = PostgresServer(folder / "postgres"), NatsServer(folder / "nats")
        workers: list[Workers] = []
        try:
            postgres.start()
            server.start()
            migrate(postgres.url)
            for role in ("relay", "projections"):
                part = Part(role, postgres.url, server.relay_url, server.projections_url, name, 0.0, "")
                workers.append(Workers(part, 1))
            took = _commits(postgres.url)
            round_trip = asyncio.run(_round_trip_us(server.relay_url))
        finally:
            for some in workers:
                some.stop()
            server.stop()
            postgres.stop()
        return Visible(took[len(took) // 2], took[len(took) * 99 // 100], fdatasync_us(folder), round_trip)


def _commits(url: str) -> list[float]:
    """How long each commit took to be visible, in microseconds, in order of length."""
    events = random_events(RULESETS["zero_sum-1"], Random(1), hands=3)
    rows = rows_of(events, match_id(1), sealer())[: SAMPLES + 1]
    took: list[float] = []
    with psycopg.connect(url, autocommit=True) as connection:
        for position, row in enumerate(rows, 1):
            connection.execute(APPEND, append_arguments([Append([row])]), binary=True)
            began = time.perf_counter()
            if position == 1:
                _wait_for_first(connection)
                continue
            _see(connection, position, began + _WITHIN_S)
            took.append((time.perf_counter() - began) * 1e6)
    return sorted(took)


def _wait_for_first(connection: psycopg.Connection[Any]) -> None:
    """Everything has begun to work when every read model has the first event."""
    eventually(lambda: set(positions_of_read_models(connection).values()) == {1}, within_s=_WITHIN_S)


def _see(connection: psycopg.Connection[Any], position: int, deadline: float) -> None:
    while time.perf_counter() < deadline:
        row = connection.execute(_POSITIONS).fetchone()
        if row is not None and row[0] >= position:
            return
    raise TimeoutError(f"position {position} is not visible within {_WITHIN_S} s")


async def _round_trip_us(url: str) -> float:
    """What one PING to NATS takes, in microseconds (median of 200)."""
    took = []
    async with connected(url, "bench") as connection:
        for _ in range(200):
            before = time.perf_counter()
            await connection.client.flush()
            took.append(time.perf_counter() - before)
    return statistics.median(took) * 1e6


def rebuilt(url: str) -> list[Rebuilt]:
    """Builds each projection from the log, each in a process of its own, whose memory is watched."""
    found = []
    for number in range(len(PROJECTIONS)):
        with closing(multiprocessing.get_context("spawn").Pool(1)) as pool:
            found.append(pool.apply(_rebuild, (url, number)))
    return found


def _rebuild(url: str, number: int) -> Rebuilt:
    early = 0

    def watch(position: int, target: int) -> None:
        nonlocal early
        if position <= target // 5 or early == 0:
            early = _peak_kb()

    began = time.perf_counter()
    done = rebuild(url, PROJECTIONS[number], progress=watch)
    seconds = time.perf_counter() - began
    return Rebuilt(done.projection, done.position, seconds, (_peak_kb() - early) / 1024)


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
