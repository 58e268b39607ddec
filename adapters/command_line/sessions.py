"""What most commands begin with: the servers, the tables in their newest form, and what there is to say of both."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from adapters import embedded
from adapters.command_line.console import note
from adapters.embedded import Servers
from adapters.postgres.migrations import migrate
from adapters.settings import Settings


def settings_of(context: typer.Context) -> Settings:
    """The settings that the global options made."""
    found = context.obj
    assert isinstance(found, Settings), "the callback ran"
    return found


@contextmanager
def servers_for(context: typer.Context, role: str) -> Iterator[tuple[Settings, Servers]]:
    """The servers for one command, ready to be used; says where the data is."""
    settings = settings_of(context)
    note(f"data folder: {settings.data}")
    with embedded.servers(settings, role=role, on_wait=note) as servers:
        migrate(servers.database_url)
        yield settings, servers


@contextmanager
def nats_for(context: typer.Context, role: str, user: str) -> Iterator[tuple[Settings, str]]:
    """NATS as one of its users, for a command that needs nothing else; no other server is started for it."""
    settings = settings_of(context)
    if (url := settings.nats_url_as(user)) is not None:
        yield settings, url
        return
    with servers_for(context, role) as (_, servers):
        yield settings, servers.nats_url_of(user)
