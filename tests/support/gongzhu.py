"""The command line as a person uses it: commands over one data folder, their output, processes, and kills."""

import atexit
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from adapters.command_line import entry
from adapters.data_folder import DataFolder
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from tests.support.commands import ROOT, server_pids
from tests.support.waiting import eventually

_COLUMNS: Final = "120"


class Gongzhu:
    """Runs `gongzhu` over one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.running: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A command, just started."""
        process = subprocess.Popen(
            [sys.executable, "-m", "adapters.command_line", *arguments],
            cwd=ROOT,
            env={**os.environ, "GONGZHU_DATA": str(self.data), "COLUMNS": _COLUMNS},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        self.running.append(process)
        return process

    def run(self, *arguments: str, exit_code: int = 0) -> str:
        """What a command prints; fails the test unless it ends with this exit code."""
        return self.told(*arguments, exit_code=exit_code)[0]

    def complaint(self, *arguments: str, exit_code: int = 1) -> str:
        """What a command that fails says on standard error."""
        return self.told(*arguments, exit_code=exit_code)[1]

    def json(self, *arguments: str, exit_code: int = 0) -> Any:
        """The JSON a command prints."""
        return msgspec.json.decode(self.run(*arguments, "--json", exit_code=exit_code))

    def told(self, *arguments: str, exit_code: int = 0) -> tuple[str, str]:
        """Output and complaints of a command that is run to its end, in this process, which has it loaded already."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]), _wide():
            ended = entry.run(["--data", str(self.data), *arguments])
        output, errors = map(_text_of, streams)
        assert ended == exit_code, f"exit {ended}: {output[-2000:]}\n{errors[-3000:]}"
        assert "Traceback" not in errors, errors
        return output, errors

    def finish(
        self, process: subprocess.Popen[str], exit_code: int = 0, within_s: float = 120
    ) -> tuple[str, str]:
        """Output and complaints of a started command, once it has ended."""
        output, errors = process.communicate(timeout=within_s)
        assert process.returncode == exit_code, (
            f"exit {process.returncode}: {output[-2000:]}\n{errors[-3000:]}"
        )
        assert "Traceback" not in errors, errors
        return output, errors

    def wait_until_ready(self, owner: subprocess.Popen[str]) -> None:
        """Waits until a command that runs the servers lets others use them."""
        record = self.data / "owner.json"
        eventually(
            lambda: (record.exists() and b'"ready"' in record.read_bytes()) or owner.poll() is not None,
            what="the servers are ready",
        )
        assert owner.poll() is None, owner.communicate()

    def end(self) -> None:
        """Kills what still runs; no server may be left over."""
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate()
        eventually(lambda: not server_pids(self.data), what="servers end after their owner")


@contextmanager
def _wide() -> Iterator[None]:
    """Lets what this process prints be as wide as what a started command does."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        yield
    finally:
        os.environ.pop("COLUMNS")
        os.environ.update({} if before is None else {"COLUMNS": before})


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()


@cache
def _made_cluster() -> Path:
    """A folder with a migrated database, made once a process: making one takes the disk seconds."""
    folder = Path(tempfile.mkdtemp(prefix="gongzhu-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server = PostgresServer(folder / "postgres", settings={"fsync": "off"})
    server.start()
    migrate(server.url)
    server.stop()
    return folder / "postgres"


@contextmanager
def gongzhu_over(data: Path) -> Iterator[Gongzhu]:
    """The command line over a data folder, whose database is made in no time; nothing outlives the block."""
    if not data.exists():
        copied = DataFolder.open(data).postgres
        subprocess.run(["cp", "-a", str(_made_cluster()), str(copied)], check=True)
    command = Gongzhu(data)
    try:
        yield command
    finally:
        command.end()
