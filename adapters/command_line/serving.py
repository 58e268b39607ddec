"""`serve`: relay and projections until stopped and, where asked for, the API of live tables; health and metrics."""

import asyncio
import logging
from typing import Annotated

import typer

from adapters.command_line.feeding import feed_of
from adapters.command_line.sessions import servers_for
from adapters.embedded import SERVE


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "serve",
        epilog="Examples: `gongzhu serve`, `gongzhu serve --http 127.0.0.1:8080 --bots 12`, "
        "`gongzhu serve --no-feed --http 127.0.0.1:8081`; Ctrl-C stops.",
    )(serve)


def serve(
    context: typer.Context,
    http: Annotated[
        str | None,
        typer.Option(
            "--http",
            metavar="HOST:PORT",
            help="Also run the match service: its pages, and its HTTP and WebSocket API.",
        ),
    ] = None,
    bots: Annotated[
        int,
        typer.Option(
            "--bots",
            metavar="SEATS",
            min=0,
            help="Keep bots that players may seat beside them, so many at once.",
        ),
    ] = 0,
    bot_pace: Annotated[
        float,
        typer.Option(
            "--bot-pace", metavar="SECONDS", min=0, max=10, help="Seconds before each of their cards."
        ),
    ] = 1.0,
    health: Annotated[
        str,
        typer.Option(
            "--health", metavar="HOST:PORT", help="Where /health/live, /health/ready and /metrics are."
        ),
    ] = "127.0.0.1:0",
    with_feed: Annotated[
        bool,
        typer.Option(
            "--feed/--no-feed",
            help="Without the feed: live tables alone, beside another `gongzhu serve` that publishes and projects.",
        ),
    ] = True,
) -> None:
    """Publish the log and keep the read models up to date, until stopped; other commands may use its servers.

    Health and metrics are on a port of their own, a free one of this machine unless it is given. Any number of
    processes may serve the same tables (`--no-feed --http`): a balancer of yours may send any client to any of them.
    """
    # Loaded before the servers are taken, so that whoever joins them waits no longer for the feed.
    from adapters.command_line import served

    if not with_feed and http is None:
        raise typer.BadParameter(
            "without the feed there are only live tables to serve: give --http HOST:PORT"
        )
    if bots and http is None:
        raise typer.BadParameter("--bots are for players at tables: give --http HOST:PORT too")
    live = None if http is None else served.Live(*address_of(http), bots, bot_pace)
    health_address = address_of(health)
    with servers_for(context, SERVE if with_feed else "serve tables") as (settings, servers):
        logging.getLogger().setLevel(logging.WARNING)
        feed = feed_of(settings, servers) if with_feed else None
        asyncio.run(served.run(settings, servers, feed, live, health_address))


def address_of(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; anything else is a usage error."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise typer.BadParameter(f"{text!r} is not HOST:PORT, as in 127.0.0.1:8080 (port 0 takes a free one)")
    return host, int(port)
