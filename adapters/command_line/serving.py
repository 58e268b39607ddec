"""`serve`: relay and projections until stopped and, where asked for, the API of live tables; health and metrics."""

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from adapters.clock import SystemClock
from adapters.command_line.console import note
from adapters.command_line.feeding import feed_of
from adapters.command_line.sessions import servers_for
from adapters.composition import Ports, live_site
from adapters.embedded import SERVE, Servers
from adapters.feed import PROJECTIONS
from adapters.http.health import Vitals, health_app
from adapters.http.server import app_server, http_server
from adapters.postgres.standings import standings
from adapters.randomness import SystemRandomness
from adapters.settings import Settings


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "serve", epilog="Examples: `gongzhu serve`, `gongzhu serve --http 127.0.0.1:8080`; Ctrl-C stops."
    )(serve)


def serve(
    context: typer.Context,
    http: Annotated[
        str | None,
        typer.Option(
            "--http", metavar="HOST:PORT", help="Also run the match service and its HTTP and WebSocket API."
        ),
    ] = None,
    health: Annotated[
        str,
        typer.Option(
            "--health", metavar="HOST:PORT", help="Where /health/live, /health/ready and /metrics are."
        ),
    ] = "127.0.0.1:0",
) -> None:
    """Publish the log and keep the read models up to date, until stopped; other commands may use its servers.

    Health and metrics are on a port of their own, a free one of this machine unless it is given.
    """
    address = None if http is None else address_of(http)
    health_address = address_of(health)
    with servers_for(context, SERVE) as (settings, servers):
        logging.getLogger().setLevel(logging.WARNING)
        asyncio.run(_serve(settings, servers, address, health_address))


def address_of(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; anything else is a usage error."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise typer.BadParameter(f"{text!r} is not HOST:PORT, as in 127.0.0.1:8080 (port 0 takes a free one)")
    return host, int(port)


async def _serve(
    settings: Settings, servers: Servers, address: tuple[str, int] | None, health: tuple[str, int]
) -> None:
    feed = feed_of(settings, servers)
    vitals = Vitals(
        lambda: feed.healths,
        lambda: standings(servers.database_url, PROJECTIONS, settings.log_name, try_next=False),
    )
    async with AsyncExitStack() as stack:
        health_url = await stack.enter_async_context(app_server(health_app(vitals), *health))
        note(f"health at {health_url}/health/ready, metrics at {health_url}/metrics")
        if address is not None:
            clock = SystemClock()
            ports = Ports(clock, SystemRandomness())
            site = await stack.enter_async_context(
                live_site(servers.database_url, settings.data, ports, clock)
            )
            url = await stack.enter_async_context(http_server(site, *address))
            note(f"pages at {url}/, the API described at {url}/openapi/openapi.json and {url}/asyncapi.json")
        note("serving; Ctrl-C stops")
        await feed.run()
