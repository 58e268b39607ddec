"""`player`, `reports` and `trail`: what is known of people beside the log, looked at and erased."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec
import typer
from rich.table import Table

from adapters.command_line.arguments import Json
from adapters.command_line.console import note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.composition import register_of, system_ports
from adapters.people.register import Register
from adapters.people.reports import Report
from adapters.postgres.recorder import open_pool

PlayerArgument = Annotated[UUID, typer.Argument(metavar="PLAYER", help="The player's id.")]
By = Annotated[str, typer.Option("--by", help="Who asks; it stands in the audit trail.")]

players_app: Final = typer.Typer(
    name="player", help="What is known of a player beside the log.", no_args_is_help=True
)
reports_app: Final = typer.Typer(
    name="reports", help="Hands that players reported, for investigators.", no_args_is_help=True
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    players_app.command("show")(show)
    players_app.command("rename")(rename)
    players_app.command("export", epilog="Example: `gongzhu player export 019abc… --by 'data protection'`")(
        export
    )
    players_app.command("erase")(erase)
    reports_app.command("list")(list_reports)
    reports_app.command("show")(show_report)
    app.add_typer(players_app)
    app.add_typer(reports_app)
    app.command("trail")(trail)


def show(context: typer.Context, player: PlayerArgument) -> None:
    """Show what a player is called, and how much is kept of him; no connection record is opened."""
    with _register(context, "player") as (people, _):
        name = people.names.of([player]).get(player)
        out.print(f"{player}: {name or 'no name'}; {len(people.reports.of(player))} reports")


def rename(context: typer.Context, player: PlayerArgument, name: str, by: By = "operator") -> None:
    """Call a player otherwise."""
    with _register(context, "player") as (people, now):
        people.trail.add(now, by, "renamed a player", player)
        out.print(f"{player} is called {people.names.rename(player, name, now)}")


def export(context: typer.Context, player: PlayerArgument, by: By = "operator") -> None:
    """Print all that is kept of a player beside the log, connection records included, as JSON."""
    with _register(context, "player") as (people, now):
        print_json(people.export(player, by=by, at=now))


def erase(
    context: typer.Context,
    player: PlayerArgument,
    by: By = "operator",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase a player's name, connection records and what he wrote in reports. The log knows a random id and stays.

    Write-ahead log and backups of the database may hold the name until they are recycled or expire.
    """
    if not yes:
        typer.confirm(f"Erase all that is kept of player {player}?", abort=True)
    with _register(context, "player") as (people, now):
        people.erase(player, by=by, at=now)
    out.print(f"player {player} is erased")
    note("write-ahead log and backups may still hold the name; see infra/people.md")


def list_reports(context: typer.Context, by: By = "operator", json: Json = False) -> None:
    """List the newest reports; the reading is written to the audit trail."""
    with _register(context, "reports") as (people, now):
        people.trail.add(now, by, "read reports", "all")
        found = people.reports.newest()
    if json:
        print_json(found)
        return
    table = Table("report", "match", "hand", "player", "at", "reason")
    for report in found:
        table.add_row(*_cells(report))
    out.print(table)


def show_report(context: typer.Context, number: int, by: By = "operator") -> None:
    """Show one report as JSON; the reading is written to the audit trail."""
    with _register(context, "reports") as (people, now):
        people.trail.add(now, by, "read a report", number)
        print_json(people.reports.get(number))


def trail(
    context: typer.Context,
    most: Annotated[int, typer.Option("--most", min=1, help="How many entries.")] = 50,
    json: Json = False,
) -> None:
    """Show the operators' audit trail: who looked at or changed what of whom, newest first."""
    with _register(context, "trail") as (people, _):
        entries = people.trail.last(most)
    if json:
        print_json(entries)
        return
    table = Table("at", "by", "what", "about")
    for entry in entries:
        table.add_row(f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.by, entry.what, entry.about)
    out.print(table)


@contextmanager
def _register(context: typer.Context, role: str) -> Iterator[tuple[Register, datetime]]:
    """What is known of people, and the time."""
    ports = system_ports()
    with servers_for(context, role) as (settings, servers), open_pool(servers.database_url) as pool:
        yield register_of(pool, settings.data, ports), ports.clock.now()


def _cells(report: Report) -> tuple[str, ...]:
    values = msgspec.structs.astuple(report)
    return tuple(str(value) for value in (*values[:4], f"{report.at:%Y-%m-%d %H:%M}", report.reason))
