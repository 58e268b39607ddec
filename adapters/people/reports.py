"""Hands that players reported: how a case starts. Whoever is named in a reason stands there by his id."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.people.names import PlayerErased, without_names
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors

_ADD: Final[LiteralString] = """
INSERT INTO people.reports (match, hand_no, player, reason, at)
SELECT %(match)s, %(hand_no)s, %(player)s, %(reason)s, %(at)s
WHERE NOT EXISTS (SELECT FROM people.erased WHERE player = %(player)s)
ON CONFLICT (match, hand_no, player) DO UPDATE SET reason = excluded.reason
RETURNING id, match, hand_no, player, reason, at
"""
_REWORD: Final[LiteralString] = "UPDATE people.reports SET reason = %s WHERE id = %s"
# Reports by others of matches that this player sat at. A seating has no sealed part, so its body is text.
_BY_OTHERS: Final[LiteralString] = """
SELECT DISTINCT report.id FROM people.reports AS report JOIN log.events AS event USING (match)
WHERE report.player <> %(player)s AND report.reason <> '' AND event.tag LIKE 'PlayerSeated.%%'
  AND position(convert_to(%(player)s::text, 'UTF8') IN event.body) > 0
ORDER BY report.id
"""
_SELECT: Final[LiteralString] = "SELECT id, match, hand_no, player, reason, at FROM people.reports"


_NOBODY: Final[Mapping[UUID, str]] = {}


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

    def add(
        self,
        match: UUID,
        hand_no: int,
        player: UUID,
        reason: str,
        at: datetime,
        names: Mapping[UUID, str] = _NOBODY,
    ) -> Report:
        """Keeps a report, with these names in its reason replaced by ids. Raises `PlayerErased`."""
        values = {
            "match": match,
            "hand_no": hand_no,
            "player": player,
            "reason": without_names(reason, names),
            "at": at,
        }
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_ADD, values).fetchone()
        if row is None:
            raise PlayerErased
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

    def blank(self, number: int) -> None:
        """Takes the reason out of a report; that the hand was reported stays. Raises `NoSuchReport`."""
        self.get(number)
        self._reword(number, "")

    def leave_out(self, player: UUID, name: str) -> None:
        """Replaces a player's name by his id in every reason."""
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(_SELECT + " WHERE reason <> ''").fetchall()
        for report in (Report(*row) for row in rows):
            reason = without_names(report.reason, {player: name})
            if reason != report.reason:
                self._reword(report.id, reason)

    def by_others(self, player: UUID) -> list[int]:
        """The numbers of others' reports, with a reason, of matches that this player sat at."""
        with translated_errors(), self._pool.connection() as connection:
            return [number for (number,) in connection.execute(_BY_OTHERS, {"player": player}).fetchall()]

    def _reword(self, number: int, reason: str) -> None:
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_REWORD, [reason, number])
