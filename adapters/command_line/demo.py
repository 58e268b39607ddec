"""`demo`: the whole path once, on real input: import, play, publish, project, replay, audit."""

import asyncio
from typing import Annotated

import typer
from rich.table import Table

from adapters.auditing import audit_match
from adapters.bot_matches import Order
from adapters.command_line.arguments import AcksOption
from adapters.command_line.boards import board_table
from adapters.command_line.console import complain, out, progress
from adapters.command_line.feeding import feeding, stream_position
from adapters.command_line.replaying import names_at, print_hand
from adapters.command_line.sessions import servers_for
from adapters.command_line.tables_of_bots import Played, play_bots
from adapters.composition import match_service, system_ports
from adapters.embedded import Servers
from adapters.importing import ImportReport, import_files
from adapters.postgres.match_rows import Pool, known_matches, last_position, rows_of_match
from adapters.postgres.queries import ReadModels
from adapters.postgres.recorder import open_pool
from adapters.record_files import BUNDLED_HANDS
from adapters.serialization import decode_row
from adapters.settings import Settings
from domain.rulesets import RULESETS
from replays.timeline import Timeline

BOARD = "zero_sum-1"


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "demo",
        epilog="Example: `gongzhu demo`. Run it again: it finishes what was left, then adds to it.",
    )(demo)


def demo(
    context: typer.Context,
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, help="Bot matches of each ruleset.")] = 1,
    seed: Annotated[int | None, typer.Option("--seed", help="Draw the chain roots from this seed.")] = None,
    acks: AcksOption = None,
) -> None:
    """Show the whole path: import recorded hands, play bot matches, publish, project, rank, replay, audit."""
    with servers_for(context, "demo") as (settings, servers):
        imported = asyncio.run(_import(settings, servers))
        orders = [Order(ruleset=ruleset, matches=matches, seed=seed) for ruleset in RULESETS.values()]
        with progress() as bars:
            played = asyncio.run(play_bots(settings, servers, system_ports(), orders, bars, acks=acks))
        with open_pool(servers.database_url) as pool:
            models = ReadModels(pool, settings.log_name)
            _show_counts(settings, servers, pool, models, imported, played)
            _show_board(models)
            _show_hand(pool)
            sound = _show_audit(pool)
    _show_next_steps()
    if not sound:
        raise typer.Exit(1)


async def _import(settings: Settings, servers: Servers) -> ImportReport:
    ports = system_ports()
    with progress() as bars:
        bar = bars.add_task("importing recorded hands", total=None)
        async with (
            feeding(settings, servers, bars),
            match_service(servers.database_url, settings.data, ports) as service,
        ):
            return await import_files([BUNDLED_HANDS], service, ports.clock.now(), lambda: bars.advance(bar))


def _show_counts(
    settings: Settings,
    servers: Servers,
    pool: Pool,
    models: ReadModels,
    imported: ImportReport,
    played: Played,
) -> None:
    tally = played.tally
    out.rule("what happened")
    out.print(f"imported   {imported.stored} recorded hands ({imported.skipped} were there already)")
    left_over = f", {played.finished_before} of them left over from before" if played.finished_before else ""
    out.print(
        f"played     {tally.matches} bot matches{left_over}: {tally.hands} hands, {tally.commands} commands"
    )
    out.print(f"stored     {last_position(pool)} events in the match log")
    out.print(
        f"published  {asyncio.run(stream_position(settings, servers))} messages in the stream, in the same order"
    )
    table = Table("read model", "applied", "behind")
    for lag in models.lags():
        table.add_row(lag.projection, str(lag.position), str(lag.behind))
    out.print(table)


def _show_board(models: ReadModels) -> None:
    out.rule("a leaderboard")
    out.print(board_table(f"{BOARD}, all time, all origins", models.leaderboard(BOARD, origin=None, limit=8)))


def _show_hand(pool: Pool) -> None:
    """The last hand of the newest settled match of the board's ruleset."""
    settled = [
        one
        for one in known_matches(pool)
        if one.ended and one.opened.ruleset.name == BOARD and one.opened.anchor
    ]
    if not settled:
        return
    match = settled[-1].id
    events = [decode_row(row) for row in rows_of_match(pool, match)]
    timeline = Timeline(events)
    if timeline.hands:
        out.rule(f"a hand of match {match}")
        last = timeline.hands[-1]
        print_hand(events, last.number, names_at(timeline, last.last))


def _show_audit(pool: Pool) -> bool:
    """Audits every match; whether all are sound."""
    out.rule("audit")
    matches = [known.id for known in known_matches(pool)]
    with progress() as bars:
        audits = [audit_match(pool, match) for match in bars.track(matches, description="auditing")]
    for one in audits:
        if one.what is not None:
            complain(one.what)
    sound = sum(one.ok for one in audits)
    events = sum(one.events for one in audits)
    out.print(
        f"{sound} of {len(audits)} matches are sound: {events} events decided anew, every result recomputed"
    )
    return sound == len(audits)


def _show_next_steps() -> None:
    out.rule("what to try next")
    for line in (
        "gongzhu matches                          every match, the newest first",
        "gongzhu replay MATCH --step --as seat0   a match from a seat's eyes",
        "gongzhu verify MATCH                     was it dealt fairly?",
        "gongzhu leaderboard -r blood-1 --origin all",
        "gongzhu play --ruleset blood-2 --matches 5",
        "gongzhu serve                            publish and project until stopped",
    ):
        out.print(f"  {line}")
