"""Commands as processes of their own: started, watched, ended or killed by a test."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from adapters import processes
from adapters.data_folder import DataFolder
from adapters.embedded import Servers
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]


class Command:
    """`tests.support.holding_servers` over one data folder."""

    def __init__(self, data: Path, role: str, output: Path) -> None:
        self._output = output.with_suffix(".out")
        self._errors = output.with_suffix(".err")
        arguments = [sys.executable, "-m", "tests.support.holding_servers", str(data), role]
        with self._output.open("wb") as stdout, self._errors.open("wb") as stderr:
            self.process = subprocess.Popen(
                arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr
            )

    @property
    def said(self) -> str:
        """What it has told its user so far."""
        return self._errors.read_text(encoding="utf-8")

    def servers(self) -> Servers:
        """The servers it uses, as soon as it can."""
        eventually(
            lambda: self._output.read_bytes().endswith(b"\n") or self.process.poll() is not None,
            what=f"servers; it said: {self.said}",
        )
        assert self._output.stat().st_size, f"it ended without servers; it said: {self.said}"
        return msgspec.json.decode(
            self._output.read_bytes(), type=Servers, dec_hook=lambda kind, text: kind(text)
        )

    def ask_to_end(self) -> None:
        """Ends its block; it may still wait for others."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def exit_code(self, within_s: float = 60) -> int:
        """Its exit code, once it has ended by itself."""
        return self.process.wait(within_s)

    def end(self) -> int:
        """Asks it to end and waits."""
        self.ask_to_end()
        return self.exit_code()

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        self.process.send_signal(number)


@contextmanager
def commands(data: Path, outputs: Path) -> Iterator["Starter"]:
    """Starts commands over `data`; none of them, nor a server of theirs, outlives the block."""
    starter = Starter(data, outputs)
    try:
        yield starter
    finally:
        for command in starter.started:
            if command.process.poll() is None:
                command.process.kill()
            command.process.wait()
            assert command.process.stdin is not None
            command.process.stdin.close()
        eventually(lambda: not server_pids(data), what="servers end after their owners")


class Starter:
    """Starts commands and remembers them."""

    def __init__(self, data: Path, outputs: Path) -> None:
        self._data = data
        self._outputs = outputs
        self.started: list[Command] = []

    def __call__(self, role: str) -> Command:
        """A command of that role, just started."""
        command = Command(self._data, role, self._outputs / f"{len(self.started)}-{role}")
        self.started.append(command)
        return command


def server_pids(data: Path) -> list[int]:
    """The processes of the folder's servers that run now: PostgreSQL's, then NATS's."""
    folder = DataFolder(data)
    found = []
    for path, argument in (
        (folder.postgres / "cluster" / "postmaster.pid", folder.postgres / "cluster"),
        (folder.nats / "pid", folder.nats / "server.conf"),
    ):
        if path.exists():
            pid = int(path.read_text(encoding="ascii").split()[0])
            found += [pid] if processes.runs_with(pid, argument) else []
    return found
