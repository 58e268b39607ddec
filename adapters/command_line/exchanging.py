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
from adapters.importing import ImportReport, import_files
from adapters.settings import Settings


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("import", epilog="Example: `gongzhu import hands.jsonl`")(import_)
    app.command("conformance", epilog="Example: `gongzhu conformance ../shared/vectors`")(conformance)


def import_(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Recorded hands, one JSON object a line.")
    ],
    json: Json = False,
) -> None:
    """Import recorded hands; a hand that is there already is skipped, a faulty one is named and not stored."""
    with servers_for(context, "import") as (settings, servers):
        report = asyncio.run(_import(settings, servers, files))
    if json:
        print_json(report)
    else:
        for error in report.errors:
            complain(error)
        out.print(
            f"{report.stored} hands imported, {report.skipped} were there already, {len(report.errors)} faulty"
        )
    if report.errors:
        raise typer.Exit(1)


async def _import(settings: Settings, servers: Servers, files: list[Path]) -> ImportReport:
    ports = system_ports()
    with progress() as bars:
        bar = bars.add_task("importing hands", total=None)
        async with (
            feeding(settings, servers, bars),
            match_service(servers.database_url, settings.data, ports) as service,
        ):
            return await import_files(files, service, ports.clock.now(), lambda: bars.advance(bar))


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
