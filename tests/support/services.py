"""Match services for tests, on real databases, with injected time and randomness, and tables that play themselves."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from adapters.composition import Ports, match_service
from adapters.match_service import Accepted, MatchService
from adapters.randomness import SeededRandomness
from domain.cards import cards_in, names_of
from domain.commands import Command, DealHand, OpenMatch, PlayCards, SayDone, TakeSeat
from domain.decisions.playing import legal_plays
from domain.match import Match
from domain.rulesets import RULESETS
from domain.secret import Secret

START = datetime(2026, 1, 1, tzinfo=UTC)


class TickingClock:
    """A clock that moves one millisecond each time it is read."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """The next millisecond."""
        self._now += timedelta(milliseconds=1)
        return self._now


def ports(seed: int | str = 1) -> Ports:
    """A ticking clock and seeded randomness."""
    return Ports(TickingClock(), SeededRandomness(seed))


@asynccontextmanager
async def service_on(database_url: str, folder: Path, seed: int | str = 1) -> AsyncIterator[MatchService]:
    """A match service with its keys in `folder`."""
    async with match_service(database_url, folder, ports(seed)) as service:
        yield service


def match_id(number: int) -> UUID:
    """The id of a test's match."""
    return UUID(int=number << 8 | 0x7 << 76 | 0x2 << 62)


def opening(
    match: UUID, ruleset: str = "zero_sum-1", hands: int | None = 2, root: bytes = b"r" * 64
) -> OpenMatch:
    """Opens a match of bots."""
    rules = RULESETS[ruleset]
    return OpenMatch(
        match=match,
        ruleset=rules,
        hands_agreed=None if rules.by_blood else hands,
        origin="bots",
        root=Secret(root),
    )


async def seated(service: MatchService, match: UUID, ruleset: str = "zero_sum-1", hands: int = 2) -> Match:
    """A match that is open and dealt."""
    await service.handle(match, opening(match, ruleset, hands))
    accepted: Accepted | None = None
    for seat in range(4):
        accepted = await service.handle(match, TakeSeat(seat=seat, player=UUID(int=match.int + seat + 1)))
    assert accepted is not None
    return accepted.state


def next_command(match: Match, chance: random.Random) -> Command:
    """Something legal that can be done next in a dealt match: done, deal, or a random play."""
    if match.phase == "between_hands":
        return DealHand()
    assert match.hand is not None
    if match.phase == "declaring":
        return SayDone(seat=match.hand.done.index(False))
    assert match.hand.turn is not None
    play = chance.choice(legal_plays(match.ruleset, match.hand, match.hand.turn))
    return PlayCards(seat=match.hand.turn, cards=names_of(cards_in(play), match.ruleset.decks))


async def play_on(
    service: MatchService,
    match: Match,
    chance: random.Random,
    until: Callable[[Match], bool] = lambda match: match.ended,
) -> Match:
    """The match after legal commands until a condition holds."""
    while not until(match):
        match = (await service.handle(match.id, next_command(match, chance))).state
    return match
