"""Live tables: the matches this process follows, each with those who watch it.

A table is told of the events of its match as soon as they are committed: by the match service for this process's own
commits, by the log for those of others. It makes each viewer's frame from the view before and the view after. Who
reads too slowly loses his subscription, not his place: he comes back with the last number he has.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from adapters.clock import Clock
from adapters.live.frames import Snapshot, change, encoded, public_forms, snapshot
from adapters.live.subscriptions import Ending, Subscription
from adapters.match_service import MatchService
from domain.duties import NONE_MISSED, Missed, missed_after, missed_in
from domain.events import Event, MatchOpened
from domain.match import Match, evolve
from domain.visibility import MatchView, Viewer, view, views

_FARTHEST_BACK: Final = 2_000
"""Who is more versions behind than this is sent a snapshot."""

DeadlineOf = Callable[["LiveTable"], datetime | None]


class LiveTable:
    """A match as this process knows it now, and its subscriptions. `missed`: turns in a row that each seat let pass."""

    def __init__(
        self, match: Match, clock: Clock, deadline_of: DeadlineOf, missed: Missed = NONE_MISSED
    ) -> None:
        self.match = match
        self.missed = missed
        self._clock = clock
        self._deadline_of = deadline_of
        self._subscriptions: set[Subscription] = set()
        self._views: dict[Viewer, MatchView] = {}

    @property
    def watched(self) -> bool:
        """Whether anyone is subscribed."""
        return bool(self._subscriptions)

    @property
    def tended(self) -> bool:
        """Whether the service acts for this match: it was opened by someone, and has not ended."""
        return self.match.opened.opened_by is not None and not self.match.ended

    def subscribe(self, viewer: Viewer, player: UUID | None) -> Subscription:
        """Frames for a viewer from the present version on."""
        subscription = Subscription(viewer, player)
        self._subscriptions.add(subscription)
        self._views.setdefault(viewer, view(self.match, viewer))
        return subscription

    def unsubscribe(self, subscription: Subscription, why: Ending = "viewer left") -> None:
        """Ends a subscription."""
        subscription.end(why)
        self._subscriptions.discard(subscription)
        if all(other.viewer != subscription.viewer for other in self._subscriptions):
            self._views.pop(subscription.viewer, None)

    def end(self) -> None:
        """Ends every subscription."""
        for subscription in list(self._subscriptions):
            self.unsubscribe(subscription, "service stops")

    def snapshot(self, viewer: Viewer) -> Snapshot:
        """The whole view of a viewer."""
        return snapshot(self.match, viewer, self._clock.now(), self._deadline_of(self))

    def change_since(self, past: Match, events: Sequence[Event], viewer: Viewer, present: Match) -> bytes:
        """The change from a past state to `present`, between which these events lie."""
        before, after = view(past, viewer), view(present, viewer)
        return encoded(
            change(before, after, public_forms(events), self._clock.now(), self._deadline_of(self))
        )

    def advance(self, events: Sequence[Event]) -> bool:
        """Takes in events and sends everyone his frame; False where some before them are missing."""
        fresh = [event for event in events if event.version > self.match.version]
        if not fresh:
            return True
        if fresh[0].version != self.match.version + 1:
            return False
        for event in fresh:
            self.missed = missed_after(self.missed, self.match, event)
            self.match = evolve(self.match, event)
        self._send(fresh)
        return True

    def _send(self, events: Sequence[Event]) -> None:
        self._unseat()
        if not self._subscriptions:
            return
        now, deadline, forms = self._clock.now(), self._deadline_of(self), public_forms(events)
        before, self._views = self._views, views(self.match, self._views)
        frames = {
            viewer: encoded(change(before[viewer], after, forms, now, deadline))
            for viewer, after in self._views.items()
        }
        for subscription in self._subscriptions:
            subscription.put(frames[subscription.viewer])

    def _unseat(self) -> None:
        """Ends the subscriptions of seats whose player has left: what comes now is for somebody else."""
        for subscription in list(self._subscriptions):
            viewer = subscription.viewer
            if isinstance(viewer, int) and self.match.players[viewer] != subscription.player:
                self.unsubscribe(subscription, "seat left")


class LiveTables:
    """The live tables of this process, by match. `on_change` hears of every table that is new or has moved on."""

    def __init__(self, service: MatchService, clock: Clock, deadline_of: DeadlineOf) -> None:
        self._service = service
        self._clock = clock
        self._deadline_of = deadline_of
        self._tables: dict[UUID, LiveTable] = {}
        self._catching_up: set[asyncio.Task[None]] = set()
        self.on_change: Callable[[LiveTable], None] = lambda _table: None
        service.listen(self._hear)

    def known(self, match: UUID) -> LiveTable | None:
        """The table of a match, if this process follows it."""
        return self._tables.get(match)

    def snapshot_of(self, match: Match, viewer: Viewer) -> Snapshot:
        """A snapshot of a match, whether or not this process follows it."""
        return LiveTable(match, self._clock, self._deadline_of).snapshot(viewer)

    def tended(self) -> list[LiveTable]:
        """The tables that the service acts for, newest first."""
        return [table for table in reversed(self._tables.values()) if table.tended]

    async def follow(self, match: UUID) -> LiveTable:
        """The table of a match with all that is committed by now. Raises `MatchNotOpen`."""
        if match in self._tables:
            await self._catch_up(match)
        else:
            known = await self._service.match(match)
            self._add(known, await self._missed_until(known))
            # What came between that reading and now has been told to no table yet.
            await self._catch_up(match)
        table = self._tables.get(match)
        return table if table is not None else await self.follow(match)

    def leave(self, table: LiveTable) -> None:
        """Forgets a table that nobody watches and nobody has to act for."""
        if not table.watched and not table.tended:
            self._tables.pop(table.match.id, None)

    async def subscribe(
        self, table: LiveTable, viewer: Viewer, player: UUID | None, after: int | None
    ) -> tuple[Subscription, bytes]:
        """A subscription and its first frame: a snapshot, or the change since the number `after`."""
        subscription = table.subscribe(viewer, player)
        try:
            return subscription, await self._first_frame(table, viewer, after)
        except BaseException:
            table.unsubscribe(subscription)
            raise

    async def _first_frame(self, table: LiveTable, viewer: Viewer, after: int | None) -> bytes:
        """What a viewer is sent first. Made from the state at this moment: what comes later has frames of its own."""
        present, first = table.match, encoded(table.snapshot(viewer))
        if after is not None and 0 < after <= present.version and present.version - after < _FARTHEST_BACK:
            past = await self._service.match_at(present.id, after)
            events = await self._service.events(present.id, after=after, until=present.version)
            if past is not None:
                first = table.change_since(past, events, viewer, present)
        return first

    async def stop(self) -> None:
        """Ends every subscription of every table."""
        for table in self._tables.values():
            table.end()
        await asyncio.gather(*self._catching_up, return_exceptions=True)

    async def _missed_until(self, match: Match) -> Missed:
        """The turns missed in a row, from the log: a service that starts again counts on."""
        if match.ended or match.opened.opened_by is None or match.hand is None:
            return NONE_MISSED
        return missed_in(await self._service.events(match.id, until=match.version))

    def _add(self, match: Match, missed: Missed = NONE_MISSED) -> LiveTable:
        if match.id not in self._tables:
            self._tables[match.id] = LiveTable(match, self._clock, self._deadline_of, missed)
            self.on_change(self._tables[match.id])
        return self._tables[match.id]

    def _hear(self, match: UUID, events: Sequence[Event]) -> None:
        table = self._tables.get(match)
        if table is None:
            self._hear_of_new(events)
            return
        version = table.match.version
        if not table.advance(events):
            self.catch_up_later(match)
        elif table.match.version != version:
            self.on_change(table)
            self.leave(table)

    def _hear_of_new(self, events: Sequence[Event]) -> None:
        first = events[0]
        if isinstance(first, MatchOpened) and first.opened_by is not None:
            table = self._add(evolve(None, first))
            table.advance(events[1:])
            self.on_change(table)
            self.leave(table)

    def catch_up_later(self, match: UUID) -> None:
        """Reads what this table lacks from the log."""
        task = asyncio.create_task(self._catch_up(match))
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)

    async def _catch_up(self, match: UUID) -> None:
        table = self._tables.get(match)
        if table is None:
            return
        events = await self._service.events(match, after=table.match.version)
        if events:
            self._hear(match, events)
