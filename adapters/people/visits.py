"""Connections under way: what becomes of them is written as connection records, by and by, beside everything else.

A socket is a visit; so is what a client asks of one match over HTTP, until it has been silent for a while. A long visit
is written in parts, so that a service that is killed loses the last minutes of it and no more.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from adapters.clock import Alarm, Clock
from adapters.people.connections import MOST_COMMANDS, CommandSent, Connection, Via

SILENCE: Final = timedelta(minutes=1)
"""After so long without a command over HTTP a visit has ended."""
PART: Final = timedelta(minutes=5)
"""What is not yet written of a visit is never older than this, and a sweep."""
SWEEP: Final = timedelta(minutes=1)
MOST_AT_ONCE: Final = 16
"""How many visits over HTTP of one player are told apart at a time."""
SEVERAL: Final = UUID(int=0)
"""Stands for the match where a player asks from so many places, or of so many matches, that they are kept as one."""

Keep = Callable[[UUID, Connection], None]
"""Keeps a record of a player; must not raise, nor wait."""


class Visitor(msgspec.Struct, frozen=True):
    """Who is there, of which match, and from where, as digests."""

    player: UUID
    match: UUID
    address: str
    device: str


class Visit:
    """One connection under way. `after`: the number a socket came back with."""

    def __init__(self, visitor: Visitor, via: Via, now: datetime, after: int | None = None) -> None:
        self.visitor = visitor
        self.last_at = now
        self._via: Via = via
        self._opened_at = now
        self._after = after
        self._commands: list[CommandSent] = []
        self._since = now
        self._part = 0

    def note(self, sent: CommandSent) -> None:
        """One more command."""
        self.last_at = sent.at
        self._commands.append(sent)

    def is_to_be_written(self, now: datetime) -> bool:
        """Whether something is not written that should be by now."""
        if len(self._commands) >= MOST_COMMANDS:
            return True
        return (bool(self._commands) or self._part == 0) and now - self._since >= PART

    def written(self, now: datetime, closed_at: datetime | None = None) -> Connection:
        """The part since the one before, as a record."""
        self._part += 1
        self._since = now
        commands, self._commands = tuple(self._commands), []
        return Connection(
            match=self.visitor.match,
            via=self._via,
            opened_at=self._opened_at,
            closed_at=closed_at,
            address=self.visitor.address,
            device=self.visitor.device,
            after=self._after,
            commands=commands,
            part=self._part,
        )


class Visits:
    """The visits of one process."""

    def __init__(self, clock: Clock, keep: Keep) -> None:
        self._clock = clock
        self._keep = keep
        self._sockets: set[Visit] = set()
        self._asking: dict[Visitor, Visit] = {}
        self._at_once: Counter[UUID] = Counter()

    def open(self, visitor: Visitor, after: int | None) -> Visit:
        """A socket that has just been opened."""
        visit = Visit(visitor, "socket", self._clock.now(), after)
        self._sockets.add(visit)
        return visit

    def close(self, visit: Visit) -> None:
        """A socket that has just been closed."""
        self._sockets.discard(visit)
        now = self._clock.now()
        self._keep(visit.visitor.player, visit.written(now, now))

    def ask(self, visitor: Visitor, do: str, sent_ms: int | None) -> None:
        """A command over HTTP."""
        now, visitor = self._clock.now(), self._told_apart(visitor)
        if (visit := self._asking.get(visitor)) is None:
            visit = self._asking[visitor] = Visit(visitor, "http", now)
            self._at_once[visitor.player] += 1
        visit.note(CommandSent(now, sent_ms, do))
        if visit.is_to_be_written(now):
            self._keep(visitor.player, visit.written(now))

    def note(self, visit: Visit, do: str, sent_ms: int | None) -> None:
        """A command over a socket."""
        now = self._clock.now()
        visit.note(CommandSent(now, sent_ms, do))
        if visit.is_to_be_written(now):
            self._keep(visit.visitor.player, visit.written(now))

    def sweep(self) -> None:
        """Writes what is due: the end of visits that fell silent, and parts of long ones."""
        now = self._clock.now()
        for visitor, visit in list(self._asking.items()):
            if now - visit.last_at >= SILENCE:
                self._end(visitor)
        for visit in self._all():
            if visit.is_to_be_written(now):
                self._keep(visit.visitor.player, visit.written(now))

    def end_all(self) -> None:
        """Writes the end of every visit over HTTP, as when the service stops. Sockets are closed by who holds them."""
        for visitor in list(self._asking):
            self._end(visitor)

    async def sweep_regularly(self, alarm: Alarm) -> None:
        """Sweeps every minute, until cancelled."""
        while True:
            await alarm.wait_until(alarm.now() + SWEEP, asyncio.Event())
            self.sweep()

    def _told_apart(self, visitor: Visitor) -> Visitor:
        """The visitor, or who stands for all of a player's beyond the first few."""
        if visitor in self._asking:
            return visitor
        if self._at_once[visitor.player] < MOST_AT_ONCE:
            return visitor
        return Visitor(visitor.player, SEVERAL, "", "")

    def _end(self, visitor: Visitor) -> None:
        visit = self._asking.pop(visitor)
        self._at_once[visitor.player] -= 1
        if not self._at_once[visitor.player]:
            del self._at_once[visitor.player]
        self._keep(visitor.player, visit.written(self._clock.now(), visit.last_at))

    def _all(self) -> Iterator[Visit]:
        yield from self._sockets
        yield from self._asking.values()
