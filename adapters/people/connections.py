"""When players were connected, from where (as digests), and when their client says it sent each command.

For investigators only. Each record is sealed under its player's key and kept for a while; what is older is deleted.
Addresses and devices are never kept, only keyed digests of them, which say whether two are the same.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Final, LiteralString
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError

from adapters.clock import Alarm
from adapters.people.player_keys import PlayerKeys
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

RETENTION: Final = timedelta(days=90)
MOST_COMMANDS: Final = 2_000
_STEP: Final = 1_024
_A_DAY: Final = timedelta(days=1)

_log = logging.getLogger(__name__)

_ADD: Final[LiteralString] = "INSERT INTO people.connections (player, at, sealed) VALUES (%s, %s, %s)"
_OF: Final[LiteralString] = "SELECT sealed FROM people.connections WHERE player = %s ORDER BY at"
_PRUNE: Final[LiteralString] = "DELETE FROM people.connections WHERE at < %s"


class CommandSent(msgspec.Struct, frozen=True, array_like=True):
    """A command: when it came, and when the client says it sent it (milliseconds of its own clock, or None)."""

    at: datetime
    sent_ms: int | None
    do: str


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """One socket of a player. `after`: the number he came back with. Digests are in hex."""

    match: UUID
    opened_at: datetime
    closed_at: datetime
    address: str
    device: str
    after: int | None
    commands: tuple[CommandSent, ...]


class ConnectionRecords:
    """The connection records of one database."""

    def __init__(self, pool: Pool, keys: PlayerKeys) -> None:
        self._pool = pool
        self._keys = keys

    def digest(self, value: str) -> str:
        """What is kept of an address or a device, in hex."""
        return self._keys.digest(value).hex()

    def add(self, player: UUID, connection: Connection) -> None:
        """Keeps a record, padded so that its size tells little."""
        text = msgspec.json.encode(connection)
        sealed = self._keys.seal(player, text.ljust(-(-len(text) // _STEP) * _STEP))
        with translated_errors(), self._pool.connection() as connected:
            connected.execute(_ADD, [player, connection.opened_at, sealed])

    def of(self, player: UUID) -> list[Connection]:
        """The records of a player, oldest first. Raises `Unreadable`. Whoever asks writes it to the trail."""
        with translated_errors(), self._pool.connection() as connected:
            rows = connected.execute(_OF, [player]).fetchall()
        return [msgspec.json.decode(self._keys.open(player, bytes(row[0])), type=Connection) for row in rows]

    async def prune_daily(self, alarm: Alarm) -> None:
        """Deletes what has become too old, now and once a day, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.prune, alarm.now())
            except PersistenceError:
                _log.exception("old connection records were not deleted; tried again in a day")
            await alarm.wait_until(alarm.now() + _A_DAY, asyncio.Event())

    def prune(self, now: datetime, keep: timedelta = RETENTION) -> int:
        """Deletes what is older than that; how many."""
        with translated_errors(), self._pool.connection() as connected:
            return connected.execute(_PRUNE, [now - keep]).rowcount
