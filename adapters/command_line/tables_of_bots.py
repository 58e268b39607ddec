"""Playing bot matches from the command line: progress, acknowledgements, and the feed kept going beside them."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from rich.progress import Progress

from adapters.bot_matches import BotMatches, Order, Tally
from adapters.command_line.acks import AckFile
from adapters.command_line.console import note
from adapters.command_line.feeding import feeding
from adapters.composition import Ports, match_service
from adapters.embedded import Servers
from adapters.match_service import Accepted
from adapters.postgres.claims import MatchClaims
from adapters.postgres.match_rows import known_matches
from adapters.postgres.recorder import open_pool
from adapters.settings import Settings


class Played:
    """What a run of bots did."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.finished_before = 0
        self.new = 0


async def play_bots(
    settings: Settings,
    servers: Servers,
    ports: Ports,
    orders: Sequence[Order],
    bars: Progress,
    *,
    pace_s: float = 0.0,
    acks: Path | None = None,
) -> Played:
    """Finishes unfinished bot matches, plays the orders, and waits until the read models have caught up."""
    played = Played()
    wanted = sum(order.matches for order in orders)
    bar = bars.add_task("playing matches", total=wanted)
    ack_file = AckFile(acks) if acks is not None else None

    def count(accepted: Accepted) -> None:
        if ack_file is not None:
            ack_file.write(accepted)
        played.tally.count(accepted)
        bars.update(
            bar,
            completed=played.tally.matches,
            total=max(wanted + played.finished_before, played.tally.matches),
        )

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(feeding(settings, servers, bars))
        service = await stack.enter_async_context(match_service(servers.database_url, settings.data, ports))
        claims = await stack.enter_async_context(MatchClaims(servers.database_url))
        bots = BotMatches(service, claims, ports, pace_s=pace_s, on_accepted=count)
        with open_pool(servers.database_url) as pool:
            matches = list(known_matches(pool))
        played.finished_before = await bots.finish(matches)
        for match in bots.sealed:
            note(
                f"match {match} cannot go on: its key is not here; bring the key file back, or abandon the match"
            )
        played.new = await bots.play(orders)
    return played
