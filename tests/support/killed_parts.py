"""The servers and processes of a whole feed, for runs that kill and restart them."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final, Self

import msgspec

from adapters import processes
from adapters.nats.launcher import NatsServer
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from tests.chaos.run_worker import Ack, Part

ROOT: Final = Path(__file__).parents[2]
ROLES: Final = {"service": 2, "relay": 2, "projections": 2}
TARGETS: Final = (*ROLES, "nats", "postgres")
_END_WITHIN_S: Final = 30.0
_RED: Final = re.compile(r"^.* is red: .*$", re.MULTILINE)


class Workers:
    """The processes of one role; one that is killed or ended is followed by another."""

    def __init__(self, part: Part, number: int) -> None:
        self._part = part
        self._folder = Path(part.folder)
        self._started = 0
        self._logs = [self._folder] * number
        self._running = [self._start(place) for place in range(number)]

    def _start(self, place: int) -> subprocess.Popen[bytes]:
        self._started += 1
        name = f"{self._part.role}-{self._started}"
        self._logs[place] = self._folder / f"{name}.log"
        part = msgspec.structs.replace(self._part, acks=str(self._folder / f"{name}.acks"))
        return processes.spawn(
            [sys.executable, "-m", "tests.chaos.run_worker", msgspec.json.encode(part).decode()],
            log=self._logs[place],
            death_signal=signal.SIGKILL,
            environment={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def kill_one(self, chance: random.Random) -> None:
        """Kills one of them (-9) and starts another."""
        self._replace(chance.randrange(len(self._running)), signal.SIGKILL)

    def restart_one(self, chance: random.Random) -> None:
        """Asks one of them to end, and starts another."""
        self._replace(chance.randrange(len(self._running)), signal.SIGTERM)

    def _replace(self, place: int, how: signal.Signals) -> None:
        self.check_running()
        processes.end(self._running[place], how, _END_WITHIN_S)
        self._running[place] = self._start(place)

    def stop(self) -> None:
        """Kills them all."""
        for process in self._running:
            process.kill()
            process.wait()

    def fault(self) -> str:
        """What must not happen and has: one turned red; empty where none did."""
        for path in sorted(self._folder.glob(f"{self._part.role}-*.log")):
            if found := _RED.search(path.read_text(encoding="utf-8", errors="replace")):
                return f"{path.name}: {found[0]}"
        return ""

    def check_running(self) -> None:
        """Fails, with the end of its log, where one has ended by itself."""
        for path, process in zip(self._logs, self._running, strict=True):
            code = process.poll()
            assert code is None, (
                f"{path.name} ended ({code}): {processes.last_lines(processes.log_since(path, 0))}"
            )


class KilledParts:
    """PostgreSQL, NATS, services, relays and projection workers. Use as a context manager: nothing is left running."""

    def __init__(self, folder: Path, pace_s: float) -> None:
        self.folder = folder
        self._pace_s = pace_s
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.postgres = PostgresServer(folder / "postgres", port=port)
        self.nats = NatsServer(folder / "nats")
        self.workers: dict[str, Workers] = {}
        self.kills: Counter[str] = Counter()
        self.restarts: Counter[str] = Counter()

    def __enter__(self) -> Self:
        try:
            self.postgres.start()
            migrate(self.postgres.url)
            self.nats.start()
            for role, number in ROLES.items():
                self.workers[role] = Workers(self._part(role), number)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _part(self, role: str) -> Part:
        nats = self.nats
        return Part(
            role,
            self.postgres.url,
            nats.relay_url,
            nats.projections_url,
            str(self.folder),
            self._pace_s,
            acks="",
        )

    def kill(self, target: str, chance: random.Random) -> None:
        """Kills this target as a power cut would, and starts it again."""
        self.kills[target] += 1
        if target in self.workers:
            return self.workers[target].kill_one(chance)
        server = self.nats if target == "nats" else self.postgres
        server.kill()
        return server.start()

    def restart(self, target: str, chance: random.Random) -> None:
        """Ends this target in good order, and starts it again."""
        self.restarts[target] += 1
        if target in self.workers:
            return self.workers[target].restart_one(chance)
        server = self.nats if target == "nats" else self.postgres
        server.stop()
        return server.start()

    def acknowledged_bytes(self) -> int:
        """How much has been acknowledged so far; it only grows."""
        return sum(path.stat().st_size for path in self.folder.glob("*.acks"))

    def acks(self) -> list[Ack]:
        """Every acknowledged command of every service; a line that a kill cut off was not acknowledged."""
        lines = [line for path in self.folder.glob("*.acks") for line in path.read_bytes().split(b"\n")[:-1]]
        return [msgspec.json.decode(line, type=Ack) for line in lines]

    def check_faults(self) -> None:
        """Fails where a part has turned red or ended by itself."""
        for workers in self.workers.values():
            workers.check_running()
        faults = [fault for workers in self.workers.values() if (fault := workers.fault())]
        assert not faults, faults

    def stop(self) -> None:
        """Ends everything."""
        for workers in self.workers.values():
            workers.stop()
        self.nats.stop()
        self.postgres.stop()
