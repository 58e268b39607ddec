"""The timekeeper: acts for a match when its time has come and nobody else has (design §3, clocks).

What is due, and when, says `domain.duties`; this module waits for it on the injected clock and gives the command. A
command is meant for one version of the match: if anything was recorded before it, by a player or by another service,
it is dropped, so exactly one of a play and the autopilot's stands in the log.
"""

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Final
from uuid import UUID

import psycopg
from eventsourcing.persistence import PersistenceError

from adapters.clock import Alarm
from adapters.errors import AdapterError
from adapters.group_commit import LogBusy, LogUnavailable
from adapters.live.tables import LiveTable
from adapters.match_service import Guard, MatchService, Overtaken
from adapters.randomness import Randomness
from domain.autopilot import choose_declarations, choose_play
from domain.commands import (
    AbandonMatch,
    CloseDeclarations,
    Command,
    DealHand,
    DeclareCard,
    HandOverSeat,
    LeaveSeat,
    PlayCards,
    SayDone,
)
from domain.decisions.dealing import missing_nonces
from domain.declarations import OPENING_BYTES
from domain.duties import Duty, duty_of
from domain.errors import GongzhuError
from domain.match import Match
from domain.rulesets import Level
from domain.seats import Seat
from domain.secret import Secret
from domain.visibility import view

_AT_ONCE: Final = timedelta(0)
_RETRY: Final = timedelta(seconds=1)
_REFUSED_RETRY: Final = timedelta(seconds=30)

_log = logging.getLogger(__name__)


class Timekeeper:
    """Acts for the matches of one process. `since`: when the service started, or found the log again."""

    def __init__(self, service: MatchService, alarm: Alarm, randomness: Randomness) -> None:
        self._service = service
        self._alarm = alarm
        self._randomness = randomness
        self.since = alarm.now()
        self._due: list[tuple[datetime, int, UUID]] = []
        self._waiting: dict[UUID, tuple[int, LiveTable]] = {}
        self._numbers = count()
        self._woken = asyncio.Event()
        self._acting: dict[UUID, asyncio.Task[None]] = {}

    def deadline_of(self, table: LiveTable) -> datetime | None:
        """When the service acts for this table if nobody does; None where it does not."""
        duty = self._duty(table)
        return None if duty is None else duty.at

    def schedule(self, table: LiveTable) -> None:
        """Waits for the table's next duty, in place of what it waited for before."""
        duty = self._duty(table)
        if duty is None:
            self._waiting.pop(table.match.id, None)
        elif table.match.id not in self._acting:
            self._wait(table, duty.at)

    async def run(self) -> None:
        """Acts whenever something is due, until cancelled."""
        try:
            while True:
                self._woken.clear()
                for table in self._now_due():
                    self._act_soon(table)
                await self._alarm.wait_until(self._due[0][0] if self._due else None, self._woken)
        finally:
            for task in self._acting.values():
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*self._acting.values(), return_exceptions=True)

    async def settle_down(self) -> None:
        """Waits until nothing that was due is still being done."""
        while self._acting:
            await asyncio.gather(*self._acting.values(), return_exceptions=True)

    def _duty(self, table: LiveTable) -> Duty | None:
        return duty_of(table.match, self.since, table.missed) if table.tended else None

    def _wait(self, table: LiveTable, at: datetime) -> None:
        number = next(self._numbers)
        self._waiting[table.match.id] = (number, table)
        heapq.heappush(self._due, (at, number, table.match.id))
        self._woken.set()

    def _now_due(self) -> Iterator[LiveTable]:
        now = self._alarm.now()
        while self._due:
            at, number, match = self._due[0]
            waiting = self._waiting.get(match)
            if waiting is not None and waiting[0] == number:
                if at > now:
                    return
                del self._waiting[match]
                heapq.heappop(self._due)
                yield waiting[1]
            else:
                heapq.heappop(self._due)

    def _act_soon(self, table: LiveTable) -> None:
        match = table.match.id
        self._acting[match] = asyncio.create_task(self._act(table), name=f"act for {match}")

    async def _act(self, table: LiveTable) -> None:
        """Does what is due and waits for what is due next; what cannot be done now is tried again later."""
        again = await self._try(table)
        del self._acting[table.match.id]
        duty = self._duty(table)
        if duty is not None:
            self._wait(table, max(duty.at, self._alarm.now() + again))

    async def _try(self, table: LiveTable) -> timedelta:
        """Does what is due, if anything is; how long to wait before anything else is tried."""
        match, duty = table.match, self._duty(table)
        try:
            if duty is not None and duty.at <= self._alarm.now():
                await self._do(match, duty)
        except Overtaken:
            return _AT_ONCE
        except LogBusy:
            return _RETRY
        except LogUnavailable:
            self.since = self._alarm.now()
            return _RETRY
        except (GongzhuError, AdapterError, PersistenceError, psycopg.Error):
            # One match that cannot go on (its key is not here, say) must not stop the others.
            _log.exception("nothing could be done for match %s", match.id)
            return _REFUSED_RETRY
        return _AT_ONCE

    async def _do(self, match: Match, duty: Duty) -> None:
        version = match.version
        for command in self._commands(match, duty):
            version = (await self._service.handle(match.id, command, guard=_only_at(version))).state.version

    def _commands(self, match: Match, duty: Duty) -> Iterator[Command]:
        seat = duty.seat if duty.seat is not None else 0
        if duty.task == "close_offer":
            yield AbandonMatch(cause="nobody came", by="service")
        elif duty.task == "unseat":
            yield from (LeaveSeat(seat=late, cause="nonce not revealed") for late in missing_nonces(match))
        elif duty.task == "declare":
            yield from self._declarations(match, seat)
        elif duty.task == "close_declarations":
            yield CloseDeclarations()
        elif duty.task == "play":
            yield PlayCards(seat=seat, cards=choose_play(view(match, seat)), by="autopilot")
        elif duty.task == "deal":
            yield DealHand()
        elif duty.task == "break_off":
            yield AbandonMatch(cause="all seats are away", by="service")
        elif match.opened.abandonment == "abandon":
            yield AbandonMatch(cause=f"seat {seat} is away", by="service")
        else:
            yield HandOverSeat(seat=seat, cause="away")

    def _declarations(self, match: Match, seat: Seat) -> Iterator[Command]:
        for card, level in choose_declarations(view(match, seat)):
            yield DeclareCard(seat=seat, card=card, level=level, opening=self._opening(level))
        yield SayDone(seat=seat)

    def _opening(self, level: Level) -> Secret[bytes] | None:
        return Secret(self._randomness.bytes(OPENING_BYTES)) if level == "hidden" else None


def _only_at(version: int) -> Guard:
    """Refuses a command where the match is not at this version."""

    def check(match: Match) -> None:
        if match.version != version:
            raise Overtaken(version=match.version)

    return check
