"""Read models brought to the end of a log, and commands run over them in this process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import psycopg
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.feed import PROJECTIONS
from adapters.nats.launcher import NatsServer
from adapters.postgres import generations
from adapters.postgres.projection_store import ProjectionStore, connect
from projections.runner import Projection
from tests.support.stored_matches import log_messages


class _Commands(Protocol):
    def add_to(self, app: typer.Typer) -> None:
        """Adds the commands."""


def project(
    database_url: str, log: psycopg.Connection[Any], projections: Sequence[Projection] = PROJECTIONS
) -> None:
    """Applies what the log holds by now to the generations that are read."""
    with connect(database_url) as connection:
        for projection in projections:
            generation = generations.open_live(connection, projection, "main")
            store = ProjectionStore(connection, projection, generation, "main")
            store.apply(log_messages(log, store.checkpoint().position + 1))


class ReadModelsKept:
    """Read models that follow a log in this process, from when they are made until they are closed."""

    def __init__(self, database_url: str) -> None:
        self._log = psycopg.connect(database_url, autocommit=True)
        self._connection = connect(database_url)
        self._stores = [
            ProjectionStore(
                self._connection,
                projection,
                generations.open_live(self._connection, projection, "main"),
                "main",
            )
            for projection in PROJECTIONS
        ]
        self._position = 0

    def catch_up(self) -> None:
        """Applies what the log holds by now."""
        messages = log_messages(self._log, self._position + 1)
        for store in self._stores:
            store.apply(messages)
        self._position += len(messages)

    def close(self) -> None:
        """Ends its connections."""
        self._log.close()
        self._connection.close()


def command(
    database_url: str, commands: _Commands, *arguments: str, nats: NatsServer | None = None
) -> Result:
    """What a command of a module does on servers that run already; without `nats` there is none."""
    app = typer.Typer()

    @app.callback()
    def configure(context: typer.Context) -> None:
        context.obj = settings.read(
            data=Path("/nonexistent"), database_url=database_url, environment=_environment(nats)
        )

    commands.add_to(app)
    return CliRunner().invoke(app, list(arguments))


def _environment(nats: NatsServer | None) -> dict[str, str]:
    """The settings of a NATS server and the passwords of its users."""
    if nats is None:
        return {settings.NATS_URL: "nats://127.0.0.1:1"}
    urls = (nats.relay_url, nats.projections_url, nats.reader_url, nats.operator_url)
    return {
        settings.NATS_URL: f"nats://127.0.0.1:{nats.port}",
        **{
            settings.nats_password_variable(user): urlsplit(url).password or ""
            for user, url in zip(settings.NATS_USERS, urls, strict=True)
        },
    }
