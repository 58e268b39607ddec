"""The operators' audit trail: who looked at what of a person, who changed what, and who used which key.

What is about to be done is written down first; where that fails, it is not done (`TrailUnwritten`). Rows are only ever
added, and the database refuses anything else. Players stand in it by their ids, never by their names.
"""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, LiteralString

import msgspec
from eventsourcing.persistence import PersistenceError

from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

_ADD: Final[LiteralString] = (
    "INSERT INTO people.trail (at, by, what, about, of_case) VALUES (%s, %s, %s, %s, %s)"
)
_LAST: Final[LiteralString] = """
SELECT number, at, by, what, about, of_case FROM people.trail
WHERE (%(about)s::text IS NULL OR about = %(about)s) AND (%(case)s::text IS NULL OR of_case = %(case)s)
ORDER BY number DESC LIMIT %(most)s
"""


class TrailUnwritten(AdapterError):
    """The trail could not be written, so what it would have told of was not done."""


class TrailEntry(msgspec.Struct, frozen=True):
    """One thing that was done. `about`: a player's id, a match, a report, a key; `case` is empty for none."""

    number: int
    at: datetime
    by: str
    what: str
    about: str
    case: str


class Trail:
    """The trail of one database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def add(self, at: datetime, by: str, what: str, about: object, case: str = "") -> None:
        """Writes down what is about to be done, before it is. Raises `TrailUnwritten`."""
        try:
            with translated_errors(), self._pool.connection() as connection:
                connection.execute(_ADD, [at, by, what, str(about), case])
        except PersistenceError as error:
            raise TrailUnwritten(
                f"the operators' audit trail cannot be written ({_first_line(error)}), so nothing was done; "
                "see that the database is well and ask again"
            ) from error

    @contextmanager
    def telling(self, at: datetime, by: str, what: str, about: object, case: str = "") -> Iterator[None]:
        """Writes down what the block is about to do and, where that ends in an error, so much."""
        self.add(at, by, what, about, case)
        try:
            yield
        except Exception:
            self.add(at, by, f"{what}: ended in an error", about, case)
            raise

    def last(self, most: int = 100, *, about: str | None = None, case: str | None = None) -> list[TrailEntry]:
        """The newest entries, newest first; only those about something, or of a case, where that is given."""
        values = {"most": most, "about": about, "case": case}
        with translated_errors(), self._pool.connection() as connection:
            return [TrailEntry(*row) for row in connection.execute(_LAST, values).fetchall()]


def whoever_asks(named: str | None = None) -> str:
    """Who stands in the trail for a command: the account that runs it, after who asked for it, if that was said."""
    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        account = f"uid {os.getuid()}"
    return f"{named} ({account})" if named else account


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
