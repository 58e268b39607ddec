"""`export` and `export verify`: ended matches in bulk, in folders of files that anyone can check."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import typer

from adapters.bots import BOT_NAMES
from adapters.command_line.arguments import Json, in_utc, match_meant, one_of, ruleset_of
from adapters.command_line.console import complain, counted, note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.composition import system_ports
from adapters.exports.checking import ExportCheck, check_export
from adapters.exports.exporting import PART_BYTES, ExportOrder, OnMatch, export_to_stream
from adapters.exports.exporting import export as export_matches
from adapters.exports.manifest import KINDS, Filters, Kind, Manifest, read_manifest
from adapters.people.names import Names
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.match_rows import Pool, known_matches
from adapters.postgres.recorder import open_pool
from domain.events import ORIGINS

STREAM: Final = Path("-")
_MEGABYTE: Final = 1_000_000
_TIMES: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f"]

export_app: Final = typer.Typer(name="export", invoke_without_command=True)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    export_app.callback(
        epilog="Examples: `gongzhu export --format parquet --to 2026 --since 2026-01-01`, "
        "`gongzhu export -r blood-1 --to - | jq .type`, `gongzhu export verify 2026`"
    )(export)
    export_app.command(
        "verify", epilog="Examples: `gongzhu export verify 2026`, `gongzhu export verify 2026 --digests-only`"
    )(verify)
    app.add_typer(export_app)


def export(
    context: typer.Context,
    form: Annotated[
        str,
        typer.Option("--format", "-f", help=f"{', '.join(KINDS)}. Parquet is made for DuckDB and Polars."),
    ] = "ndjson",
    to: Annotated[
        Path, typer.Option("--to", metavar="FOLDER", help="A new or empty folder; `-`: standard output.")
    ] = Path("gongzhu-export"),
    rulesets: Annotated[
        list[str] | None, typer.Option("--ruleset", "-r", help="Only this ruleset; may be repeated.")
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option("--player", help="Only matches of this player (id, or a bot's name); may be repeated."),
    ] = None,
    origins: Annotated[
        list[str] | None, typer.Option("--origin", help=f"Only {', '.join(ORIGINS)}; may be repeated.")
    ] = None,
    matches: Annotated[
        list[str] | None,
        typer.Option("--match", help="Only this match (enough of its id); may be repeated."),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            metavar="TIME",
            formats=_TIMES,
            help="Only matches that ended then or later: 2026-01-31, 2026-01-31T12:00 (UTC).",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--until", metavar="TIME", formats=_TIMES, help="Only matches that ended before, UTC."),
    ] = None,
    names: Annotated[
        bool,
        typer.Option(
            "--names",
            help="Also write what the players are called now, in files of their own. An export holds ids alone "
            "otherwise: a name that is erased here stays in exported files.",
        ),
    ] = False,
    part_mb: Annotated[
        int, typer.Option("--part-mb", min=1, help="Begin a new file after so many megabytes of events.")
    ] = PART_BYTES // _MEGABYTE,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Remove the export that is in the folder and begin anew.")
    ] = False,
    json: Json = False,
) -> None:
    """Export ended matches, whole, in the order they ended, with a manifest of everything in the files.

    Interrupted at any moment, the same command goes on where it was, and the files become what they would have been.
    Only what is public is in them. `gongzhu import FOLDER` reads any of the formats back.
    """
    if context.invoked_subcommand is not None:
        return
    kind = one_of("format", form, KINDS)
    with (
        servers_for(context, "export") as (settings, servers),
        open_pool(servers.database_url, most=2) as pool,
    ):
        filters = Filters(
            rulesets=tuple(sorted({ruleset_of(name).name for name in rulesets or ()})),
            players=tuple(sorted({_player_meant(text) for text in players or ()})),
            origins=tuple(sorted({one_of("origin", name, ORIGINS) for name in origins or ()})),
            matches=_matches_meant(pool, matches or []),
            since=in_utc(since),
            until=in_utc(until),
        )
        with counted("exporting matches") as on_match:
            if to == STREAM:
                if names:
                    raise typer.BadParameter("names are files of their own; give a folder with --to")
                _to_stream(servers.database_url, kind, filters, on_match)
                return
            order = ExportOrder(kind=kind, filters=filters, names=names, part_bytes=part_mb * _MEGABYTE)
            at = system_ports().clock.now()
            if names:
                Trail(pool).add(at, whoever_asks(), "exports players' names", to.resolve())
            manifest = export_matches(
                servers.database_url,
                order,
                to,
                at,
                log=settings.log_name,
                names_of=Names(pool).of,
                overwrite=overwrite,
                on_match=on_match,
            )
    if json:
        print_json(manifest)
    else:
        _print_manifest(manifest, to)


def _to_stream(database_url: str, kind: Kind, filters: Filters, on_match: OnMatch) -> None:
    if kind == "parquet":
        raise typer.BadParameter("Parquet is several files; give a folder with --to")
    try:
        counts = export_to_stream(database_url, kind, filters, sys.stdout.buffer, on_match)
    except BrokenPipeError:
        # Whoever read it has enough; nothing of it may be written when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    note(f"{counts.matches} matches, {counts.hands} hands, {counts.events} events")


def _print_manifest(manifest: Manifest, folder: Path) -> None:
    counts = manifest.counts
    size = sum(file.bytes for file in manifest.files)
    out.print(
        f"{counts.matches} matches with {counts.hands} hands and {counts.events} events exported to {folder}: "
        f"{len(manifest.files)} files of {manifest.kind}, {size / _MEGABYTE:.1f} MB",
        markup=False,
        soft_wrap=True,
    )
    if counts.matches == 0:
        note("no match that has ended fits; `gongzhu matches` lists what there is")
    else:
        note(f"check it with `gongzhu export verify {folder}`, read it back with `gongzhu import {folder}`")
    if manifest.names:
        note("it holds players' names, in its players files: remove them when a player is erased")


def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of an export.")],
    digests_only: Annotated[
        bool, typer.Option("--digests-only", help="Only compare the files with the manifest's digests.")
    ] = False,
    json: Json = False,
) -> None:
    """Check an export from its own files: digests, counts, every step of every match, its deals, and the tables.

    Neither a server nor a key is used. Exit code 1 where anything is wrong.
    """
    with counted("checking matches") as on_match:
        in_all = read_manifest(folder).counts.matches
        done = iter(range(1, sys.maxsize))
        check = check_export(folder, digests_only=digests_only, on_match=lambda: on_match(next(done), in_all))
    if json:
        print_json(check)
    else:
        _print_check(check)
    if not check.ok:
        raise typer.Exit(1)


def _print_check(check: ExportCheck) -> None:
    for fault in check.faults:
        complain(fault)
    if check.wrong > len(check.faults):
        complain(f"and {check.wrong - len(check.faults)} more")
    looked_at = f"{check.files} files, {check.matches} matches, {check.hands} hands, {check.events} events"
    out.print(
        f"{check.folder}: {'sound' if check.ok else f'{check.wrong} faults'} ({looked_at})", markup=False
    )


def _player_meant(text: str) -> UUID:
    for bot, name in BOT_NAMES.items():
        if text.lower() == name:
            return bot
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no player: give a whole player id, or a bot's name") from None


def _matches_meant(pool: Pool, texts: list[str]) -> tuple[UUID, ...]:
    """The matches meant. Raises `NoSuchMatch`."""
    if not texts:
        return ()
    known = [match.id for match in known_matches(pool)]
    return tuple(sorted({match_meant(text, known) for text in texts}))
