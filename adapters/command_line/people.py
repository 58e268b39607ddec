"""`player`, `reports` and `trail`: what is known of people beside the log, looked at and erased."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from adapters.command_line.arguments import By, Json
from adapters.command_line.console import note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.composition import register_of, system_ports
from adapters.people.connections import KnownConnection
from adapters.people.register import Register
from adapters.people.reports import Report
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.recorder import open_pool

PlayerArgument = Annotated[UUID, typer.Argument(metavar="PLAYER", help="The player's id.")]
CaseOption = Annotated[str, typer.Option("--case", help="The case it is read for.")]

players_app: Final = typer.Typer(
    name="player", help="What is known of a player beside the log.", no_args_is_help=True
)
reports_app: Final = typer.Typer(
    name="reports", help="Hands that players reported, for investigators.", no_args_is_help=True
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    players_app.command("show", epilog="Example: `gongzhu player show 019abc…`")(show)
    players_app.command("rename", epilog="Example: `gongzhu player rename 019abc… 小猪`")(rename)
    players_app.command("export", epilog="Example: `gongzhu player export 019abc… --by 'data protection'`")(
        export
    )
    players_app.command("erase", epilog="Example: `gongzhu player erase 019abc… --by anna`")(erase)
    players_app.command(
        "connections", epilog="Example: `gongzhu player connections 019abc… --case 17 --by anna`"
    )(connections)
    reports_app.command("list", epilog="Examples: `gongzhu reports list`, `gongzhu reports list --json`")(
        list_reports
    )
    reports_app.command("show", epilog="Example: `gongzhu reports show 7 --by anna`")(show_report)
    reports_app.command("blank", epilog="Example: `gongzhu reports blank 7 --by anna`")(blank_report)
    app.add_typer(players_app)
    app.add_typer(reports_app)
    app.command("trail", epilog="Examples: `gongzhu trail`, `gongzhu trail --case 17 --json`")(trail)


def show(context: typer.Context, player: PlayerArgument) -> None:
    """Show what a player is called, and how much is kept of him; no connection record is opened."""
    with _register(context, "player") as (people, _):
        name = people.names.of([player]).get(player)
        out.print(f"{player}: {name or 'no name'}; {len(people.reports.of(player))} reports")


def rename(context: typer.Context, player: PlayerArgument, name: str, by: By = None) -> None:
    """Call a player otherwise."""
    with _register(context, "player") as (people, now):
        people.trail.add(now, whoever_asks(by), "renamed a player", player)
        out.print(f"{player} is called {people.names.rename(player, name, now)}")


def export(context: typer.Context, player: PlayerArgument, by: By = None) -> None:
    """Print all that is kept of a player beside the log, connection records included, as JSON."""
    with _register(context, "player") as (people, now):
        print_json(people.export(player, by=whoever_asks(by), at=now))


def erase(
    context: typer.Context,
    player: PlayerArgument,
    by: By = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase a player's name, connection records and what he wrote in reports, for good. The log knows a random id.

    Write-ahead log and backups of the database may hold the name until they are recycled or expire.
    """
    if not yes:
        typer.confirm(f"Erase all that is kept of player {player}?", abort=True)
    with _register(context, "player") as (people, now):
        left = people.erase(player, by=whoever_asks(by), at=now)
    out.print(f"player {player} is erased")
    if left:
        numbers = ", ".join(map(str, left))
        note(
            f"others reported matches he sat at: {numbers}; read what they wrote, and `gongzhu reports blank N`"
        )
    note("write-ahead log and backups may still hold the name; see infra/people.md")


def connections(
    context: typer.Context, player: PlayerArgument, case: CaseOption, by: By = None, json: Json = False
) -> None:
    """Open a player's connection records, in a case; the reading is written to the audit trail first."""
    with _register(context, "player") as (people, now):
        found = people.connections_of(player, by=whoever_asks(by), at=now, case=case)
    if json:
        print_json(found)
        return
    table = Table("opened", "closed", "away before", "via", "match", "address", "device", "commands")
    for known in found:
        table.add_row(*_connection_cells(known))
    out.print(table if found else f"no connection records of {player} are kept")


def list_reports(context: typer.Context, by: By = None, json: Json = False) -> None:
    """List the newest reports; the reading is written to the audit trail."""
    with _register(context, "reports") as (people, now):
        people.trail.add(now, whoever_asks(by), "read reports", "all")
        found = people.reports.newest()
    if json:
        print_json(found)
        return
    table = Table("report", "match", "hand", "player", "at", "reason")
    for report in found:
        table.add_row(*_cells(report))
    out.print(table)


def show_report(context: typer.Context, number: int, by: By = None) -> None:
    """Show one report as JSON; the reading is written to the audit trail."""
    with _register(context, "reports") as (people, now):
        people.trail.add(now, whoever_asks(by), "read a report", number)
        print_json(people.reports.get(number))


def blank_report(context: typer.Context, number: int, by: By = None) -> None:
    """Take the words out of a report, where they name somebody who was erased; the report itself stays."""
    with _register(context, "reports") as (people, now):
        people.trail.add(now, whoever_asks(by), "blanked a report", number)
        people.reports.blank(number)
    out.print(f"report {number} has no reason any more")


def trail(
    context: typer.Context,
    most: Annotated[int, typer.Option("--most", min=1, help="How many entries.")] = 50,
    about: Annotated[
        str | None, typer.Option("--about", help="Only of this player, match or report.")
    ] = None,
    case: Annotated[str | None, typer.Option("--case", help="Only of this case.")] = None,
    json: Json = False,
) -> None:
    """Show the operators' audit trail: who looked at or changed what of whom, and used which key; newest first."""
    with servers_for(context, "trail") as (_, servers), open_pool(servers.database_url) as pool:
        entries = Trail(pool).last(most, about=about, case=case)
    if json:
        print_json(entries)
        return
    table = Table("at", "by", "what", "about", "case")
    for entry in entries:
        table.add_row(f"{entry.at:%Y-%m-%d %H:%M:%S}", *map(escape, msgspec.structs.astuple(entry)[2:]))
    out.print(table if entries else "nothing stands in the trail yet")


@contextmanager
def _register(context: typer.Context, role: str) -> Iterator[tuple[Register, datetime]]:
    """What is known of people, and the time."""
    ports = system_ports()
    with servers_for(context, role) as (settings, servers), open_pool(servers.database_url) as pool:
        yield register_of(pool, settings.data, ports), ports.clock.now()


def _cells(report: Report) -> tuple[str, ...]:
    values = msgspec.structs.astuple(report)
    shown = (*values[:4], f"{report.at:%Y-%m-%d %H:%M}", report.reason)
    return tuple(escape(str(value)) for value in shown)


def _connection_cells(known: KnownConnection) -> tuple[str, ...]:
    one = known.connection
    closed = "not known" if one.closed_at is None else f"{one.closed_at:%H:%M:%S}"
    away = "" if known.gap_s is None else f"{known.gap_s:.1f} s"
    opened = f"{one.opened_at:%Y-%m-%d %H:%M:%S}"
    where = (f"…{str(one.match)[-6:]}", one.address[:8], one.device[:8])
    return (opened, closed, away, one.via, *where, str(len(one.commands)))
