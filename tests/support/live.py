"""Live services on a clock that moves when told, and viewers that keep what they were sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from adapters.composition import Ports, live_service
from adapters.live.frames import applied
from adapters.live.service import LiveService
from adapters.live.subscriptions import Subscription
from adapters.live.tables import LiveTable
from adapters.randomness import SeededRandomness
from domain.commands import OpenMatch
from domain.decisions.dealing import chain_deal
from domain.decisions.story import Dealer
from domain.events import Abandonment, Clocks
from domain.rulesets import RULESETS
from domain.secret import Secret
from domain.visibility import Viewer
from tests.support.services import START

OPENER = UUID(int=500)


class ManualClock:
    """Time stands until it is moved; whoever waits for a time is woken when it has come."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._waiting: list[tuple[datetime | None, asyncio.Event]] = []

    def now(self) -> datetime:
        """The time."""
        return self._now

    def waited_for(self, woken: asyncio.Event) -> list[datetime | None]:
        """The times for which someone waits who can be woken like that; None for one that never comes."""
        return [at for at, known in self._waiting if known is woken]

    def move(self, seconds: float) -> None:
        """Lets time pass."""
        self._now += timedelta(seconds=seconds)
        for at, woken in self._waiting:
            if at is not None and at <= self._now:
                woken.set()

    async def wait_until(self, at: datetime | None, woken: asyncio.Event) -> None:
        """Returns at this time (None: never), or as soon as `woken` is set."""
        if at is not None and at <= self._now:
            await asyncio.sleep(0)
            return
        self._waiting.append((at, woken))
        try:
            await woken.wait()
        finally:
            self._waiting.remove((at, woken))


@asynccontextmanager
async def live_on(
    database_url: str, folder: Path, clock: ManualClock, seed: int | str = 1, dealer: Dealer = chain_deal
) -> AsyncIterator[LiveService]:
    """A live service with its keys in `folder`, on a manual clock."""
    ports = Ports(clock, SeededRandomness(seed), dealer)
    async with live_service(database_url, folder, ports, clock) as live:
        yield live


def served(
    match: UUID,
    ruleset: str = "zero_sum-1",
    hands: int = 2,
    clocks: Clocks | None = None,
    abandonment: Abandonment = "play_on",
) -> OpenMatch:
    """Opens a match of people."""
    rules = RULESETS[ruleset]
    return OpenMatch(
        match=match,
        ruleset=rules,
        hands_agreed=None if rules.by_blood else hands,
        clocks=clocks or Clocks(),
        abandonment=abandonment,
        opened_by=OPENER,
        root=Secret(b"r" * 64),
    )


def player(seat: int) -> UUID:
    """The player of a seat in these tests."""
    return UUID(int=600 + seat)


class Watcher:
    """A viewer as a client keeps it: the view after every frame so far."""

    def __init__(self, live: LiveService, viewer: Viewer) -> None:
        self._live = live
        self.viewer = viewer
        self.player = player(viewer) if isinstance(viewer, int) else None
        self.view: dict[str, Any] = {}
        self.number: int | None = None
        self.deadline: str | None = None
        self.events: list[dict[str, Any]] = []
        self._table: LiveTable | None = None
        self._subscription: Subscription | None = None

    async def come(self, match: UUID, *, resume: bool = True) -> "Watcher":
        """Subscribes, from the last number on where there is one."""
        self._table = await self._live.tables.follow(match)
        after = self.number if resume else None
        self._subscription, first = await self._live.tables.subscribe(
            self._table, self.viewer, self.player, after
        )
        self.take(first)
        return self

    def go(self) -> None:
        """Leaves; what was not read is lost."""
        assert self._table is not None
        assert self._subscription is not None
        self._table.unsubscribe(self._subscription)
        self._subscription = None

    def move_to(self, live: LiveService) -> None:
        """Uses another service from now on."""
        self._live = live

    def take(self, raw: bytes) -> None:
        """Takes in a frame."""
        frame = msgspec.json.decode(raw)
        if frame["frame"] == "snapshot":
            self.view = frame["view"]
        else:
            assert frame["after"] == self.number, "a frame was skipped"
            self.view = applied(self.view, frame["changes"])
            self.events += frame["events"]
        self.number, self.deadline = frame["number"], frame["deadline"]

    async def see(self, number: int) -> dict[str, Any]:
        """The view once it has come to this number."""
        assert self._subscription is not None
        while self.number is None or self.number < number:
            frame = await self._subscription.next()
            assert frame is not None, "the subscription has ended"
            self.take(frame)
        return self.view


async def calm(live: LiveService) -> list[datetime | None]:
    """Waits until everything that was due is done; the times, one, for which the service waits then."""
    keeper, clock = live.timekeeper, live.clock
    assert isinstance(clock, ManualClock)
    while keeper._acting or keeper._woken.is_set() or not clock.waited_for(keeper._woken):
        await asyncio.sleep(0)
        await keeper.settle_down()
    return clock.waited_for(keeper._woken)
