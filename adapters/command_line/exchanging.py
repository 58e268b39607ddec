"""`import` and `conformance`: what comes in from files."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from adapters import conformance as vectors
from adapters.command_line.arguments import Json
from adapters.command_line.console import complain, out, print_json, progress
from adapters.command_line.feeding import feeding
from adapters.command_line.sessions import servers_for
from adapters.composition import match_service, system_ports
from adapters.embedded import Servers
from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.recorder import open_pool
from adapters.restoring.paths import import_paths
from adapters.settings import Settings


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(
        "import",
        epilog="Examples: `gongzhu import hands.jsonl`, `gongzhu import gongzhu-export`, `gongzhu import match.txt`",
    )(import_)
    app.command("conformance", epilog="Example: `gongzhu conformance ../shared/vectors`")(conformance)


def import_(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH…",
            help="Recorded hands (a JSON object a line), or our own exports: a folder, NDJSON, Parquet, notation.",
        ),
    ],
    json: Json = False,
) -> None:
    """Import recorded hands and exported matches; what is there already is skipped, what is faulty is named.

    Exported matches are restored as they were recorded, byte for byte, if the audit and the check of their deals hold.
    Who played them, and when, no file can prove: import only what you trust. A match of which anything is here already
    is never replaced. Exit code 1 where something was faulty or refused.
    """
    with servers_for(context, "import") as (settings, servers):
        report = asyncio.run(_import(settings, servers, paths))
    if json:
        print_json(report)
    else:
        _print_report(report)
    if report.errors:
        raise typer.Exit(1)


def _print_report(report: ImportReport) -> None:
    for error in report.errors:
        complain(error)
    left = report.faulty + report.refused - len(report.errors)
    if left:
        complain(f"and {left} more")
    hands = report.stored + report.skipped + report.faulty
    matches = report.restored + report.there_already + report.refused
    if hands or not matches:
        out.print(
            f"{report.stored} hands imported, {report.skipped} were there already, {report.faulty} faulty"
        )
    if matches:
        out.print(
            f"{report.restored} matches restored, {report.there_already} were there already, "
            f"{report.refused} refused"
        )


async def _import(settings: Settings, servers: Servers, paths: list[Path]) -> ImportReport:
    ports = system_ports()
    with progress() as bars:
        bar = bars.add_task("importing", total=None)
        async with (
            feeding(settings, servers, bars),
            match_service(servers.database_url, settings.data, ports) as service,
            GroupCommit(servers.database_url) as commits,
        ):
            with open_pool(servers.database_url, most=1) as pool:
                now = ports.clock.now()
                for path in paths:
                    Trail(pool).add(now, whoever_asks(), "imports matches or hands", path.resolve())
                return await import_paths(paths, service, pool, commits, now, lambda: bars.advance(bar))


def conformance(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of vector files (*.jsonl).")],
    json: Json = False,
) -> None:
    """Check the rules against worked cases: every line of every file, the first failures with want and got."""
    report = vectors.run(directory)
    if json:
        print_json(report)
    else:
        table = Table("file", "passed", "failed")
        for name, counts in report.files.items():
            table.add_row(name, str(counts.passed), str(counts.failed), style="red" if counts.failed else "")
        out.print(table)
        for failure in report.first_failures:
            complain(f"{failure.file}:{failure.line}: {failure.what}: want {failure.want}, got {failure.got}")
        out.print(f"{report.passed} passed, {report.failed} failed")
    if report.failed:
        raise typer.Exit(1)
