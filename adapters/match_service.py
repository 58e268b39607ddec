"""The match service: takes commands, decides, appends, answers after the commit (design P4, §3, §4).

It alone holds the keys of live hands. One command of a match is decided at a time, on the state after the last
commit; what other processes have appended since is read before a command is refused, and when the log says that the
match has moved on. A command that comes again under its id gets its first result. Whoever listens hears of every event
that this service comes to know, its own commits and others', in the order of the match.
"""

import asyncio
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias
from uuid import UUID

import msgspec

from adapters.clock import Clock
from adapters.event_store import MatchLog
from adapters.first_results import FirstResults
from adapters.group_commit import GroupCommit
from adapters.hand_snapshots import HandSnapshots
from adapters.keys import KeyRing
from adapters.postgres.appending import NO_SEAT, Append, CommandKey, NewRow
from adapters.sealing import Sealer
from adapters.serialization import encode_body, tag_of
from domain.commands import Command, OpenMatch
from domain.decisions import decide_and_evolve
from domain.decisions.dealing import chain_deal
from domain.decisions.story import Dealer
from domain.errors import CommandRefused
from domain.events import Event
from domain.match import Match, fold

_MOST_LIVE: Final = 10_000
_MOST_ATTEMPTS: Final = 20


class TooContended(CommandRefused):
    """Others keep changing the match faster than this command can be decided."""

    text = "match {match} keeps changing under this command; ask again"


Guard: TypeAlias = Callable[[Match], None]
"""Looks at the match a command is about to be decided on; raises a `CommandRefused` where it must not be."""
OnEvents: TypeAlias = Callable[[UUID, Sequence[Event]], None]
"""Hears of events of a match that are committed, in order; some of them more than once."""


class Overtaken(CommandRefused):
    """The match is no longer where the command was meant for."""

    text = "the match has moved on to version {version}; this command was meant for what was before"


class Accepted(msgspec.Struct, frozen=True):
    """An accepted command: the events it led to, in order, and the match after them (as it now stands, if repeated)."""

    match: UUID
    events: tuple[Event, ...]
    state: Match
    repeated: bool = False

    @property
    def last_version(self) -> int:
        """The version of the match after it."""
        return self.events[-1].version


