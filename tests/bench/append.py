"""Commands a second into the log: the stock library, raw single-row INSERTs, and our full path, on one server.

Each peer runs in processes of its own and has a time limit; the rounds go through all of them, so that a slow moment
of the disk meets them all. `ours_N` has N tables asking at once: decide, seal, encode, commit, reply.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from eventsourcing.application import Application

from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from tests.bench.append_peers import Peer, library_environment
from tests.bench.measured import Measured, at_least, at_most, machine, ratio

ROUNDS = 3
SECONDS = 3.0
LIMIT_S = 60.0
IN_FLIGHT = (1, 8, 64, 512)

PEERS = {
    "library_4": ("library", 4, 1),
    "library_1": ("library", 1, 1),
    "raw_4": ("raw", 4, 1),
    "raw_1": ("raw", 1, 1),
    **{f"ours_{number}": ("ours", 1, number) for number in IN_FLIGHT},
}
"""By name: which peer, in how many processes, with how many commands in flight in each."""


def run() -> Measured:
    """Commands a second of every peer, latencies, and the ratios that are aimed at."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
        sync_us = fdatasync_us(Path(folder))
        server = PostgresServer(Path(folder) / "postgres")
        server.start()
        try:
            _prepare(server.url)
            rounds = [{name: _measure(name, server.url) for name in PEERS} for _ in range(ROUNDS)]
        finally:
            server.stop()
    return _measured(rounds, sync_us)


def fdatasync_us(folder: Path) -> float:
    """What one write of 8 kB with fdatasync costs here, in microseconds (median of 200)."""
    took = []
    with (folder / "sync").open("wb") as file:
        for _ in range(200):
            before = time.perf_counter()
            file.write(b"x" * 8192)
            file.flush()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - before)
    return statistics.median(took) * 1e6


def _prepare(url: str) -> None:
    migrate(url)
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE raw_events (position bigserial PRIMARY KEY, match uuid NOT NULL, version bigint NOT NULL,"
            " tag text NOT NULL, body bytea NOT NULL, UNIQUE (match, version))"
        )
    app: Application[Any] = Application(env=library_environment(url))  # makes the library's tables, once
    app.close()


def _measure(name: str, url: str) -> Peer | None:
    """All processes of one peer together; None where one did not finish in time."""
    peer, processes, in_flight = PEERS[name]
    command = [sys.executable, "-m", "tests.bench.append_peers", peer, url, str(SECONDS), str(in_flight)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
    try:
        parts = [msgspec.json.decode(one.communicate(timeout=LIMIT_S)[0], type=Peer) for one in running]
    except (subprocess.TimeoutExpired, msgspec.DecodeError):
        return None
    finally:
        for one in running:
            one.kill()
            one.wait()
    return Peer(
        sum(part.commands for part in parts),
        max(part.seconds for part in parts),
        statistics.median(part.p50_us for part in parts),
        max(part.p99_us for part in parts),
    )


def _measured(rounds: list[dict[str, Peer | None]], sync_us: float) -> Measured:
    whole = {name: [one[name] for one in rounds if one[name] is not None] for name in PEERS}
    rates = {name: [peer.commands / peer.seconds for peer in peers if peer] for name, peers in whole.items()}
    rates = {name: found for name, found in rates.items() if len(found) == len(rounds)}
    p50 = {name: [peer.p50_us for peer in peers if peer] for name, peers in whole.items() if name in rates}
    figures: dict[str, Any] = {"fdatasync_us": round(sync_us, 1)}
    for name in rates:
        figures[f"{name}_commands_per_s"] = round(statistics.median(rates[name]))
        figures[f"{name}_p50_us"] = round(statistics.median(p50[name]))
    figures |= {f"{name}_failed": "out of time" for name in PEERS if name not in rates}
    aims = (
        at_least(
            "64 in flight, times the stock library (4 writers)", 8.0, ratio(rates, "ours_64", "library_4")
        ),
        at_least("64 in flight, times raw INSERTs (4 writers)", 1.0, ratio(rates, "ours_64", "raw_4")),
        at_most("1 in flight, p50 by the stock library's (1 writer)", 1.0, ratio(p50, "ours_1", "library_1")),
        at_most("1 in flight, p50 by a raw committed INSERT's", 2.5, ratio(p50, "ours_1", "raw_1")),
    )
    return Measured(name="append", machine=machine(), figures=figures, aims=aims)
