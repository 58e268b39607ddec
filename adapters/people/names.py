"""What players are called: an ordinary table, joined when read, and erasable."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from adapters.bots import BOT_NAMES
from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

LONGEST_NAME: Final = 40
_SET: Final[LiteralString] = """
INSERT INTO people.names (player, name, changed_at) VALUES (%s, %s, %s)
ON CONFLICT (player) DO UPDATE SET name = excluded.name, changed_at = excluded.changed_at
"""
_GET: Final[LiteralString] = "SELECT player, name FROM people.names WHERE player = ANY(%s)"


class NameRefused(AdapterError):
    """The text cannot be a name."""


class Names:
    """The names of players in one database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def of(self, players: Iterable[UUID]) -> dict[UUID, str]:
        """The names of those players who have one; bots have theirs."""
        asked = set(players)
        with translated_errors(), self._pool.connection() as connection:
            found = dict(connection.execute(_GET, [list(asked)]).fetchall())
        return {player: name for player, name in BOT_NAMES.items() if player in asked} | found

    def rename(self, player: UUID, name: str, at: datetime) -> str:
        """Calls a player so from now on; gives the name as it is kept. Raises `NameRefused`."""
        kept = checked_name(name)
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_SET, [player, kept, at])
        return kept


def checked_name(text: str) -> str:
    """The text as a name: composed, single spaces, 1 to 40 characters that can be seen. Raises `NameRefused`."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise NameRefused(f"a name has 1 to {LONGEST_NAME} characters")
    # Letters, marks, numbers, punctuation, symbols and the space; no controls, formats or unassigned ones.
    if any(unicodedata.category(character)[0] == "C" for character in name):
        raise NameRefused("a name has no invisible characters")
    return name