class MatchService:
    """Handles commands on the matches of one log."""

    def __init__(
        self,
        log: MatchLog,
        commits: GroupCommit,
        keys: KeyRing,
        sealer: Sealer,
        clock: Clock,
        dealer: Dealer = chain_deal,
    ) -> None:
        self._log = log
        self._commits = commits
        self._results = FirstResults(log, keys)
        self._sealer = sealer
        self._clock = clock
        self._dealer = dealer
        self._live: OrderedDict[UUID, Match] = OrderedDict()
        self._turns: weakref.WeakValueDictionary[UUID, asyncio.Lock] = weakref.WeakValueDictionary()
        self._snapshots = HandSnapshots(log)
        self._listeners: list[OnEvents] = []

    def listen(self, listener: OnEvents) -> None:
        """Lets someone hear of every event that this service comes to know. He must not raise."""
        self._listeners.append(listener)

    async def handle(
        self,
        match_id: UUID,
        command: Command,
        *,
        seat: int = NO_SEAT,
        command_id: UUID | None = None,
        guard: Guard | None = None,
    ) -> Accepted:
        """Decides and appends one command. `seat` and `command_id` make it repeatable.

        `guard` sees each state the command is decided on, and may refuse it.
        Raises a `CommandRefused` where the rules or the protocol do not admit it, `LogBusy` or `LogUnavailable` where
        the log cannot take it now; after the last, the same command under the same id finds out what became of it.
        """
        turn = self._turns.setdefault(match_id, asyncio.Lock())
        async with turn:
            return await self._handle_in_turn(match_id, command, seat, command_id, guard)

    async def match(self, match_id: UUID) -> Match:
        """The match as this service knows it, read from the log where it does not. Raises `MatchNotOpen`."""
        found = self._live.get(match_id)
        if found is None:
            found = await asyncio.to_thread(self._log.match, match_id)
            self._remember(found)
        return self._live.get(match_id, found)

    async def fresh(self, match_id: UUID) -> Match:
        """The match with whatever any service has appended until now. Raises `MatchNotOpen`."""
        known = self._live.get(match_id)
        return await (self.match(match_id) if known is None else self._caught_up(known))

    async def match_at(self, match_id: UUID, version: int) -> Match | None:
        """The match as it stood after its `version`-th event; None where it never had so many."""
        events = await self.events(match_id, until=version)
        match = fold(events)
        return match if match is not None and match.version == version else None

    async def events(self, match_id: UUID, *, after: int = 0, until: int | None = None) -> list[Event]:
        """Events of a match from the log, with what is secret in them: not for anyone's eyes as they are."""
        return await asyncio.to_thread(self._log.events_of, match_id, after=after, until=until)

    def learn(self, match: Match, events: Sequence[Event]) -> None:
        """Takes in events that another service has appended, and the match after them."""
        self._remember(match)
        self._tell(match.id, events)

    def learn_of_new(self, events: Sequence[Event]) -> None:
        """Takes in the first events of a match that another service has opened."""
        self._tell(events[0].match, events)

    async def add_match(self, events: Sequence[Event]) -> bool:
        """Stores a whole match; False where the log holds one of this id."""
        outcome = await self._commits.append(Append(self._rows(events)))
        if outcome.result == "stored":
            self._tell(events[0].match, events)
        return outcome.result == "stored"

    async def settle_down(self) -> None:
        """Waits for snapshots under way."""
        await self._snapshots.settle_down()

    async def _handle_in_turn(
        self, match_id: UUID, command: Command, seat: int, command_id: UUID | None, guard: Guard | None
    ) -> Accepted:
        match = None if isinstance(command, OpenMatch) else await self.match(match_id)
        key = self._results.key(match_id, command, seat, command_id)
        for _ in range(_MOST_ATTEMPTS):
            try:
                if guard is not None and match is not None:
                    guard(match)
                decision = decide_and_evolve(match, command, self._clock.now(), self._dealer)
            except CommandRefused:
                if first := await self._first(key, command):
                    return first
                newer = await self._newer(match)
                if newer is None:
                    raise
                match = newer
                continue
            outcome = await self._commits.append(Append(self._rows(decision.events), key))
            if outcome.result == "stored":
                self._remember(decision.match)
                self._tell(match_id, decision.events)
                self._snapshots.keep_after(decision.events, decision.match)
                return Accepted(match_id, decision.events, decision.match)
            if outcome.result == "repeated" and (first := await self._first(key, command)):
                return first
            match = await self._after_conflict(match_id)
        raise TooContended(match=match_id)

    def _rows(self, events: Sequence[Event]) -> list[NewRow]:
        return [
            NewRow(event.match, event.version, tag_of(event), encode_body(event, self._sealer))
            for event in events
        ]

    async def _newer(self, match: Match | None) -> Match | None:
        """The match with what others have appended, None where nobody has."""
        if match is None:
            return None
        newer = await self._caught_up(match)
        return None if newer.version == match.version else newer

    async def _after_conflict(self, match_id: UUID) -> Match:
        known = self._live.pop(match_id, None)
        return await (self.match(match_id) if known is None else self._caught_up(known))

    async def _caught_up(self, match: Match) -> Match:
        """The match with the events that follow in the log."""
        events = await self.events(match.id, after=match.version)
        newer = fold(events, match) or match
        self._remember(newer)
        if events:
            self._tell(match.id, events)
        return newer

    def _tell(self, match_id: UUID, events: Sequence[Event]) -> None:
        for listener in self._listeners:
            listener(match_id, events)

    def _remember(self, match: Match) -> None:
        known = self._live.get(match.id)
        if known is not None and known.version > match.version:
            return
        if match.ended:
            self._live.pop(match.id, None)
            return
        self._live[match.id] = match
        self._live.move_to_end(match.id)
        if len(self._live) > _MOST_LIVE:
            self._live.popitem(last=False)

    async def _first(self, key: CommandKey | None, command: Command) -> Accepted | None:
        """What this command was accepted with before, if it came before. Raises `CommandIdReused`."""
        if key is None:
            return None
        events = await self._results.find(key, command)
        if events is None:
            return None
        return Accepted(key.match, events, await self.match(key.match), repeated=True)
