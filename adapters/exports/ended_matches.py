"""Matches of a log that have ended, in the order of their ending events, in constant memory.

The log is read as it stood at one position: whatever is appended meanwhile changes nothing, so that an export that was
interrupted goes on as if it had not been. Of the rows only the public part is given out.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

import psycopg

from adapters.auditing import damaged_rows
from adapters.exports.manifest import Filters, Origin
from adapters.postgres.recorder import translated_errors
from adapters.serialization import Row, decode_public, decode_row, public_part
from domain.errors import BrokenLog
from domain.events import Event, MatchAbandoned, MatchOpened, MatchSettled

_PAGE: Final = 1_000
_ROWS_AT_ONCE: Final = 4_000
"""So many rows of several matches are read at once; a longer match is read alone."""

_LAST: Final[LiteralString] = "SELECT position, digest FROM log.events ORDER BY position DESC LIMIT 1"
_ENDINGS: Final[LiteralString] = """
SELECT ending.position, ending.match, ending.version, ending.tag, ending.body, opening.tag, opening.body
FROM log.events AS ending JOIN log.events AS opening ON opening.match = ending.match AND opening.version = 1
WHERE (ending.tag LIKE 'MatchSettled.%%' OR ending.tag LIKE 'MatchAbandoned.%%')
  AND ending.position > %b::bigint AND ending.position <= %b::bigint
  AND (%b::uuid[] IS NULL OR ending.match = ANY (%b::uuid[]))
ORDER BY ending.position LIMIT %b::bigint
"""
_COUNT: Final[LiteralString] = """
SELECT count(*) FROM log.events WHERE (tag LIKE 'MatchSettled.%%' OR tag LIKE 'MatchAbandoned.%%')
  AND position > %b::bigint AND position <= %b::bigint
"""
_ROWS: Final[LiteralString] = """
SELECT position, match, version, tag, body, digest FROM log.events
WHERE match = ANY (%b::uuid[]) AND position <= %b::bigint ORDER BY match, version
"""


class EndedMatch(NamedTuple):
    """A match that has ended: where and when, and its rows from the first, integrity events included."""

    id: UUID
    position: int
    ended_at: datetime
    rows: list[Row]

    def events(self) -> list[Event]:
        """Its public events. Raises `BrokenLog`."""
        return [decode_row(row) for row in self.rows]


class _Ending(NamedTuple):
    match: UUID
    position: int
    version: int
    at: datetime


class EndedMatches:
    """What one connection reads of a log up to a position."""

    def __init__(self, connection: psycopg.Connection[Any], until: int, filters: Filters) -> None:
        self._connection = connection
        self._until = until
        self._filters = filters
        self.seen = 0

    def count(self, after: int = 0) -> int:
        """How many matches end behind a position, whatever the filters say."""
        with translated_errors():
            found = self._connection.execute(_COUNT, [after, self._until], binary=True).fetchone()
        return int(found[0]) if found else 0

    def read(self, after: int = 0) -> Iterator[EndedMatch]:
        """The matches that end behind a position; `seen` counts those passed. Raises `BrokenLog`."""
        waiting: list[_Ending] = []
        for ending in self._endings(after):
            if waiting and sum(one.version for one in (*waiting, ending)) > _ROWS_AT_ONCE:
                yield from self._matches(waiting)
                waiting = []
            waiting.append(ending)
        yield from self._matches(waiting)

    def _endings(self, after: int) -> Iterator[_Ending]:
        ids = list(self._filters.matches) or None
        while True:
            with translated_errors():
                page = self._connection.execute(
                    _ENDINGS, [after, self._until, ids, ids, _PAGE], binary=True
                ).fetchall()
            if not page:
                return
            for row in page:
                self.seen += 1
                ending = _ending(row, self._filters)
                if ending is not None:
                    yield ending
            after = page[-1][0]

    def _matches(self, endings: Sequence[_Ending]) -> Iterator[EndedMatch]:
        if not endings:
            return
        rows: dict[UUID, list[Row]] = {ending.match: [] for ending in endings}
        with translated_errors():
            found = self._connection.execute(_ROWS, [list(rows), self._until], binary=True).fetchall()
        for values in found:
            rows[values[1]].append(Row(*values))
        for ending in endings:
            of_match = rows[ending.match]
            for damage in damaged_rows(of_match):
                raise BrokenLog(damage)
            yield EndedMatch(ending.match, ending.position, ending.at, of_match)


def origin_of(connection: psycopg.Connection[Any], log: str) -> Origin:
    """The log as it stands now."""
    with translated_errors():
        found = connection.execute(_LAST, binary=True).fetchone()
    position, digest = found or (0, None)
    return Origin(log=log, position=position, digest=digest.hex() if digest is not None else None)


def _ending(row: tuple[Any, ...], filters: Filters) -> _Ending | None:
    """The ending that a row of `_ENDINGS` tells of, None where it is not wanted. Raises `BrokenLog`."""
    position, match, version, tag, body, opening_tag, opening_body = row
    ended = decode_public(tag, public_part(body), match, version, position)
    opened = decode_public(opening_tag, public_part(opening_body), match, 1)
    assert isinstance(ended, MatchSettled | MatchAbandoned), "the tag says so"
    if not isinstance(opened, MatchOpened):
        raise BrokenLog("a match begins with MatchOpened", match=match, version=1)
    return _Ending(match, position, version, ended.at) if is_wanted(filters, opened, ended) else None


def is_wanted(filters: Filters, opened: MatchOpened, ended: MatchSettled | MatchAbandoned) -> bool:
    """Whether all filters let a match through; those by match id are asked of the log."""
    return (
        (not filters.rulesets or opened.ruleset.name in filters.rulesets)
        and (not filters.origins or opened.origin in filters.origins)
        and (not filters.players or not set(filters.players).isdisjoint(ended.players))
        and (filters.since is None or ended.at >= filters.since)
        and (filters.until is None or ended.at < filters.until)
    )
