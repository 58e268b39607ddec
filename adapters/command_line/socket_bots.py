"""`bots`: tables of four bots that play over the API, also to see how much a site bears; or bots beside others."""

import asyncio
from pathlib import Path
from typing import Annotated
from uuid import UUID

import httpx
import typer

from adapters.clock import SystemClock
from adapters.command_line.arguments import RulesetOption, ruleset_of
from adapters.command_line.console import note, out
from adapters.command_line.sessions import servers_for, settings_of
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import KEY_FILE, ensure_token_keys
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.recorder import open_pool
from adapters.randomness import SystemRandomness
from adapters.socket_bots.company import Company, Newcomer
from adapters.socket_bots.tables import (
    BotTables,
    GuestPasses,
    Order,
    OwnPasses,
    Passes,
    Played,
    SiteRefused,
)


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "bots",
        epilog="Examples: `gongzhu bots --tables 4`, `gongzhu bots --url http://127.0.0.1:8080 --join MATCH --seats 2`",
    )(bots)


def bots(
    context: typer.Context,
    url: Annotated[str, typer.Option("--url", help="The site to play at.")] = "http://127.0.0.1:8080",
    tables: Annotated[int, typer.Option("--tables", "-n", min=1, help="Tables at a time.")] = 1,
    pace: Annotated[float, typer.Option("--pace", min=0, help="Seconds before each card.")] = 1.0,
    matches: Annotated[int, typer.Option("--matches", min=1, help="Matches a table.")] = 1,
    hands: Annotated[
        int, typer.Option("--hands", min=1, max=256, help="Hands a match, where they are agreed (zero_sum).")
    ] = 4,
    ruleset: RulesetOption = "zero_sum-1",
    join: Annotated[
        UUID | None,
        typer.Option(
            "--join", metavar="MATCH", help="Sit down at free seats of this match, that others opened."
        ),
    ] = None,
    seats: Annotated[int, typer.Option("--seats", min=1, max=4, help="At how many of them, at most.")] = 3,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="GONGZHU_TOKEN",
            help="A service token to open matches of bots with. Without it, and without the site's keys in the data "
            "folder, the bots play as guests.",
        ),
    ] = None,
) -> None:
    """Let bots play whole matches at a site, over its WebSockets: at tables of their own, or beside others."""
    data = settings_of(context).data
    if token is None:
        _tell_of_own_keys(context, url)
    if join is not None:
        told = asyncio.run(_join(url.rstrip("/"), join, seats, pace, data, token))
        out.print(told)
        return
    order = Order(ruleset=ruleset_of(ruleset).name, hands=hands, matches=matches, pace_s=pace)
    played = asyncio.run(_play(url.rstrip("/"), tables, order, data, token))
    out.print(f"{played.matches} matches played: {played.plays} plays, {played.refusals} refused")


async def _play(url: str, tables: int, order: Order, data: Path, token: str | None) -> Played:
    limits = httpx.Limits(max_connections=32)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        return await BotTables(url, client, _passes(client, data, token), order).play(tables)


async def _join(url: str, match: UUID, seats: int, pace_s: float, data: Path, token: str | None) -> str:
    """Plays free seats of a match to its end, and tells what was played."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        passes = _passes(client, data, token)
        newcomers = [Newcomer(await passes.player(), f"bot {number}") for number in range(1, seats + 1)]
        bots = await Company(url, client, pace_s).sit_down(match, newcomers)
        if not bots:
            raise SiteRefused(
                f"no seat of match {match} is free, or it has begun; `gongzhu bots` opens its own"
            )
        note(
            f"bots sit at {', '.join(f'seat {seat}' for seat in bots)} and play to the match's end; Ctrl-C stops"
        )
        await asyncio.gather(*(bot.play() for bot in bots.values()))
    plays, refused = (sum(getattr(bot, what) for bot in bots.values()) for what in ("plays", "refusals"))
    return f"the match has ended: {plays} plays, {refused} refused"


def _tell_of_own_keys(context: typer.Context, url: str) -> None:
    """Tells the operators' audit trail that bots get tokens signed with the site's keys, where those are here."""
    if not (settings_of(context).data / KEY_FILE).exists():
        return
    with servers_for(context, "bots") as (_, servers), open_pool(servers.database_url) as pool:
        now = SystemClock().now()
        Trail(pool).add(now, whoever_asks(), "issued tokens for bots", url.rstrip("/"))


def _passes(client: httpx.AsyncClient, data: Path, token: str | None) -> Passes:
    """Where the tokens come from: the site's own keys, if they are here, else its door for guests."""
    if token is not None or not (data / KEY_FILE).exists():
        return GuestPasses(client, token)
    randomness = SystemRandomness()
    return OwnPasses(Bearers(ensure_token_keys(data, randomness), SystemClock()), randomness)
