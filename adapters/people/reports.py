"""Hands that players reported: how a case starts."""

from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

_ADD: Final[LiteralString] = """
INSERT INTO people.reports (match, hand_no, player, reason, at) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (match, hand_no, player) DO UPDATE SET reason = excluded.reason
RETURNING id, match, hand_no, player, reason, at
"""
_SELECT: Final[LiteralString] = "SELECT id, match, hand_no, player, reason, at FROM people.reports"


class NoSuchReport(AdapterError):
    """There is no report of this number."""


class Report(msgspec.Struct, frozen=True):
    """A player's report of a finished hand. One a player and hand; a second one replaces the reason."""

    id: int
    match: UUID
    hand_no: int
    player: UUID
    reason: str
    at: datetime


class Reports:
    """The reports of one database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def add(self, match: UUID, hand_no: int, player: UUID, reason: str, at: datetime) -> Report:
        """Keeps a report."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_ADD, [match, hand_no, player, reason, at]).fetchone()
        assert row is not None, "an insert that returns"
        return Report(*row)

    def newest(self, most: int = 100) -> list[Report]:
        """The newest reports, newest first."""
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(_SELECT + " ORDER BY id DESC LIMIT %s", [most]).fetchall()
        return [Report(*row) for row in rows]

    def of(self, player: UUID) -> list[Report]:
        """A player's own reports."""
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(_SELECT + " WHERE player = %s ORDER BY id", [player]).fetchall()
        return [Report(*row) for row in rows]

    def get(self, number: int) -> Report:
        """One report. Raises `NoSuchReport`."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_SELECT + " WHERE id = %s", [number]).fetchone()
        if row is None:
            raise NoSuchReport(f"there is no report {number}")
        return Report(*row)
