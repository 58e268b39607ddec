"""Whole matches of four bots: those that a former run left unfinished, and new ones."""

import asyncio
from collections.abc import Iterable
from uuid import UUID

import msgspec

from adapters.bots import BotTable, Minds, OnAccepted, bot_id, new_match, seated_bots
from adapters.composition import Ports
from adapters.match_service import Accepted, MatchService
from adapters.postgres.claims import MatchClaims
from adapters.postgres.match_rows import KnownMatch
from adapters.randomness import Randomness, SeededRandomness
from domain.errors import DealUnavailable
from domain.events import Origin
from domain.rulesets import Ruleset
from replays.investigation.simulation.at_tables import seated_players

AT_ONCE = 16
"""How many tables one process plays at the same time."""

PLAYED_BY_BOTS = ("bots", "seeded")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Matches to be played: how many, by which ruleset, from a seed or not, of how many hands (zero_sum).

    `simulated`: the kind of simulated player to plant, `honest` for none; without it the autopilot plays.
    """

    ruleset: Ruleset
    matches: int
    seed: int | None = None
    hands: int = 4
    simulated: str | None = None

    def table(self, number: int) -> tuple[tuple[UUID, ...], Minds | None]:
        """Who sits at the table of this number, by seat, and how they play."""
        if self.simulated is None:
            return seated_bots(number), None
        places, players = seated_players(self.simulated, self.seed or 0, number)
        return tuple(bot_id(place + 1) for place in places), players

    @property
    def origin(self) -> Origin:
        """Matches of a seed are predictable and say so."""
        return "bots" if self.seed is None else "seeded"

    def randomness(self, otherwise: Randomness) -> Randomness:
        """Where the chain roots of these matches come from."""
        return otherwise if self.seed is None else SeededRandomness(f"{self.seed}/{self.ruleset.name}")


class BotMatches:
    """Plays matches of bots, several at a time. `on_accepted` hears of every command after its reply.

    `sealed` lists the matches whose live hand this process has no key for.
    """

    def __init__(
        self,
        service: MatchService,
        claims: MatchClaims,
        ports: Ports,
        *,
        pace_s: float = 0.0,
        on_accepted: OnAccepted | None = None,
    ) -> None:
        self._service = service
        self._claims = claims
        self._ports = ports
        self._pace_s, self._on_accepted = pace_s, on_accepted
        self._places = asyncio.Semaphore(AT_ONCE)
        self.sealed: list[UUID] = []

    def _table(self, minds: Minds | None = None) -> BotTable:
        return BotTable(
            self._service,
            self._ports.randomness,
            pace_s=self._pace_s,
            on_accepted=self._on_accepted,
            minds=minds,
        )

    async def finish(self, matches: Iterable[KnownMatch]) -> int:
        """Plays the unfinished bot matches among these to their end; how many. Those of other processes stay theirs."""
        left = [match for match in matches if not match.ended and match.opened.origin in PLAYED_BY_BOTS]
        async with asyncio.TaskGroup() as tasks:
            done = [tasks.create_task(self._finish(match.id)) for match in left]
        return sum(task.result() for task in done)

    async def play(self, orders: Iterable[Order]) -> int:
        """Plays new matches to their end; how many."""
        async with asyncio.TaskGroup() as tasks:
            done = [
                tasks.create_task(self._play(order, number, *new_match(self._ports.clock.now(), roots)))
                for order in orders
                for roots in [order.randomness(self._ports.randomness)]
                for number in range(order.matches)
            ]
        return len(done)

    async def _finish(self, match: UUID) -> bool:
        async with self._places:
            if not await self._claims.claim(match):
                return False
            try:
                await self._table().play(match)
            except DealUnavailable:
                # Sealed by a key that is not here; whoever lost it may abandon the match.
                self.sealed.append(match)
                return False
            finally:
                await self._claims.release(match)
            return True

    async def _play(self, order: Order, number: int, match: UUID, root: bytes) -> None:
        async with self._places:
            await self._claims.claim(match)
            hands = None if order.ruleset.by_blood else order.hands
            players, minds = order.table(number)
            table = self._table(minds)
            await table.open(match, order.ruleset, root, players, order.origin, hands)
            await table.play(match)
            await self._claims.release(match)


class Tally:
    """Counts what was accepted: commands, events, hands and matches ended."""

    def __init__(self) -> None:
        self.commands = 0
        self.events = 0
        self.hands = 0
        self.matches = 0

    def count(self, accepted: Accepted) -> None:
        """Counts one accepted command."""
        self.commands += 1
        self.events += len(accepted.events)
        names = [type(event).__name__ for event in accepted.events]
        self.hands += names.count("HandEnded")
        self.matches += names.count("MatchSettled")
