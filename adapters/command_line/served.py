"""What `serve` runs once its options are understood. It is loaded for `serve` alone: HTTP takes its time to load."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import msgspec

from adapters.clock import SystemClock
from adapters.command_line.console import note
from adapters.composition import Ports, live_site, old_records_deleted
from adapters.embedded import Servers
from adapters.feed import PROJECTIONS, Feed
from adapters.http.health import Vitals, health_app
from adapters.http.server import app_server, http_server
from adapters.postgres.standings import standings
from adapters.randomness import SystemRandomness
from adapters.settings import Settings
from adapters.socket_bots.company import house_bots


class Live(msgspec.Struct, frozen=True):
    """Where live tables are served, and how many bots sit down at them on asking, at which pace."""

    host: str
    port: int
    bots: int
    bot_pace_s: float


async def run(
    settings: Settings, servers: Servers, feed: Feed | None, live: Live | None, health: tuple[str, int]
) -> None:
    """Serves until cancelled: the feed, live tables, or both, with health and metrics at an address of their own."""
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


async def _serve_tables(stack: AsyncExitStack, settings: Settings, servers: Servers, live: Live) -> None:
    """Pages, API and bots, until the stack is left."""
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
