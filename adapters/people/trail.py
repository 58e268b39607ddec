"""The operators' audit trail: who looked at what of a person, and who changed what. Rows are only ever added."""

from datetime import datetime
from typing import Final, LiteralString

import msgspec

from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

_ADD: Final[LiteralString] = "INSERT INTO people.trail (at, by, what, about) VALUES (%s, %s, %s, %s)"
_LAST: Final[LiteralString] = """
SELECT number, at, by, what, about FROM people.trail ORDER BY number DESC LIMIT %s
"""


class TrailEntry(msgspec.Struct, frozen=True):
    """One thing that was done. `about`: a player's id, a match, or a report; never a name."""

    number: int
    at: datetime
    by: str
    what: str
    about: str


class Trail:
    """The trail of one database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def add(self, at: datetime, by: str, what: str, about: object) -> None:
        """Writes down what is about to be done, before it is."""
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_ADD, [at, by, what, str(about)])

    def last(self, most: int = 100) -> list[TrailEntry]:
        """The newest entries, newest first."""
        with translated_errors(), self._pool.connection() as connection:
            return [TrailEntry(*row) for row in connection.execute(_LAST, [most]).fetchall()]
