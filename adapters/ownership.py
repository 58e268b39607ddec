"""Which command runs the servers of a data folder, and which ones only use them.

The owner holds `owner.lock` for as long as it lives and says in `owner.json` how to connect. A user holds `users.lock`,
shared. An owner that ends takes `users.lock` for itself alone, so it waits for its users, and a user that holds it
can rely on the servers. Whoever finds no owner becomes one. The system frees the locks of a process that is killed.
"""

import os
import time
from collections.abc import Callable
from typing import Final, Literal

import msgspec

from adapters import data_folder, processes
from adapters.data_folder import DataFolder
from adapters.errors import AlreadyServed, ServersUnavailable
from adapters.file_lock import FileLock

OnWait = Callable[[str], None]

_SAY_AFTER_S: Final = 0.5


class Connections(msgspec.Struct, frozen=True):
    """How to reach what the owner runs; None for a server that it does not run."""

    database_url: str | None = None
    relay_url: str | None = None
    projections_url: str | None = None
    reader_url: str | None = None
    operator_url: str | None = None


class OwnerRecord(msgspec.Struct, frozen=True):
    """What an owner says of itself. `started` (see `processes.started_at`) tells it from a later process."""

    pid: int
    started: int
    role: str
    state: Literal["starting", "ready", "ending"]
    connections: Connections = Connections()

    def is_alive(self) -> bool:
        """Whether that owner still runs."""
        return processes.started_at(self.pid) == self.started


class Patience:
    """Waits a little, again and again, at most `within_s` seconds; says once why, if it takes a while."""

    def __init__(self, within_s: float | None, on_wait: OnWait | None) -> None:
        """`within_s`: None waits for ever."""
        self._began = time.monotonic()
        self._within_s = within_s
        self._on_wait = on_wait
        self._said = ""

    def wait(self, why: str) -> None:
        """Raises `ServersUnavailable` with `why` once the time is over."""
        waited = time.monotonic() - self._began
        if self._within_s is not None and waited > self._within_s:
            raise ServersUnavailable(f"gave up after {waited:.0f} s: {why}")
        if self._on_wait and waited > _SAY_AFTER_S and self._said != why:
            self._said = why
            self._on_wait(why)
        time.sleep(processes.POLL_S)


class Owned:
    """The right, and the duty, to run the servers of a folder."""

    def __init__(self, folder: DataFolder, role: str, owner_lock: FileLock) -> None:
        self._folder = folder
        self._role = role
        self._owner_lock = owner_lock
        self._users_lock = FileLock(folder.users_lock)
        self._say("starting", Connections())

    def offer(self, connections: Connections) -> None:
        """Lets others use the servers from now on."""
        self._say("ready", connections)

    def wait_for_users(self, on_wait: OnWait | None) -> None:
        """Returns when nobody uses the servers; from then on nobody can."""
        patience = Patience(None, on_wait)
        while not self._users_lock.take():
            patience.wait(
                f"other commands still use the servers of {self._folder.path}; waiting until they end"
            )

    def close_to_users(self) -> None:
        """Says that the servers are ending, whether or not someone uses them."""
        self._say("ending", Connections())

    def release(self) -> None:
        """Gives the folder to whoever comes next."""
        self._folder.owner_record.unlink(missing_ok=True)
        self._users_lock.release()
        self._owner_lock.release()

    def _say(self, state: Literal["starting", "ready", "ending"], connections: Connections) -> None:
        started = processes.started_at(os.getpid())
        assert started is not None, "this process runs"
        record = OwnerRecord(os.getpid(), started, self._role, state, connections)
        data_folder.write_private(self._folder.owner_record, msgspec.json.encode(record))


class Joined:
    """The right to use the servers that another command runs."""

    def __init__(self, record: OwnerRecord, users_lock: FileLock) -> None:
        self.record = record
        self._users_lock = users_lock

    def release(self) -> None:
        """Lets the owner end."""
        self._users_lock.release()


def claim(
    folder: DataFolder, role: str, *, exclusive: bool, within_s: float, on_wait: OnWait | None
) -> Owned | Joined:
    """Becomes the owner where there is none, else a user of the owner's servers.

    `exclusive`: only owning will do; raises `AlreadyServed` while another command owns the folder.
    Raises `ServersUnavailable` when the owner does not get ready, or does not end, within `within_s`.
    """
    owner_lock = FileLock(folder.owner_lock)
    patience = Patience(within_s, on_wait)
    while not owner_lock.take():
        record = _record_of_owner(folder)
        if record is not None and record.state != "ending":
            if exclusive:
                raise AlreadyServed(_already_served(folder, record))
            joined = _join(folder, record)
            if joined is not None:
                return joined
        patience.wait(_why(folder, record))
    return Owned(folder, role, owner_lock)


def _record_of_owner(folder: DataFolder) -> OwnerRecord | None:
    """What the living owner says; None while nobody, or only one that was killed, has said anything."""
    try:
        record = msgspec.json.decode(folder.owner_record.read_bytes(), type=OwnerRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return record if record.is_alive() else None


def _join(folder: DataFolder, record: OwnerRecord) -> Joined | None:
    users_lock = FileLock(folder.users_lock)
    if record.state != "ready" or not users_lock.take(shared=True):
        return None
    # The owner may have ended between our reading and our lock. With the lock held it cannot any more.
    if _record_of_owner(folder) != record:
        users_lock.release()
        return None
    return Joined(record, users_lock)


def _already_served(folder: DataFolder, record: OwnerRecord) -> str:
    if record.role == "serve":
        return f"{folder.path} is served already, by process {record.pid}; end it first or set GONGZHU_DATA to another"
    return (
        f"{record.role} (process {record.pid}) runs the servers of {folder.path}; try again when it has ended"
    )


def _why(folder: DataFolder, record: OwnerRecord | None) -> str:
    if record is None:
        return f"waiting for the servers of {folder.path}"
    return (
        f"{record.role} (process {record.pid}) is {record.state} the servers of {folder.path}; waiting for it"
    )
