"""The servers a command needs: those that were set, those another command runs, or its own from wheels.

One command of a data folder owns the servers and others use them (`ownership`). Whoever starts a server here stops it
here; a server whose owner is killed ends by itself, and the next command waits for that and goes on where it was.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from adapters import ownership
from adapters.data_folder import DataFolder
from adapters.errors import ServersUnavailable
from adapters.nats.launcher import NatsServer
from adapters.ownership import Connections, Joined, OnWait, Owned
from adapters.postgres.launcher import PostgresServer
from adapters.settings import NATS_USERS, Settings

SERVE: Final = "serve"
"""The role that must own its servers: it never joins another command's."""


class Servers(msgspec.Struct, frozen=True):
    """How to reach PostgreSQL, and NATS as each of its users.

    `data` is the data folder, None where both servers were set; `owner` whether this command runs servers itself.
    """

    database_url: str
    relay_url: str
    projections_url: str
    reader_url: str
    operator_url: str
    data: Path | None
    owner: bool

    def nats_url_of(self, user: str) -> str:
        """NATS as one of its users."""
        urls = (self.relay_url, self.projections_url, self.reader_url, self.operator_url)
        return dict(zip(NATS_USERS, urls, strict=True))[user]


@contextmanager
def servers(
    settings: Settings, *, role: str, on_wait: OnWait | None = None, within_s: float = 90
) -> Iterator[Servers]:
    """The servers, for as long as the block lasts. Only from the main thread.

    `role` names the command (`serve`, `play`, `demo` …) for those who wait for it. `on_wait` gets one line each time
    something takes longer than half a second. When the block ends, an owner waits for the other commands that use its
    servers; an interrupt ends that wait and stops the servers at once.
    Raises `AlreadyServed`, `DataFolderRefused`, or `ServersUnavailable` after at most about `within_s` seconds.
    """
    if settings.database_url and settings.nats_url:
        yield _servers(settings, Connections(), data=None, owner=False)
        return
    folder = DataFolder.open(settings.data)
    claim = ownership.claim(folder, role, exclusive=role == SERVE, within_s=within_s, on_wait=on_wait)
    if isinstance(claim, Joined):
        with ExitStack() as stack:
            stack.callback(claim.release)
            yield _servers(settings, claim.record.connections, data=folder.path, owner=False)
    else:
        with _running(settings, folder, claim, on_wait, within_s) as connections:
            yield _servers(settings, connections, data=folder.path, owner=True)


@contextmanager
def _running(
    settings: Settings, folder: DataFolder, owned: Owned, on_wait: OnWait | None, within_s: float
) -> Iterator[Connections]:
    with ExitStack() as stack:
        stack.callback(owned.release)
        connections = Connections()
        if not settings.database_url:
            postgres = PostgresServer(folder.postgres)
            stack.callback(postgres.stop)
            postgres.start(within_s)
            connections = msgspec.structs.replace(connections, database_url=postgres.url)
        if not settings.nats_url:
            nats = NatsServer(folder.nats)
            stack.callback(nats.stop)
            nats.start(within_s)
            connections = msgspec.structs.replace(
                connections,
                relay_url=nats.relay_url,
                projections_url=nats.projections_url,
                reader_url=nats.reader_url,
                operator_url=nats.operator_url,
            )
        stack.callback(owned.close_to_users)
        owned.offer(connections)
        try:
            yield connections
        finally:
            with suppress(KeyboardInterrupt):
                owned.wait_for_users(on_wait)


def _servers(settings: Settings, connections: Connections, *, data: Path | None, owner: bool) -> Servers:
    """What was set goes before what the owner runs."""

    def nats(user: str, url: str | None) -> str:
        return settings.nats_url_as(user) or url or _missing("NATS", "GONGZHU_NATS_URL", data)

    return Servers(
        database_url=settings.database_url
        or connections.database_url
        or _missing("PostgreSQL", "GONGZHU_DATABASE_URL", data),
        relay_url=nats("relay", connections.relay_url),
        projections_url=nats("projections", connections.projections_url),
        reader_url=nats("reader", connections.reader_url),
        operator_url=nats("operator", connections.operator_url),
        data=data,
        owner=owner,
    )


def _missing(server: str, variable: str, data: Path | None) -> str:
    raise ServersUnavailable(
        f"the command that runs the servers of {data} was told of another {server}; set {variable} as it was set there"
    )
