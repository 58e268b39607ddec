"""Three NATS servers on loopback that form a JetStream cluster, each of which can be killed and started again."""

import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Final, Self

import msgspec

from adapters import processes
from adapters.nats import users
from adapters.nats.launcher import binary

SERVERS: Final = 3
_CLUSTER: Final = "gongzhu"


class NatsCluster:
    """The servers of one cluster. Use as a context manager: nothing is left running."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._passwords = {user: f"{user}-sesame" for user in users.NAMES}
        ports = _free_ports(2 * SERVERS)
        self._ports, self._routes = ports[:SERVERS], ports[SERVERS:]
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        try:
            for number in range(SERVERS):
                self._configure(number)
                self.start(_name(number))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._running):
            self.kill(name)

    def url_of(self, user: str) -> str:
        """All servers, for one user; a client goes on with whichever it reaches."""
        addresses = [f"nats://{user}:{self._passwords[user]}@127.0.0.1:{port}" for port in self._ports]
        return ",".join(addresses)

    def start(self, name: str) -> None:
        """Starts one server and waits until it takes connections."""
        number = int(name.removeprefix("n"))
        log = self._folder / f"{name}.log"
        process = processes.spawn(
            [str(binary()), "--config", str(self._folder / f"{name}.conf")],
            log=log,
            death_signal=signal.SIGKILL,
            environment=dict(os.environ),
        )
        self._running[name] = process
        listens = processes.wait_until(lambda: _listens(self._ports[number]), within_s=30)
        said = processes.last_lines(processes.log_since(log, 0))
        assert listens, f"{name} does not listen: {said}"
        assert process.poll() is None, f"{name} has ended: {said}"

    def kill(self, name: str) -> None:
        """Kills one server (-9)."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def _configure(self, number: int) -> None:
        name = _name(number)
        settings = {
            "server_name": name,
            "host": "127.0.0.1",
            "port": self._ports[number],
            "jetstream": {"store_dir": str(self._folder / name)},
            "cluster": {
                "name": _CLUSTER,
                "listen": f"127.0.0.1:{self._routes[number]}",
                "routes": [f"nats://127.0.0.1:{port}" for port in self._routes],
            },
        }
        lines = [f"{key}: {msgspec.json.encode(value).decode()}" for key, value in settings.items()]
        lines.append(users.configuration(self._passwords, {}))
        (self._folder / f"{name}.conf").write_text("\n".join(lines), encoding="utf-8")


def _name(number: int) -> str:
    return f"n{number}"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
