"""Everything that viewers of a live match can obtain over HTTP and sockets while a world unfolds (design P2).

It unfolds on a stage: a live service and its application, without a network. Who may know what differs gives his
commands directly, everyone else as a client does. At its end the match is abandoned, which discloses what differed.
"""

from contextvars import ContextVar
from datetime import timedelta
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from litestar import Litestar

from adapters.http.site import Site
from adapters.postgres.appending import NO_SEAT
from domain.commands import Command, DealHand, DeclareCard, OpenMatch, PlayCards, SayDone, TakeSeat
from domain.decisions import decide_and_evolve
from domain.events import DealSecret, Event
from domain.match import Match
from tests.support.asgi import Headers, request
from tests.support.courses import World
from tests.support.in_clear import masked
from tests.support.live import OPENER, ManualClock, calm
from tests.support.read_models_built import ReadModelsKept
from tests.support.reading_paths import reading_paths
from tests.support.viewers import Viewers
from tests.support.worlds import Pair

_CAUGHT_UP: Final = 0.3
"""How often the read models are brought up to date before the last look."""
_FROM_THE_START: Final = 0.3
"""How often viewers are there from the start."""
_FEW: Final = 12


class Seen(NamedTuple):
    """What was sent until the match was abandoned, and what that disclosed."""

    before: list[str]
    disclosed: str


class Stage:
    """A live service on which worlds unfold one after another. Use `stages.staged`."""

    site: Site
    routes: Litestar
    app: Any
    models: ReadModelsKept

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.log_lines: list[str] = []
        self._world: World | None = None
        self._passes: dict[tuple[str, UUID | None], Headers] = {}

    def deal(self, match: Match) -> DealSecret | None:
        """Deals the cards of the world that unfolds."""
        assert self._world is not None
        return self._world.dealer()(match)

    def passes(self, role: Any, player: UUID | None) -> Headers:
        """The headers of someone of a role."""
        key = (role, player)
        if key not in self._passes:
            token = self.site.bearers.issue(role, player, timedelta(days=10_000))
            self._passes[key] = {"authorization": f"Bearer {token}"}
        return self._passes[key]

    async def observe(self, pair: Pair, world: World, *, thorough: bool = False) -> Seen:
        """What those who may not know are sent while a world unfolds, and what is disclosed afterwards."""
        STAGE.set(self)
        self._world = world
        self.log_lines.clear()
        chance = Random(pair.match.int)
        viewers = Viewers(self.app, self.passes, pair, reading_paths(self.routes, pair))
        late = _comes_late(pair, chance, thorough=thorough)
        await self._unfold_unseen(viewers, world, late)
        for number, command in enumerate(world.commands[late:], late):
            self.clock.move(1)
            match = await self._do(viewers, pair, number, command)
            viewers.lines.append(f"waits for {await self._waited_for()}")
            await viewers.see(match)
            await viewers.after(match)
        match = await self.site.live.service.match(pair.match)
        if thorough or chance.random() < _CAUGHT_UP:
            self.models.catch_up()
        await viewers.look(None if thorough else 8)
        await viewers.attempt(match, None if thorough else 4)
        await self._time_goes_on(viewers, pair, chance)
        await viewers.leave()
        await self.site.settle_down()
        sent = [masked(line) for line in (*viewers.sent, *sorted(self.log_lines))]
        return Seen(sent, await self._abandon(pair.match))

    async def _unfold_unseen(self, viewers: Viewers, world: World, until: int) -> None:
        """The first commands of a world, before anyone looks, stored at once."""
        match: Match | None = None
        events: list[Event] = []
        for command in world.commands[:until]:
            self.clock.move(5 if isinstance(command, DealHand) else 1)
            decision = decide_and_evolve(match, _opened_by_someone(command), self.clock.now(), world.dealer())
            match, events = decision.match, [*events, *decision.events]
        if match is not None:
            await self.site.live.service.add_match(events)
            await viewers.see(match)

    async def _do(self, viewers: Viewers, pair: Pair, number: int, command: Command) -> Match:
        """One command: by whoever is looked at over the application, by anyone else directly."""
        live, seat = self.site.live, getattr(command, "seat", NO_SEAT)
        if isinstance(command, DealHand):
            self.clock.move(5)
            await self._waited_for()
        elif isinstance(command, OpenMatch):
            await live.service.handle(pair.match, _opened_by_someone(command))
        elif seat in pair.concerned or (isinstance(command, DeclareCard) and command.level == "hidden"):
            await live.service.handle(pair.match, command, seat=seat, command_id=UUID(int=number))
        elif isinstance(command, TakeSeat):
            await viewers.take(seat)
        else:
            await viewers.command(seat, *_as_message(command))
        return await live.service.match(pair.match)

    async def _waited_for(self) -> list[str]:
        """When the service means to act next, once it has done what was due."""
        return [str(at) for at in await calm(self.site.live)]

    async def _time_goes_on(self, viewers: Viewers, pair: Pair, chance: Random) -> None:
        """What the service does by itself for seats that are looked at: handed over, or late; and nothing before."""
        self.clock.move(0.5)
        viewers.lines.append(f"waits for {await self._waited_for()}")
        for _ in range(chance.randrange(1, 6)):
            match = await self.site.live.service.match(pair.match)
            seat = _to_be_acted_for(match, pair)
            if seat is None:
                break
            if not match.autopilot[seat] and (chance.random() < 0.5 or match.phase == "declaring"):
                # Its turn may have begun more than the autopilot's delay ago.
                await viewers.command(seat, "hand-over", {})
            else:
                self.clock.move(1 if match.autopilot[seat] else 20)
            viewers.lines.append(f"waits for {await self._waited_for()}")
            await viewers.see(await self.site.live.service.match(pair.match))

    async def _abandon(self, match: UUID) -> str:
        """Ends the match, which discloses its deal and declarations; nobody looks any more."""
        answer = await request(
            self.app, "POST", f"/matches/{match}/abandon", self.passes("operator", None), {}
        )
        assert self.site.live.tables.known(match) is None, answer
        return answer.text


