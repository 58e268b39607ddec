"""Everything that is known of people, in one place: to look up, to export, and to erase."""

from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.keys import KeyRing
from adapters.people.connections import Connection, ConnectionRecords
from adapters.people.names import Names
from adapters.people.player_keys import PlayerKeys
from adapters.people.reports import Report, Reports
from adapters.people.trail import Trail
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from adapters.randomness import Randomness

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


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """All that is kept of a player beside the log, where he is a random id."""

    player: UUID
    name: str | None
    reports: tuple[Report, ...]
    connections: tuple[Connection, ...]


class Register:
    """The people of one database."""

    def __init__(self, pool: Pool, keys: KeyRing, randomness: Randomness) -> None:
        self._pool = pool
        self.names = Names(pool)
        self.connections = ConnectionRecords(pool, PlayerKeys(pool, keys, randomness))
        self.reports = Reports(pool)
        self.trail = Trail(pool)

    def export(self, player: UUID, *, by: str, at: datetime) -> Known:
        """All that is kept of a player; written to the trail first."""
        self.trail.add(at, by, "exported what is known of a player", player)
        return Known(
            player=player,
            name=self.names.of([player]).get(player),
            reports=tuple(self.reports.of(player)),
            connections=tuple(self.connections.of(player)),
        )

    def erase(self, player: UUID, *, by: str, at: datetime) -> None:
        """Erases all that is kept of a player, and rewrites the tables it was in; written to the trail.

        The log, the stream and the read models know the random id alone and stay as they are.
        """
        self.trail.add(at, by, "erased a player", player)
        with translated_errors(), self._pool.connection() as connection:
            with connection.transaction():
                for statement in _ERASE:
                    connection.execute(statement, [player])
            connection.execute(_REWRITE)
