"""Case files in PostgreSQL: opened once, added to, never changed."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, LiteralString
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

ItemKind = Literal["match", "evidence", "clients", "note"]

_OPEN: Final[LiteralString] = """
INSERT INTO investigation.cases (opened_at, opened_by, players, report, why) VALUES (%s, %s, %s, %s, %s)
RETURNING number
"""
_CASES: Final[LiteralString] = """
SELECT number, opened_at, opened_by, players, report, why FROM investigation.cases
WHERE %(number)s::bigint IS NULL OR number = %(number)s ORDER BY number
"""
# Of two who add at once the second one waits: each item has its own number.
_LOCK: Final[LiteralString] = "SELECT number FROM investigation.cases WHERE number = %s FOR UPDATE"
_ADD: Final[LiteralString] = """
INSERT INTO investigation.case_items (case_number, item, at, by, kind, about, body, digest)
SELECT %(case)s, coalesce(max(item), 0) + 1, %(at)s, %(by)s, %(kind)s, %(about)s, %(body)s, %(digest)s
FROM investigation.case_items WHERE case_number = %(case)s RETURNING item
"""
_ITEMS: Final[LiteralString] = """
SELECT item, at, by, kind, about, body, digest FROM investigation.case_items WHERE case_number = %s ORDER BY item
"""


class NoSuchCase(AdapterError):
    """There is no case of this number."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A case: about whom, why, and the report it started from, if any."""

    number: int
    opened_at: datetime
    opened_by: str
    players: tuple[UUID, ...]
    report: int | None
    why: str


class CaseItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing cited. `about`: a match or player; `body`: JSON, or events a line; `digest`: its SHA-256 in hex."""

    item: int
    at: datetime
    by: str
    kind: ItemKind
    about: str
    body: bytes
    digest: str


class Cases:
    """The case files of one database. Whoever calls writes it to the audit trail first."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def open(
        self, at: datetime, by: str, players: Sequence[UUID], why: str, report: int | None = None
    ) -> int:
        """Opens a case; gives its number."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_OPEN, [at, by, list(players), report, why]).fetchone()
        assert row is not None, "the statement returns the number"
        return int(row[0])

    def all(self) -> list[Case]:
        """Every case, oldest first."""
        with translated_errors(), self._pool.connection() as connection:
            return [_case(row) for row in connection.execute(_CASES, {"number": None})]

    def get(self, number: int) -> Case:
        """The case of this number. Raises `NoSuchCase`."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_CASES, {"number": number}).fetchone()
        if row is None:
            raise NoSuchCase(f"there is no case {number}; `gongzhu case list` shows all")
        return _case(row)

    def add(self, number: int, at: datetime, by: str, kind: ItemKind, about: object, body: bytes) -> int:
        """Cites something in a case; gives the item's number. Raises `NoSuchCase`."""
        self.get(number)
        values = {
            "case": number, "at": at, "by": by, "kind": kind, "about": str(about), "body": body,
            "digest": hashlib.sha256(body).digest(),
        }  # fmt: skip
        with translated_errors(), self._pool.connection() as connection, connection.transaction():
            connection.execute(_LOCK, [number])
            row = connection.execute(_ADD, values).fetchone()
        assert row is not None, "the statement returns the item"
        return int(row[0])

    def items(self, number: int) -> list[CaseItem]:
        """Everything cited in a case, in order. Raises `NoSuchCase`."""
        self.get(number)
        with translated_errors(), self._pool.connection() as connection:
            return [
                CaseItem(
                    item=item,
                    at=at,
                    by=by,
                    kind=kind,
                    about=about,
                    body=bytes(body),
                    digest=bytes(digest).hex(),
                )
                for item, at, by, kind, about, body, digest in connection.execute(_ITEMS, [number])
            ]


def _case(row: Sequence[object]) -> Case:
    number, opened_at, opened_by, players, report, why = row
    return msgspec.convert(
        {
            "number": number, "opened_at": opened_at, "opened_by": opened_by, "players": players, "report": report,
            "why": why,
        },
        Case,
    )  # fmt: skip
