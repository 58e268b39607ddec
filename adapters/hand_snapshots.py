"""Snapshots at each hand's end: a convenience that saves reading, kept beside the commands that go on (design §3)."""

import asyncio
import logging
from collections.abc import Sequence

from eventsourcing.persistence import PersistenceError

from adapters.event_store import MatchLog
from domain.events import Event, HandEnded
from domain.match import Match

_log = logging.getLogger(__name__)


class HandSnapshots:
    """Keeps the state of matches in play whenever a hand has ended."""

    def __init__(self, log: MatchLog) -> None:
        self._log = log
        self._keeping: set[asyncio.Task[None]] = set()

    def keep_after(self, events: Sequence[Event], match: Match) -> None:
        """Keeps the match after these events, if they end a hand and the match goes on."""
        if match.ended or not any(isinstance(event, HandEnded) for event in events):
            return
        task = asyncio.create_task(asyncio.to_thread(self._keep, match))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def settle_down(self) -> None:
        """Waits for snapshots under way."""
        await asyncio.gather(*self._keeping)

    def _keep(self, match: Match) -> None:
        try:
            self._log.keep_snapshot(match)
        except PersistenceError:
            # The match is rebuilt from its events without it.
            _log.exception("no snapshot of match %s", match.id)
