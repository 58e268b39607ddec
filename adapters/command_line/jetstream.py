"""`nats`: the stream of the feed on its server, and who may do what there."""

import asyncio
import sys
from typing import Annotated

import typer

from adapters.command_line.arguments import Json
from adapters.command_line.console import complain, out, print_json
from adapters.command_line.sessions import nats_for
from adapters.composition import system_ports
from adapters.nats.connection import connected
from adapters.nats.stream_check import StreamReport, ensure_stream

nats_app = typer.Typer(
    name="nats", help="The feed's stream on its NATS server, and who may do what there.", no_args_is_help=True
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    nats_app.command("ensure", epilog="Example: `gongzhu nats ensure --replicas 3`")(ensure)
    nats_app.command("permissions", epilog="Example: `gongzhu nats permissions > gongzhu.conf`")(permissions)
    app.add_typer(nats_app)


def ensure(
    context: typer.Context,
    replicas: Annotated[
        int | None,
        typer.Option(
            "--replicas", min=1, max=5, help="Servers of the cluster that hold the stream: 1, 3 or 5."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Make the stream where there is none; check one that is there and say what is not as it has to be.

    Speaks to NATS as the operator. The number of replicas is changed where it is given, nothing else that matters is.
    """
    with nats_for(context, "nats ensure", "operator") as (settings, url):
        report = asyncio.run(_ensure(url, settings.log_name, replicas))
    if json:
        print_json(report)
    else:
        _print(report)
    if not report.holds:
        raise typer.Exit(1)


async def _ensure(url: str, log: str, replicas: int | None) -> StreamReport:
    async with connected(url, "gongzhu nats ensure") as connection:
        return await ensure_stream(connection, log, system_ports().randomness, replicas)


def _print(report: StreamReport) -> None:
    out.print(
        f"stream {report.stream}: {'made' if report.created else 'there'}, epoch {report.epoch or '(none)'}, "
        f"last position {report.last}, replicas {report.replicas}"
    )
    for what in report.changed:
        out.print(f"changed: {what}")
    for difference in report.differences:
        complain(f"{difference.what} has to be {difference.wanted!r} and is {difference.found!r}")
    for server in report.behind:
        complain(f"replica {server} does not have all of the stream")
    if report.differences:
        complain(
            "what differs cannot be changed in place: `gongzhu feed rebuild` makes the stream anew from the log"
        )


def permissions() -> None:
    """Print the configuration that says who may do what, for a NATS server of yours."""
    from adapters.nats.users import PERMISSIONS

    sys.stdout.write(PERMISSIONS.read_text(encoding="utf-8"))
