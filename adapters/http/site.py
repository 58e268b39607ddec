"""What the API works with: the live service, identity, and limits."""

import asyncio
import logging
from typing import Protocol
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError

from adapters.clock import Clock
from adapters.errors import AdapterError
from adapters.http.limits import Limits
from adapters.http.review_desk import ReviewDesk
from adapters.identity.bearers import Bearers
from adapters.live.service import LiveService
from adapters.people.connections import Connection
from adapters.people.register import Register
from adapters.people.visits import Visits
from adapters.randomness import Randomness
from adapters.timelines import Timelines
from domain.seats import Seat

_log = logging.getLogger(__name__)


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What the service offers and bears.

    `guests`: whether anyone may become a player. Requests a second and their burst count for each token, or address
    where there is none; sizes are in bytes; `most_clock_s` bounds every clock of a match.
    `most_tables` are in play at once, `most_offers` of one player's wait for company.
    """

    guests: bool = True
    guest_hours: int = 24 * 30
    requests_a_second: float = 20
    burst: int = 60
    most_addresses: int = 10_000
    body_bytes: int = 16_384
    message_bytes: int = 4_096
    most_clock_s: int = 3_600
    most_tables: int = 10_000
    most_offers: int = 10
    most_sockets: int = 20_000


class Bots(Protocol):
    """Bots that a site keeps. They are clients of its public API like any other, and see their own seat's view."""

    @property
    def free(self) -> int:
        """How many more can sit down now."""
        ...

    async def fill(self, match: UUID, most: int) -> tuple[Seat, ...]:
        """Sits bots down at up to so many free seats of a match, to play to its end; gives the seats."""
        ...


class Site:
    """One process's API. `bots`: those it keeps, if any; they come once it is served, being its clients.

    `reasoning`: held by the one answer at a time that takes much thought, so that live tables keep their share.
    """

    def __init__(self, live: LiveService, bearers: Bearers, people: Register, terms: Terms) -> None:
        self.live = live
        self.people = people
        self.bearers = bearers
        self.terms = terms
        self.limits = Limits(self.clock, terms.requests_a_second, terms.burst, terms.most_addresses)
        self.sockets = 0
        self.bots: Bots | None = None
        self.visits = Visits(self.clock, self._keep_later)
        self.timelines = Timelines(live.log.pool)
        self.reasoning = asyncio.Semaphore()
        self.reviews = ReviewDesk(live.log.pool)
        self._keeping: set[asyncio.Task[None]] = set()

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.live.clock

    @property
    def randomness(self) -> Randomness:
        """The randomness."""
        return self.live.randomness

    async def settle_down(self) -> None:
        """Waits until what is known of connections by now is kept; reviews that are not made are given up."""
        await self.reviews.close()
        self.visits.end_all()
        await asyncio.gather(*self._keeping)

    def _keep_later(self, player: UUID, connection: Connection) -> None:
        """Keeps a connection record beside whatever else goes on; one that cannot be kept is logged and let go."""
        task = asyncio.create_task(self._keep(player, connection))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep(self, player: UUID, connection: Connection) -> None:
        try:
            await asyncio.to_thread(self.people.connections.add, player, connection)
        except (PersistenceError, AdapterError):
            _log.exception("a connection record was not kept")
