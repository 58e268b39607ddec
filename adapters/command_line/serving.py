"""`serve`: relay and projections until stopped."""

import asyncio
import logging

import typer

from adapters.command_line.console import note
from adapters.command_line.feeding import serve_feed
from adapters.command_line.sessions import servers_for
from adapters.embedded import SERVE


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command("serve", epilog="Stop it with Ctrl-C; other commands may use its servers meanwhile.")(serve)


def serve(context: typer.Context) -> None:
    """Publish the log and keep the read models up to date, until stopped."""
    with servers_for(context, SERVE) as (settings, servers):
        logging.getLogger().setLevel(logging.WARNING)
        note("serving; Ctrl-C stops")
        asyncio.run(serve_feed(settings, servers))
