"""`serve`: relay and projections until stopped and, where asked for, the API of live tables; health and metrics."""

import asyncio
import logging
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Annotated

import msgspec
import typer

from adapters.clock import SystemClock
from adapters.command_line.console import note
from adapters.command_line.feeding import feed_of
from adapters.command_line.sessions import servers_for
from adapters.composition import Ports, live_site, old_records_deleted
from adapters.embedded import SERVE, Servers
from adapters.feed import PROJECTIONS, Feed
from adapters.postgres.standings import standings
from adapters.randomness import SystemRandomness
from adapters.settings import Settings


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
    if not with_feed and http is None:
        raise typer.BadParameter(
            "without the feed there are only live tables to serve: give --http HOST:PORT"
        )
    if bots and http is None:
        raise typer.BadParameter("--bots are for players at tables: give --http HOST:PORT too")
    live = None if http is None else _Live(*address_of(http), bots, bot_pace)
    health_address = address_of(health)
    with servers_for(context, SERVE if with_feed else "serve tables") as (settings, servers):
        logging.getLogger().setLevel(logging.WARNING)
        feed = feed_of(settings, servers) if with_feed else None
        asyncio.run(_serve(settings, servers, feed, live, health_address))


def address_of(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; anything else is a usage error."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise typer.BadParameter(f"{text!r} is not HOST:PORT, as in 127.0.0.1:8080 (port 0 takes a free one)")
    return host, int(port)


class _Live(msgspec.Struct, frozen=True):
    """Where live tables are served, and how many bots sit down at them on asking, at which pace."""

    host: str
    port: int
    bots: int
    bot_pace_s: float


async def _serve(
    settings: Settings, servers: Servers, feed: Feed | None, live: _Live | None, health: tuple[str, int]
) -> None:
    # Loaded when there is something to serve: they cost every other command a fifth of a second.
    from adapters.http.health import Vitals, health_app
    from adapters.http.server import app_server

    vitals = Vitals(
        lambda: () if feed is None else feed.healths,
        lambda: standings(servers.database_url, PROJECTIONS, settings.log_name, try_next=False),
    )
    async with AsyncExitStack() as stack:
        health_url = await stack.enter_async_context(app_server(health_app(vitals), *health))
        note(f"health at {health_url}/health/ready, metrics at {health_url}/metrics")
        if live is not None:
            await _serve_tables(stack, settings, servers, live)
        else:
            keep = timedelta(days=settings.connection_days)
            await stack.enter_async_context(old_records_deleted(servers.database_url, SystemClock(), keep))
        note("serving; Ctrl-C stops")
        await (asyncio.Event().wait() if feed is None else feed.run())


async def _serve_tables(stack: AsyncExitStack, settings: Settings, servers: Servers, live: _Live) -> None:
    """Pages, API and bots, until the stack is left."""
    from adapters.http.server import http_server
    from adapters.socket_bots.company import house_bots

    clock = SystemClock()
    ports = Ports(clock, SystemRandomness())
    site = await stack.enter_async_context(
        live_site(
            servers.database_url,
            settings.data,
            ports,
            clock,
            provider_keys=settings.token_keys,
            keep=timedelta(days=settings.connection_days),
        )
    )
    url = await stack.enter_async_context(http_server(site, live.host, live.port))
    if live.bots:
        bots = house_bots(url, site.bearers, most=live.bots, pace_s=live.bot_pace_s)
        site.bots = await stack.enter_async_context(bots)
    note(f"pages at {url}/, the API described at {url}/openapi/openapi.json and {url}/asyncapi.json")
