"""`simulate matches`: simulated players at real tables, so that the whole path can be tried with cheats among them."""

import asyncio
from typing import Annotated

import typer

from adapters.bot_matches import Order
from adapters.bots import BOT_NAMES, bot_id
from adapters.command_line.arguments import RulesetOption, ruleset_of
from adapters.command_line.console import note, out, progress
from adapters.command_line.sessions import servers_for
from adapters.command_line.tables_of_bots import play_bots
from adapters.composition import system_ports
from replays.investigation.simulation.at_tables import kinds_at


def matches(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="honest, or the kind of player to plant: see `simulate play`."),
    ],
    ruleset: RulesetOption = "zero_sum-1",
    number: Annotated[int, typer.Option("--matches", "-n", min=1, help="How many matches to play.")] = 1,
    hands: Annotated[
        int, typer.Option("--hands", min=1, max=256, help="Hands a match, where they are agreed (zero_sum).")
    ] = 16,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of deals and players; marked as seeded.")] = 1,
) -> None:
    """Let simulated players play real matches into the log, to be investigated like any others."""
    kinds = kinds_at(kind)
    order = Order(ruleset=ruleset_of(ruleset), matches=number, seed=seed, hands=hands, simulated=kind)
    with servers_for(context, "simulate matches") as (settings, servers), progress() as bars:
        played = asyncio.run(play_bots(settings, servers, system_ports(), [order], bars))
    tally = played.tally
    out.print(f"{tally.matches} matches played: {tally.hands} hands, {tally.events} events")
    for place, name in enumerate(kinds):
        out.print(f"  {BOT_NAMES[bot_id(place + 1)]} is {name}")
    note("next: `gongzhu investigate screen --origin seeded`")
