"""Bots at the table of a match service: four seats that, unless told otherwise, see their own view and nothing else."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from adapters.identifiers import new_match_id
from adapters.match_service import Accepted, MatchService
from adapters.randomness import Randomness
from domain.autopilot import choose_declarations, choose_play
from domain.cards import name_of
from domain.commands import Command, DealHand, DeclareCard, OpenMatch, PlayCards, SayDone, TakeSeat
from domain.dealing import ROOT_BYTES
from domain.declarations import OPENING_BYTES
from domain.errors import DealUnavailable
from domain.events import Clocks, Event, Origin
from domain.match import Match
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, Seat
from domain.secret import Secret
from domain.visibility import view
from replays.recorded_hands import uuid_of

BOT_CLOCKS: Final = Clocks(pause_s=0)
BOT_COUNT: Final = 12

OnAccepted = Callable[[Accepted], Awaitable[None] | None]


def bot_id(number: int) -> UUID:
    """The player id of a bot, the same everywhere: version 8, from a digest of its number."""
    return uuid_of(hashlib.sha256(b"gongzhu/bot/1/%d" % number).digest())


BOT_NAMES: Final[dict[UUID, str]] = {bot_id(number): f"bot {number}" for number in range(1, BOT_COUNT + 1)}
"""What the bots are called where players are shown."""


class Minds(Protocol):
    """How the four seats of a table declare and play."""

    def hear(self, match: Match, events: Sequence[Event]) -> None:
        """Takes in what happened, which led to this match."""

    def declarations(self, match: Match, seat: Seat) -> Sequence[tuple[str, Level]]:
        """What a seat wants to have declared in this hand, as card and level."""

    def play(self, match: Match, seat: Seat) -> tuple[str, ...]:
        """The play of the seat whose turn it is."""


class PlainMinds:
    """The autopilot at every seat: each sees its own view and nothing else."""

    def hear(self, match: Match, events: Sequence[Event]) -> None:
        """Remembers nothing."""

    def declarations(self, match: Match, seat: Seat) -> Sequence[tuple[str, Level]]:
        """What a seat wants to have declared in this hand, as card and level."""
        return choose_declarations(view(match, seat))

    def play(self, match: Match, seat: Seat) -> tuple[str, ...]:
        """The play of the seat whose turn it is."""
        return choose_play(view(match, seat))


class BotTable:
    """Plays one match with four bots, through the commands every client gives.

    `pace_s` is the pause before each play; `on_accepted` hears of every command after its reply; `minds` play.
    """

    def __init__(
        self,
        service: MatchService,
        randomness: Randomness,
        *,
        pace_s: float = 0.0,
        on_accepted: OnAccepted | None = None,
        minds: Minds | None = None,
    ) -> None:
        self._service = service
        self._randomness = randomness
        self._minds = minds or PlainMinds()
        self._pace_s = pace_s
        self._on_accepted = on_accepted

    async def open(
        self,
        match: UUID,
        ruleset: Ruleset,
        root: bytes,
        players: tuple[UUID, ...],
        origin: Origin,
        hands: int | None,
    ) -> None:
        """Opens a match on these terms and seats its four bots."""
        command = OpenMatch(
            match=match,
            ruleset=ruleset,
            hands_agreed=hands,
            clocks=BOT_CLOCKS,
            origin=origin,
            root=Secret(root),
        )
        await self._ask(match, command)
        for seat in SEATS:
            await self._ask(match, TakeSeat(seat=seat, player=players[seat]))

    async def play(self, match_id: UUID) -> None:
        """Plays a match to its end from wherever it stands."""
        match = await self._service.match(match_id)
        while not match.ended:
            match = await self._step(match)

    async def _step(self, match: Match) -> Match:
        """The match after one more thing has been done at the table."""
        if match.phase == "seating":
            return await self._sit_down(match)
        if match.phase == "between_hands":
            return await self._ask(match.id, DealHand())
        if match.hand is not None and match.hand.holdings is None:
            raise DealUnavailable
        if match.phase == "declaring" and match.hand is not None:
            seat = match.hand.done.index(False)
            return await self._declare(match, seat)
        return await self._play_cards(match)

    async def _sit_down(self, match: Match) -> Match:
        """Fills the next empty seat of a match whose opening was interrupted."""
        seat = match.players.index(None)
        free = next(bot for bot in BOT_NAMES if bot not in match.players)
        return await self._ask(match.id, TakeSeat(seat=seat, player=free))

    async def _declare(self, match: Match, seat: Seat) -> Match:
        """One more declaration of this seat if it wants one, else its `done`."""
        assert match.hand is not None, "a match that declares has a hand"
        decks = match.ruleset.decks
        declared = {name_of(of.card, decks) for of in match.hand.declarations if of.card is not None}
        for card, level in self._minds.declarations(match, seat):
            if card not in declared:
                return await self._ask(match.id, self._declaration(seat, card, level))
        return await self._ask(match.id, SayDone(seat=seat))

    def _declaration(self, seat: Seat, card: str, level: Level) -> Command:
        opening = Secret(self._randomness.bytes(OPENING_BYTES)) if level == "hidden" else None
        return DeclareCard(seat=seat, card=card, level=level, opening=opening)

    async def _play_cards(self, match: Match) -> Match:
        if self._pace_s:
            await asyncio.sleep(self._pace_s)
        assert match.hand is not None, "a match in play has a hand"
        assert match.hand.turn is not None, "a hand in play has a turn"
        seat = match.hand.turn
        return await self._ask(match.id, PlayCards(seat=seat, cards=self._minds.play(match, seat)))

    async def _ask(self, match: UUID, command: Command) -> Match:
        accepted = await self._service.handle(match, command)
        self._minds.hear(accepted.state, accepted.events)
        if self._on_accepted is not None:
            heard = self._on_accepted(accepted)
            if heard is not None:
                await heard
        return accepted.state


def new_match(at: datetime, randomness: Randomness) -> tuple[UUID, bytes]:
    """A new match's id and chain root."""
    return new_match_id(at, randomness), randomness.bytes(ROOT_BYTES)


def seated_bots(number: int) -> tuple[UUID, ...]:
    """The four bots of the `number`-th table: the same bots meet in changing company."""
    bots = list(BOT_NAMES)
    step = 1 + number // len(bots) % 3
    return tuple(bots[(number + seat * step) % len(bots)] for seat in SEATS)
