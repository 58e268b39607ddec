"""Read models brought to the end of a log, and commands run over them in this process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import psycopg
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.feed import PROJECTIONS
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


def command(
    database_url: str, commands: _Commands, *arguments: str, nats_url: str = "nats://127.0.0.1:1"
) -> Result:
    """What a command of a module does on servers that run already."""
    app = typer.Typer()

    @app.callback()
    def configure(context: typer.Context) -> None:
        context.obj = settings.read(
            data=Path("/nonexistent"), database_url=database_url, nats_url=nats_url, environment={}
        )

    commands.add_to(app)
    return CliRunner().invoke(app, list(arguments))
