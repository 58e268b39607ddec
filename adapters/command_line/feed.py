"""`feed`: the log as a stream for other services: followed, caught up with, measured, and opened to one more reader."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated

import msgspec
import typer

from adapters.command_line.arguments import Json
from adapters.command_line.console import complain, note, out, print_json, progress
from adapters.command_line.sessions import nats_for, servers_for, settings_of
from adapters.composition import system_ports
from adapters.data_folder import DataFolder
from adapters.embedded import Servers
from adapters.feed import rebuild_feed
from adapters.feed_status import FeedStatus, feed_status
from adapters.nats.connection import connected
from adapters.nats.credentials import (
    Credentials,
    credentials_for_another_server,
    credentials_on_our_server,
    new_password,
)
from adapters.nats.feed_lines import FeedLine, FeedLines
from adapters.nats.stream import REBUILD_FEED
from adapters.postgres.log_reader import LogReader
from adapters.settings import Settings

Reading = Callable[[FeedLines], AsyncGenerator[list[FeedLine], None]]

feed_app = typer.Typer(
    name="feed", help="The log as a stream for other services, and who may read it.", no_args_is_help=True
)
EpochOption = Annotated[
    str | None,
    typer.Option("--epoch", metavar="EPOCH", help="Fail unless the stream still has this epoch."),
]
BareOption = Annotated[
    bool, typer.Option("--bare", help="Only the event, byte for byte, without position and epoch.")
]


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    feed_app.command("tail", epilog="Example: `gongzhu feed tail --from 1 | jq .event.type`")(tail)
    feed_app.command("catch-up", epilog="Example: `gongzhu feed catch-up --bare > events.jsonl`")(catch_up)
    feed_app.command("status", epilog="Example: `gongzhu feed status --json`")(status)
    feed_app.command("rebuild", epilog="Example: `gongzhu feed rebuild`, then `gongzhu feed status`")(rebuild)
    feed_app.command("credentials", epilog="Example: `gongzhu feed credentials leaderboard`")(credentials)
    app.add_typer(feed_app)


def tail(
    context: typer.Context,
    first: Annotated[
        int | None,
        typer.Option(
            "--from", metavar="POSITION", min=1, help="From this position on; else only what is new."
        ),
    ] = None,
    epoch: EpochOption = None,
    bare: BareOption = False,
) -> None:
    """Print events as they are published, one JSON object a line, until stopped."""
    _read(context, "feed tail", epoch, lambda lines: lines.for_ever(first), bare=bare)


def catch_up(
    context: typer.Context,
    first: Annotated[
        int, typer.Option("--from", metavar="POSITION", min=1, help="The position to begin at.")
    ] = 1,
    epoch: EpochOption = None,
    bare: BareOption = False,
) -> None:
    """Print the events that the stream holds, one JSON object a line, and end."""
    _read(context, "feed catch-up", epoch, lambda lines: lines.caught_up(first), bare=bare)


def _read(context: typer.Context, role: str, epoch: str | None, reading: Reading, *, bare: bool) -> None:
    with nats_for(context, role, "reader") as (settings, url):
        try:
            asyncio.run(_print_lines(url, settings.log_name, epoch, reading, bare=bare))
        except BrokenPipeError:
            # Whoever read the output has had enough. Python would complain once more when it closes the output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _print_lines(url: str, log: str, epoch: str | None, reading: Reading, *, bare: bool) -> None:
    async with connected(url, "gongzhu feed") as connection:
        lines = FeedLines(connection, log, epoch=epoch, on_trouble=_once(note))
        async with aclosing(reading(lines)) as batches:
            async for batch in batches:
                sys.stdout.buffer.writelines(_rendered(line, bare=bare) for line in batch)
                sys.stdout.flush()
        await lines.close()


def _rendered(line: FeedLine, *, bare: bool) -> bytes:
    return (line.body if bare else msgspec.json.encode(line)) + b"\n"


def _once(say: Callable[[str], None]) -> Callable[[str], None]:
    """Says the same thing once in a row."""
    said = ""

    def once(what: str) -> None:
        nonlocal said
        if what != said:
            said = what
            say(what)

    return once


def status(context: typer.Context, json: Json = False) -> None:
    """Show stream and log beside each other: epoch, positions, lag, and whether they agree."""
    with servers_for(context, "feed status") as (settings, servers):
        found = asyncio.run(_status(settings, servers))
    if json:
        print_json(found)
    else:
        _print_status(found)
    if found.standing == "broken":
        complain(f"the stream does not hold what the log holds; {REBUILD_FEED}")
        raise typer.Exit(1)


async def _status(settings: Settings, servers: Servers) -> FeedStatus:
    async with (
        connected(servers.reader_url, "gongzhu feed status") as connection,
        LogReader(servers.database_url, patience_s=10) as reader,
    ):
        return await feed_status(connection, reader, settings.log_name, system_ports().clock.now())


def _print_status(found: FeedStatus) -> None:
    out.print(f"log       {found.log}, last position {found.log_last}")
    out.print(f"stream    {found.stream}, epoch {found.epoch or '(none)'}, last sequence {found.last}")
    out.print(f"lag       {found.lag} events" + (f", {found.lag_s:.0f} s" if found.lag else ""))
    out.print(f"standing  {found.standing}")
    if found.standing in ("behind", "no stream"):
        note("`gongzhu serve` publishes what is missing")


class Rebuilt(msgspec.Struct, frozen=True):
    """The new stream, as JSON."""

    stream: str
    epoch: str | None
    last: int


def rebuild(context: typer.Context, json: Json = False) -> None:
    """Replace the stream by a new one, filled from the log, with a new epoch.

    For a stream that does not hold what the log holds. Consumers that keep their position see the new epoch and begin
    again at position 1; our own projections compare and go on where they are.
    """
    with servers_for(context, "feed rebuild") as (settings, servers), progress() as bars:
        bar = bars.add_task("publishing", total=None)
        asyncio.run(
            rebuild_feed(
                servers.database_url,
                servers.operator_url,
                servers.relay_url,
                system_ports().randomness,
                log=settings.log_name,
                progress=lambda _, done, total: bars.update(bar, completed=done, total=total),
            )
        )
        found = asyncio.run(_status(settings, servers))
    if json:
        print_json(Rebuilt(found.stream, found.epoch, found.last))
    else:
        out.print(f"stream {found.stream} is new: epoch {found.epoch}, last sequence {found.last}")


def credentials(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The service's name: a-z, 0-9 and -.")],
    json: Json = False,
) -> None:
    """Let one more service read the feed: a user with a password, and what to try first.

    The same name gives the same password again. On a NATS server of yours, prints the line to add there.
    """
    made = _credentials(context, name)
    if json:
        print_json(made)
    else:
        _print_credentials(made)


def _credentials(context: typer.Context, name: str) -> Credentials:
    settings = settings_of(context)
    if settings.nats_url:
        password = new_password(system_ports().randomness)
        return credentials_for_another_server(settings.nats_url, name, password, settings.log_name)
    with servers_for(context, "feed credentials") as (_, servers):
        folder = DataFolder(settings.data).nats
        return credentials_on_our_server(folder, servers.reader_url, name, settings.log_name)


def _print_credentials(made: Credentials) -> None:
    for label, value in (
        ("url", made.url),
        ("stream", made.stream),
        ("subjects", made.subjects),
        ("user", made.user),
        ("password", made.password),
    ):
        out.print(f"{label:9} {value}", soft_wrap=True, markup=False)
    if made.line is not None:
        out.print("add to the users of gongzhu.conf, then `nats-server --signal reload`:")
        out.print(f"  {made.line}", soft_wrap=True, markup=False)
    else:
        note(
            "the server runs while a command like `gongzhu serve` does, at the same port each time if it is free"
        )
    out.print(f"try       GONGZHU_NATS_URL='{made.url}' gongzhu feed catch-up", soft_wrap=True, markup=False)
    out.print("          a whole service: infra/examples/leaderboard_service.py", markup=False)
