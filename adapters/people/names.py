"""What players are called: an ordinary table, joined when read, and erasable; and texts that must name nobody."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

from adapters.bots import BOT_NAMES
from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

LONGEST_NAME: Final = 40
_SHORTEST_FOUND: Final = 2
"""A name of one character (猪, say) is a word of its own, and no trace of anyone in a text."""
_SET: Final[LiteralString] = """
INSERT INTO people.names (player, name, changed_at)
SELECT %(player)s, %(name)s, %(at)s WHERE NOT EXISTS (SELECT FROM people.erased WHERE player = %(player)s)
ON CONFLICT (player) DO UPDATE SET name = excluded.name, changed_at = excluded.changed_at
"""
_GET: Final[LiteralString] = "SELECT player, name FROM people.names WHERE player = ANY(%s)"


class NameRefused(AdapterError):
    """The text cannot be a name."""


class PlayerErased(AdapterError):
    """Nothing is kept of a player who was erased."""

    def __init__(self) -> None:
        super().__init__("this player was erased: nothing is kept of him again; a new player has a new id")


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
        """Calls a player so from now on; gives the name as it is kept. Raises `NameRefused`, `PlayerErased`."""
        kept = checked_name(name)
        with translated_errors(), self._pool.connection() as connection:
            stored = connection.execute(_SET, {"player": player, "name": kept, "at": at}).rowcount
        if not stored:
            raise PlayerErased
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


def without_names(text: str, names: Mapping[UUID, str]) -> str:
    """The text with each of these names replaced by its player's id, whatever the case they are written in."""
    composed = unicodedata.normalize("NFC", text)
    for player, name in sorted(names.items(), key=lambda named: -len(named[1])):
        if len(name) >= _SHORTEST_FOUND:
            composed = _pattern(name).sub(f"player {player}", composed)
    return composed


def named_in(text: str, names: Mapping[UUID, str]) -> list[UUID]:
    """The players of these names who are named in the text."""
    composed = unicodedata.normalize("NFC", text)
    return [player for player, name in names.items() if without_names(composed, {player: name}) != composed]


def _pattern(name: str) -> re.Pattern[str]:
    """The name as a word, with any white space in it. Chinese has no spaces between words, so there it is any part."""
    before = r"(?<!\w)" if name[0].isascii() and name[0].isalnum() else ""
    after = r"(?!\w)" if name[-1].isascii() and name[-1].isalnum() else ""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.compile(before + words + after, re.IGNORECASE)
