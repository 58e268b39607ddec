"""The Typer application: its global options and its commands."""

from pathlib import Path
from typing import Annotated

import typer

from adapters import settings
from adapters.command_line import (
    boards,
    cases,
    comparing,
    contract,
    deciding,
    demo,
    exchanging,
    exporting,
    feed,
    hands,
    investigating,
    jetstream,
    people,
    playing,
    projections,
    proving,
    reading,
    replaying,
    reviewing,
    serving,
    simulating,
    socket_bots,
    status,
    tokens,
)

app = typer.Typer(
    name="gongzhu",
    help="Gongzhu (拱猪): play, record, replay and review matches.",
    epilog="Start with `gongzhu demo`. Every command has `--help` with examples.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@app.callback()
def configure(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="Folder for the servers' data, passwords and keys (environment: GONGZHU_DATA).",
            show_default="the user's data folder",
        ),
    ] = None,
) -> None:
    """Settings that all commands share.

    Servers are started in the data folder unless GONGZHU_DATABASE_URL and GONGZHU_NATS_URL name others.
    """
    context.obj = settings.read(data=data)


for commands in (
    demo,
    playing,
    exchanging,
    exporting,
    reading,
    hands,
    boards,
    replaying,
    reviewing,
    comparing,
    proving,
    deciding,
    investigating,
    cases,
    simulating,
    feed,
    projections,
    jetstream,
    contract,
    serving,
    status,
    socket_bots,
    tokens,
    people,
):
    commands.add_to(app)
