"""The users of a NATS server that runs in a folder: their passwords, its configuration of them, and one more service.

password-<user>      the password of one of our own users
services/<name>      the password of a service
users.conf           both, with what each may do; written from these and `infra/nats/gongzhu.conf`
"""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from adapters import data_folder, processes
from adapters.errors import ServersUnavailable
from adapters.nats import users

_RELOADED: Final = "Reloaded server configuration"
_FAILED: Final = "[ERR]"


class UserFile:
    """The users of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._services = folder / "services"
        self.path = folder / "users.conf"

    def password_of(self, user: str) -> str:
        """The password of one of our own users, drawn the first time."""
        return data_folder.password(self._folder / f"password-{user}")

    def write(self) -> None:
        """Writes the configuration of all users there are."""
        ours = {user: self.password_of(user) for user in users.NAMES}
        content = users.configuration(
            ours, {name: self._password_of_service(name) for name in self.services()}
        )
        data_folder.write_private(self.path, content.encode())

    def services(self) -> list[str]:
        """The services that have a user, by name."""
        data_folder.make_private_folder(self._services)
        return sorted(path.name for path in self._services.iterdir() if not path.name.startswith("."))

    def add_service(self, name: str, within_s: float = 10) -> str:
        """A service's password; the service is a user of the running server when this returns.

        A name that is there already keeps its password. Raises `ServiceNameRefused`, and `ServersUnavailable` where the
        server does not take the new configuration.
        """
        users.check_service_name(name)
        known = name in self.services()
        password = self._password_of_service(name)
        if not known:
            self.write()
            self._reload(within_s)
        return password

    def _password_of_service(self, name: str) -> str:
        return data_folder.password(self._services / name)

    def _reload(self, within_s: float) -> None:
        """Has the running server read its configuration again; connections of the users it knows go on."""
        log = self._folder / "log"
        start = processes.log_size(log)
        with suppress(FileNotFoundError, ValueError, ProcessLookupError):
            pid = int((self._folder / "pid").read_text(encoding="ascii"))
            if processes.runs_with(pid, self._folder / "server.conf"):
                os.kill(pid, signal.SIGHUP)
                self._wait_for_reload(log, start, within_s)

    def _wait_for_reload(self, log: Path, start: int, within_s: float) -> None:
        def answered() -> bool:
            said = processes.log_since(log, start)
            return _RELOADED in said or _FAILED in said

        if not processes.wait_until(answered, within_s) or _RELOADED not in processes.log_since(log, start):
            said = processes.last_lines(processes.log_since(log, start))
            raise ServersUnavailable(f"NATS did not take its new users; its log {log} says: {said}")