def _opened_by_someone(command: Command) -> Command:
    """The command; a match that is opened by nobody is opened by somebody, so that the service tends it."""
    return msgspec.structs.replace(command, opened_by=OPENER) if isinstance(command, OpenMatch) else command


def _comes_late(pair: Pair, chance: Random, *, thorough: bool) -> int:
    """After how many commands viewers come: at once, in the middle, or when the last hand is dealt."""
    commands = pair.first.commands
    deals = [number for number, command in enumerate(commands, 1) if isinstance(command, DealHand)]
    if deals:
        return deals[-1] - 1
    if thorough or chance.random() < _FROM_THE_START or len(commands) < _FEW:
        return 0
    return chance.randrange(5, len(commands) - 4)


def _as_message(command: Command) -> tuple[str, dict[str, Any]]:
    """A command as a client gives it."""
    match command:
        case DeclareCard(card=card, level=level):
            return "declare", {"card": card, "level": level}
        case PlayCards(cards=cards):
            return "play", {"cards": cards}
        case SayDone():
            return "done", {}
    raise AssertionError(f"nobody gives {command} over a socket")


def _to_be_acted_for(match: Match, pair: Pair) -> int | None:
    """A seat for which the service may act without disclosing anything: its own cards are the same in both worlds."""
    hand = match.hand
    if hand is None:
        return None
    if match.phase == "declaring":
        waiting = [seat for seat in range(4) if not hand.done[seat]]
        free = [seat for seat in waiting if seat not in pair.concerned]
        return free[0] if free and len(waiting) > 1 else None
    left = match.ruleset.hand_size - hand.cards_spent
    return hand.turn if hand.turn not in pair.concerned and left > 2 else None


STAGE: Final[ContextVar[Stage | None]] = ContextVar("stage", default=None)
"""Set in every task that a stage's work is done in."""


def stage_at_work() -> Stage:
    """The stage whose work runs now, whatever task does it."""
    stage = STAGE.get()
    assert stage is not None, "no stage is at work"
    return stage
