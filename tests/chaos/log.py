"""`./dev chaos log`: many writers on one log, killed and conflicting, while two readers follow it.

At the end: positions are 1 … n, each command is stored whole or not at all, every acknowledged one is there, and both
readers have seen every row once, in order.
"""

import argparse
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event, Thread
from uuid import UUID

import msgspec
import psycopg

from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.postgres.recorder import MatchRecorder, open_pool
from tests.chaos.log_worker import Ack, Mark

PROCESSES = 3
READERS = 2


class LogReport(msgspec.Struct, frozen=True):
    """What a run did, all of it checked."""

    seed: int
    events: int
    commands: int
    acknowledged: int
    kills: int
    matches: int
    seconds: float


class Reader:
    """Follows the log from its beginning and keeps what it sees."""

    def __init__(self, database_url: str) -> None:
        self.positions: list[int] = []
        self.failure: Exception | None = None
        self._database_url = database_url
        self._until = sys.maxsize
        self._ended = Event()
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        try:
            with open_pool(self._database_url, most=2) as pool, MatchRecorder(pool).subscribe(gt=0) as rows:
                for row in rows:
                    self.positions.append(row.id)
                    if row.id >= self._until:
                        break
        except Exception as error:  # noqa: BLE001 - told to the run, which fails with it
            self.failure = error
        self._ended.set()

    def finish(self, last: int) -> None:
        """Waits until the reader has seen the last position."""
        self._until = last
        deadline = time.monotonic() + 60
        while not self._ended.is_set() and len(self.positions) < last and time.monotonic() < deadline:
            self._ended.wait(0.05)
        if self.failure is not None:
            raise self.failure
        assert self.positions == list(range(1, last + 1)), "a reader missed, doubled or misplaced rows"


class Writers:
    """The writer processes; one that is killed is followed by another."""

    def __init__(self, database_url: str, seed: int, folder: Path) -> None:
        self._database_url = database_url
        self._seed = seed
        self.folder = folder
        self._started = 0
        self._running = [self._start() for _ in range(PROCESSES)]

    def _start(self) -> subprocess.Popen[bytes]:
        self._started += 1
        name = f"w{self._started}"
        command = [sys.executable, "-m", "tests.chaos.log_worker", self._database_url, name, str(self._seed)]
        return subprocess.Popen([*command, str(self.folder / f"{name}.acks")], cwd=Path(__file__).parents[2])

    def kill_one(self, chance: random.Random) -> None:
        """Kills one process (-9) and starts another."""
        place = chance.randrange(PROCESSES)
        assert self._running[place].poll() is None, "a writer ended by itself"
        self._running[place].send_signal(signal.SIGKILL)
        self._running[place].wait()
        self._running[place] = self._start()

    def stop(self) -> None:
        """Kills them all."""
        for process in self._running:
            process.kill()
            process.wait()

    def acks(self) -> list[Ack]:
        """Every acknowledged command of every process."""
        lines = [line for path in self.folder.glob("*.acks") for line in path.read_bytes().splitlines()]
        return [msgspec.json.decode(line, type=Ack) for line in lines]


def run(database_url: str, *, events: int, kills: int, seed: int, folder: Path) -> LogReport:
    """Runs until so many events are stored, with so many kills spread over the run; then checks everything."""
    began, chance, killed = time.monotonic(), random.Random(seed), 0
    readers = [Reader(database_url) for _ in range(READERS)]
    writers = Writers(database_url, seed, folder)
    try:
        while (stored := _last_position(database_url)) < events or killed < kills:
            if killed < kills and stored >= events * killed / (kills + 1):
                time.sleep(chance.random() * 0.05)  # so that the kill falls anywhere in a transaction
                writers.kill_one(chance)
                killed += 1
            time.sleep(0.02)
    finally:
        writers.stop()
    last = _last_position_when_quiet(database_url)
    for reader in readers:
        reader.finish(last)
    commands, matches = check(database_url, writers.acks())
    return LogReport(seed, last, commands, len(writers.acks()), killed, matches, time.monotonic() - began)


def check(database_url: str, acks: list[Ack]) -> tuple[int, int]:
    """Dense positions and versions, whole commands, every acknowledgement kept; how many commands and matches."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT position, match, version, body FROM log.events ORDER BY position"
        ).fetchall()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1)), "positions are not 1 … n"
    versions: dict[UUID, int] = {}
    commands: dict[str, list[int]] = {}
    for position, match, version, body in rows:
        assert version == versions.get(match, 0) + 1, f"match {match} jumps to version {version}"
        versions[match] = version
        mark = msgspec.json.decode(body, type=Mark)
        places = commands.setdefault(mark.command, [position] * 0)
        assert mark.place == len(places), f"command {mark.command} is torn or doubled at position {position}"
        assert not places or places[-1] == position - 1, (
            f"command {mark.command} is interrupted at {position}"
        )
        places.append(position)
        if mark.place == mark.size - 1:
            assert len(places) == mark.size
    sizes = {mark.command: mark.size for *_, body in rows for mark in [msgspec.json.decode(body, type=Mark)]}
    assert all(len(places) == sizes[command] for command, places in commands.items()), (
        "half a command is stored"
    )
    for ack in acks:
        assert commands.get(ack.command, [0])[0] == ack.first, (
            f"acknowledged command {ack.command} is not where it was"
        )
    return len(commands), len(versions)


def _last_position(database_url: str) -> int:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT coalesce(max(position), 0) FROM log.events").fetchone()
    return int(row[0]) if row else 0


def _last_position_when_quiet(database_url: str) -> int:
    """The last position once the backends of the killed processes have ended."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%log.append%'"
    with psycopg.connect(database_url, autocommit=True) as connection:
        while (found := connection.execute(f"{query} AND pid <> pg_backend_pid()").fetchone()) and found[0]:
            time.sleep(0.01)
    return _last_position(database_url)


def main(arguments: list[str]) -> int:
    """The command: its own server, a seed that is printed, and the report."""
    parser = argparse.ArgumentParser(prog="./dev chaos log", description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 31))
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="gongzhu-chaos-") as folder:
        server = PostgresServer(Path(folder) / "postgres")
        server.start()
        try:
            migrate(server.url)
            report = run(
                server.url, events=options.events, kills=options.kills, seed=options.seed, folder=Path(folder)
            )
        finally:
            server.stop()
    print(msgspec.json.format(msgspec.json.encode(report)).decode())
    return 0
