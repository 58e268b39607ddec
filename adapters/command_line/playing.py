"""`play` and `abandon`."""

import asyncio
from typing import Annotated

import typer

from adapters.bot_matches import Order
from adapters.command_line.arguments import AcksOption, MatchArgument, RulesetOption, match_meant, ruleset_of
from adapters.command_line.console import out, progress
from adapters.command_line.feeding import catch_up
from adapters.command_line.lasting_words import refuse_names
from adapters.command_line.sessions import servers_for
from adapters.command_line.tables_of_bots import play_bots
from adapters.composition import match_service, system_ports
from adapters.embedded import Servers
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.match_rows import known_matches
from adapters.postgres.recorder import open_pool
from adapters.settings import Settings
from domain.commands import AbandonMatch


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("play", epilog="Example: `gongzhu play --ruleset blood-2 --matches 5`")(play)
    app.command("abandon", epilog="Example: `gongzhu abandon 019abc --cause 'the table broke up'`")(abandon)


def play(
    context: typer.Context,
    ruleset: RulesetOption = "zero_sum-1",
    matches: Annotated[int, typer.Option("--matches", "-n", min=0, help="How many new matches to play.")] = 1,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Draw the chain roots from this seed (predictable; marked as seeded)."),
    ] = None,
    hands: Annotated[
        int, typer.Option("--hands", min=1, max=256, help="Hands a match, where they are agreed (zero_sum).")
    ] = 4,
    pace: Annotated[float, typer.Option("--pace", min=0, help="Seconds before each card.")] = 0.0,
    acks: AcksOption = None,
) -> None:
    """Let four bots play matches to their end; unfinished bot matches are finished first."""
    order = Order(ruleset=ruleset_of(ruleset), matches=matches, seed=seed, hands=hands)
    with servers_for(context, "play") as (settings, servers), progress() as bars:
        played = asyncio.run(
            play_bots(settings, servers, system_ports(), [order], bars, pace_s=pace, acks=acks)
        )
    tally = played.tally
    before = f", {played.finished_before} of them left over from before" if played.finished_before else ""
    out.print(f"{tally.matches} matches played{before}: {tally.hands} hands, {tally.events} events")
    out.print("next: `gongzhu leaderboard --origin all`, `gongzhu matches`")


def abandon(
    context: typer.Context,
    match: MatchArgument,
    cause: Annotated[
        str, typer.Option("--cause", help="Why; it stands in the log for ever. Name players by seat or id.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who abandons it.")] = "operator",
) -> None:
    """End a match without a settlement; the hand in progress is void and becomes public."""
    with servers_for(context, "abandon") as (settings, servers):
        asyncio.run(_abandon(settings, servers, match, AbandonMatch(cause=cause, by=by)))


async def _abandon(settings: Settings, servers: Servers, text: str, command: AbandonMatch) -> None:
    ports = system_ports()
    with open_pool(servers.database_url) as pool:
        match = match_meant(text, [known.id for known in known_matches(pool)])
        refuse_names(pool, match, command.cause, command.by)
        told = Trail(pool).telling(ports.clock.now(), whoever_asks(command.by), "abandoned a match", match)
        async with match_service(servers.database_url, settings.data, ports) as service:
            with told:
                accepted = await service.handle(match, command)
    out.print(f"match {match} is abandoned (version {accepted.last_version})")
    with progress() as bars:
        await catch_up(settings, servers, bars)
