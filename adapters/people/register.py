"""Everything that is known of people, in one place: to look up, to export, and to erase."""

from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.keys import KeyRing
from adapters.people.connections import Connection, ConnectionRecords, KnownConnection, with_gaps
from adapters.people.names import Names
from adapters.people.player_keys import PlayerKeys
from adapters.people.reports import Report, Reports
from adapters.people.trail import Trail, TrailEntry
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from adapters.randomness import Randomness

# Who is about to write something of the player waits, and then finds him erased.
_LOCK: Final[LiteralString] = """
LOCK TABLE people.names, people.player_keys, people.connections, people.reports IN SHARE ROW EXCLUSIVE MODE
"""
_REMEMBER: Final[LiteralString] = (
    "INSERT INTO people.erased (player, at) VALUES (%s, %s) ON CONFLICT (player) DO NOTHING"
)
_ERASE: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM people.names WHERE player = %s",
    "DELETE FROM people.player_keys WHERE player = %s",
    "DELETE FROM people.connections WHERE player = %s",
    # That a hand was reported stays, for the case; what the player wrote may name people, and goes.
    "UPDATE people.reports SET reason = '' WHERE player = %s",
)
# Rewrites the tables, so that no deleted row stays in them.
_REWRITE: Final[LiteralString] = (
    "VACUUM (FULL) people.names, people.player_keys, people.connections, people.reports"
)
_SAT_AT: Final[LiteralString] = """
SELECT DISTINCT match FROM log.events WHERE tag LIKE 'PlayerSeated.%%'
  AND position(convert_to(%s::text, 'UTF8') IN body) > 0 ORDER BY match
"""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """All that is kept of a player. In the log of his `matches` he is a random id.

    `accesses`: who looked at his records or changed them, newest first, by the operators' audit trail.
    """

    player: UUID
    name: str | None
    reports: tuple[Report, ...]
    connections: tuple[Connection, ...]
    matches: tuple[UUID, ...]
    accesses: tuple[TrailEntry, ...]


class Register:
    """The people of one database."""

    def __init__(self, pool: Pool, keys: KeyRing, randomness: Randomness) -> None:
        self._pool = pool
        self.names = Names(pool)
        self.connections = ConnectionRecords(pool, PlayerKeys(pool, keys, randomness))
        self.reports = Reports(pool)
        self.trail = Trail(pool)

    def connections_of(self, player: UUID, *, by: str, at: datetime, case: str = "") -> list[KnownConnection]:
        """A player's connection records, opened for an investigator; written to the trail first.

        Raises `TrailUnwritten`, `Unreadable`.
        """
        self.trail.add(at, by, "read the connection records of a player", player, case)
        return list(with_gaps(self.connections.of(player)))

    def clients_of_all(self, *, by: str, at: datetime, case: str = "") -> dict[UUID, frozenset[str]]:
        """The digests of addresses and devices of everyone with connection records; written to the trail first.

        Raises `TrailUnwritten`, `Unreadable`.
        """
        self.trail.add(at, by, "compared the clients of players", "all", case)
        return self.connections.clients()

    def export(self, player: UUID, *, by: str, at: datetime) -> Known:
        """All that is kept of a player; written to the trail first. Raises `TrailUnwritten`."""
        self.trail.add(at, by, "exported what is known of a player", player)
        with translated_errors(), self._pool.connection() as connection:
            matches = tuple(match for (match,) in connection.execute(_SAT_AT, [player]).fetchall())
        return Known(
            player=player,
            name=self.names.of([player]).get(player),
            reports=tuple(self.reports.of(player)),
            connections=tuple(self.connections.of(player)),
            matches=matches,
            accesses=tuple(self.trail.last(1_000, about=str(player))),
        )

    def erase(self, player: UUID, *, by: str, at: datetime) -> list[int]:
        """Erases all that is kept of a player, for good, and rewrites the tables it was in; written to the trail first.

        The log, the stream and the read models know the random id alone and stay as they are. Gives the numbers of
        others' reports of matches he sat at: their words, which no program can search for what else he was called.
        Erasing again (after a backup was put back, say) does no harm. Raises `TrailUnwritten`.
        """
        self.trail.add(at, by, "erased a player", player)
        name = self.names.of([player]).get(player)
        if name is not None:
            self.reports.leave_out(player, name)
        with translated_errors(), self._pool.connection() as connection:
            with connection.transaction():
                connection.execute(_LOCK)
                connection.execute(_REMEMBER, [player, at])
                for statement in _ERASE:
                    connection.execute(statement, [player])
            connection.execute(_REWRITE)
        return self.reports.by_others(player)

    def report(
        self, match: UUID, hand_no: int, player: UUID, reason: str, *, at: datetime, players: list[UUID]
    ) -> Report:
        """Keeps a player's report of a hand. Whoever of `players` is named in it stands there by his id."""
        return self.reports.add(match, hand_no, player, reason, at, self.names.of(players))
