"""`status`: log, stream, relay and projections beside each other, and what is wrong."""

import asyncio

import typer

from adapters.command_line.arguments import Json
from adapters.command_line.console import complain, note, out, print_json
from adapters.command_line.projections import standings_table
from adapters.command_line.sessions import servers_for
from adapters.composition import system_ports
from adapters.system_status import SystemStatus, system_status


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command("status", epilog="Examples: `gongzhu status`, `gongzhu status --json | jq .red`")(status)


def status(context: typer.Context, json: Json = False) -> None:
    """Show how log, stream, relay and projections stand, in events and seconds; exit code 1 if anything is red.

    A projection that cannot go on is shown with the event it stops at and with what to do. What merely lags is not red.
    """
    with servers_for(context, "status") as (settings, servers):
        now = system_ports().clock.now()
        found = asyncio.run(
            system_status(servers.database_url, servers.reader_url, now, log=settings.log_name)
        )
    if json:
        print_json(found)
    else:
        _print(found)
    if found.red:
        raise typer.Exit(1)


def _print(found: SystemStatus) -> None:
    out.print(f"log      {found.log}, last position {found.log_last}")
    if found.feed is not None:
        stream = found.feed
        out.print(f"stream   {stream.stream}, epoch {stream.epoch or '(none)'}, last sequence {stream.last}")
        out.print(f"lag      {stream.lag} events, {stream.lag_s:.0f} s; {stream.standing}")
    out.print(f"relay    {found.relay}")
    out.print(standings_table(found.projections))
    for wrong in found.red:
        complain(wrong)
    if not found.served:
        note("no `gongzhu serve` is running; commands that append catch up by themselves")
