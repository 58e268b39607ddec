"""`verify`, `events` and `keys`: what can be checked by anyone, and what seals what nobody may see yet."""

import sys
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer
from rich.table import Table

from adapters.command_line.arguments import Json, MatchArgument, match_meant
from adapters.command_line.comparing import SOURCE
from adapters.command_line.console import complain, note, out, print_json
from adapters.command_line.sessions import servers_for, settings_of
from adapters.composition import keys_path, rotated_sealing_keys, system_ports
from adapters.event_catalogue import catalogue
from adapters.event_files import closed_lines
from adapters.keys import load_keys
from adapters.match_files import read_matches
from adapters.postgres.match_rows import known_matches, rows_of_match
from adapters.postgres.recorder import open_pool
from adapters.serialization import Row, decode_row
from domain.events import Event
from replays.verify import VerifyReport, matches_in, verify

_CHECKED: Final = "checked from public events alone"

events_app = typer.Typer(
    name="events", help="The events of the log: their types, and a match's as a file.", no_args_is_help=True
)
keys_app = typer.Typer(
    name="keys",
    help="The keys that seal live hands. Who holds them can see live hands.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("verify", epilog="Example: `gongzhu verify 019abc`, `gongzhu verify match.jsonl`")(verify_)
    events_app.command("export", epilog="Example: `gongzhu events export 019abc > match.jsonl`")(export)
    events_app.command("list", epilog="Example: `gongzhu events list`")(list_types)
    keys_app.command("list", epilog="Example: `gongzhu keys list`")(list_keys)
    keys_app.command("rotate", epilog="Example: `gongzhu keys rotate --by anna`")(rotate)
    app.add_typer(events_app)
    app.add_typer(keys_app)


def verify_(
    context: typer.Context,
    match: Annotated[str, typer.Argument(metavar="MATCH|FILE", help=SOURCE)],
    json: Json = False,
) -> None:
    """Check every deal and every hidden declaration of a match from its public events; no key is used."""
    reports = [verify(events) for events in matches_in(_events_meant(context, match))]
    if json:
        print_json(reports)
    else:
        for report in reports:
            _print_report(report)
    if not reports:
        complain(f"{match} holds no events")
    if not reports or any(report.broken for report in reports):
        raise typer.Exit(1)


def _events_meant(context: typer.Context, text: str) -> list[Event]:
    path = Path(text)
    if path.is_file():
        return [event for match in read_matches(path) for event in match.events]
    return [decode_row(row) for row in _rows(context, text)]


def _print_report(report: VerifyReport) -> None:
    out.print(
        f"match {report.match}: [bold]{report.outcome}[/] "
        f"({report.hands} hands, {report.declarations} hidden declarations, {report.nonces} nonces; {_CHECKED})"
    )
    for link in report.broken:
        complain(link.describe())


def export(
    context: typer.Context,
    match: MatchArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to FILE instead of standard output.")
    ] = None,
) -> None:
    """Write a match's stored public events, byte for byte, one JSON object a line; an empty line closes it."""
    content = b"".join(closed_lines(_rows(context, match)))
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        output.write_bytes(content)
        note(f"wrote {output}")


def _rows(context: typer.Context, text: str) -> list[Row]:
    with servers_for(context, "events") as (_, servers), open_pool(servers.database_url) as pool:
        return rows_of_match(pool, match_meant(text, [known.id for known in known_matches(pool)]))


def list_types(json: Json = False) -> None:
    """List the event types: versions, public and secret fields."""
    entries = catalogue()
    if json:
        print_json(entries)
        return
    table = Table("type", "version", "public fields", "secret fields", show_lines=True)
    for entry in entries:
        table.add_row(entry.type, str(entry.schema), ", ".join(entry.public), ", ".join(entry.secret))
    out.print(table)


class KeyLine(msgspec.Struct, frozen=True):
    """A key as it is listed: never the key itself."""

    id: str
    seals: bool


def list_keys(context: typer.Context, json: Json = False) -> None:
    """List the ids of the keys, oldest first; the newest seals, all of them open."""
    path = keys_path(settings_of(context).data)
    keys = load_keys(path)
    lines = [KeyLine(key_id.hex(), key_id == keys.current) for key_id in keys.ids]
    if json:
        print_json(lines)
        return
    note(f"key file: {path}")
    for line in lines:
        out.print(f"{line.id}  {'seals and opens' if line.seals else 'opens'}")
    if not lines:
        out.print("no keys yet; they are made when a match service first starts")


def rotate(context: typer.Context) -> None:
    """Make a new key that seals from now on; the old ones still open what they sealed.

    A running service goes on with the key it knows until it is started again. It stands in `gongzhu trail`.
    """
    path = keys_path(settings_of(context).data)
    with servers_for(context, "keys") as (settings, servers), open_pool(servers.database_url) as pool:
        keys = rotated_sealing_keys(pool, settings.data, system_ports())
    out.print(f"key {keys.current.hex()} seals from now on ({len(keys)} keys in {path})")
    out.print("back the file up: without it live hands cannot go on")
