"""When players were connected, from where (as digests), and when their client says it sent each command.

For investigators only (`Register.connections_of`). Each record is sealed under its player's key and kept for a while;
what is older is deleted. Addresses and devices are never kept, only keyed digests of them, which say whether two are
the same. Nothing of this is in the log, the stream, a metric or a log line.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final, Literal, LiteralString
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError

from adapters.clock import Alarm
from adapters.people.names import PlayerErased
from adapters.people.player_keys import PlayerKeys
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

RETENTION: Final = timedelta(days=90)
MOST_COMMANDS: Final = 2_000
"""How many commands one record holds."""
_STEP: Final = 1_024
_A_DAY: Final = timedelta(days=1)

_log = logging.getLogger(__name__)

_ADD: Final[LiteralString] = """
INSERT INTO people.connections (player, at, sealed)
SELECT %(player)s, %(at)s, %(sealed)s WHERE NOT EXISTS (SELECT FROM people.erased WHERE player = %(player)s)
"""
_OF: Final[LiteralString] = "SELECT sealed FROM people.connections WHERE player = %s ORDER BY at"
_WITH_RECORDS: Final[LiteralString] = "SELECT DISTINCT player FROM people.connections ORDER BY player"
_PRUNE: Final[LiteralString] = "DELETE FROM people.connections WHERE at < %s"

Via = Literal["socket", "http"]


class CommandSent(msgspec.Struct, frozen=True, array_like=True):
    """A command: when it came, and when the client says it sent it (milliseconds of its own clock, or None)."""

    at: datetime
    sent_ms: int | None
    do: str


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """One socket of a player, or what his client asked of one match over HTTP without a longer silence.

    `after`: the number that a socket came back with. `closed_at`: None where the service was killed before it closed,
    or it is open still. A long one is written in parts. Digests are in hex.
    """

    match: UUID
    via: Via = "socket"
    opened_at: datetime
    closed_at: datetime | None
    address: str
    device: str
    after: int | None = None
    commands: tuple[CommandSent, ...] = ()
    part: int = 1


class KnownConnection(msgspec.Struct, frozen=True, kw_only=True):
    """A connection as an investigator reads it. `gap_s`: since the player's last one at this match had closed."""

    connection: Connection
    gap_s: float | None


class ConnectionRecords:
    """The connection records of one database."""

    def __init__(self, pool: Pool, keys: PlayerKeys) -> None:
        self._pool = pool
        self._keys = keys

    def digest(self, value: str) -> str:
        """What is kept of an address or a device, in hex."""
        return self._keys.digest(value).hex()

    def add(self, player: UUID, connection: Connection) -> None:
        """Keeps a record, padded so that its size tells little; nothing of a player who was erased."""
        text = msgspec.json.encode(connection)
        try:
            sealed = self._keys.seal(player, text.ljust(-(-len(text) // _STEP) * _STEP))
        except PlayerErased:
            return
        with translated_errors(), self._pool.connection() as connected:
            connected.execute(_ADD, {"player": player, "at": connection.opened_at, "sealed": sealed})

    def of(self, player: UUID) -> list[Connection]:
        """The connections of a player, oldest first. Raises `Unreadable`. Whoever asks writes it to the trail."""
        with translated_errors(), self._pool.connection() as connected:
            rows = connected.execute(_OF, [player]).fetchall()
        return joined(
            msgspec.json.decode(self._keys.open(player, bytes(row[0])), type=Connection) for row in rows
        )

    def clients(self) -> dict[UUID, frozenset[str]]:
        """The digests of every player with records. Raises `Unreadable`. Whoever asks writes it to the trail."""
        with translated_errors(), self._pool.connection() as connected:
            players = connected.execute(_WITH_RECORDS).fetchall()
        return {player: self._clients_of(player) for (player,) in players}

    def _clients_of(self, player: UUID) -> frozenset[str]:
        return frozenset(digest for one in self.of(player) for digest in (one.address, one.device))

    async def prune_daily(self, alarm: Alarm, keep: timedelta = RETENTION) -> None:
        """Deletes what has become too old, now and once a day, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.prune, alarm.now(), keep)
            except PersistenceError:
                _log.exception("old connection records were not deleted; tried again in a day")
            await alarm.wait_until(alarm.now() + _A_DAY, asyncio.Event())

    def prune(self, now: datetime, keep: timedelta = RETENTION) -> int:
        """Deletes what is older than that; how many."""
        with translated_errors(), self._pool.connection() as connected:
            return connected.execute(_PRUNE, [now - keep]).rowcount


def joined(parts: Iterable[Connection]) -> list[Connection]:
    """Whole connections from their parts, oldest first."""
    whole: dict[object, Connection] = {}
    for part in sorted(parts, key=lambda one: (one.opened_at, one.part)):
        key = (part.match, part.via, part.opened_at, part.address, part.device, part.after)
        before = whole.get(key)
        commands = part.commands if before is None else before.commands + part.commands
        whole[key] = msgspec.structs.replace(part, commands=commands)
    return list(whole.values())


def with_gaps(connections: Iterable[Connection]) -> Iterator[KnownConnection]:
    """Each connection with how long its player had been away from the match before it."""
    left: dict[UUID, datetime] = {}
    for one in connections:
        last = left.get(one.match)
        gap_s = None if last is None else max(0.0, (one.opened_at - last).total_seconds())
        yield KnownConnection(connection=one, gap_s=gap_s)
        until = one.closed_at or max((sent.at for sent in one.commands), default=one.opened_at)
        left[one.match] = until if last is None else max(last, until)
