"""A live service: a match service with its tables, and with what moves them."""

import msgspec

from adapters.clock import Clock
from adapters.event_store import MatchLog
from adapters.live.tables import LiveTables
from adapters.live.timekeeper import Timekeeper
from adapters.match_service import MatchService
from adapters.randomness import Randomness


class LiveService(msgspec.Struct, frozen=True):
    """The parts of one process's live service, running while `composition.live_service` lasts."""

    service: MatchService
    log: MatchLog
    tables: LiveTables
    timekeeper: Timekeeper
    clock: Clock
    randomness: Randomness
