"""Timelines of recorded matches, made from the log's public events and kept for who goes on looking at them."""

from collections import OrderedDict
from threading import Lock
from typing import Final, LiteralString
from uuid import UUID

from adapters.postgres.match_rows import Pool, rows_of_match
from adapters.postgres.recorder import translated_errors
from adapters.serialization import decode_row
from domain.errors import MatchNotOpen
from replays.timeline import Timeline

MOST_STEPS: Final = 50_000
"""So many steps are kept at most, over all timelines; some 50 MB."""

_VERSION: Final[LiteralString] = "SELECT coalesce(max(version), 0) FROM log.events WHERE match = %b"


class Timelines:
    """The timelines of one log; the ones looked at last are kept. May be used by several threads."""

    def __init__(self, pool: Pool, most_steps: int = MOST_STEPS) -> None:
        self._pool = pool
        self._most_steps = most_steps
        self._kept: OrderedDict[UUID, tuple[int, Timeline]] = OrderedDict()
        self._lock = Lock()

    def of(self, match: UUID) -> Timeline:
        """The match as far as it is stored now. Raises `MatchNotOpen` where there is none."""
        version = self._version(match)
        with self._lock:
            kept = self._kept.get(match)
            if kept is not None and kept[0] == version:
                self._kept.move_to_end(match)
                return kept[1]
        rows = rows_of_match(self._pool, match)
        if not rows:
            raise MatchNotOpen(match=match)
        timeline = Timeline(decode_row(row) for row in rows)
        self._keep(match, rows[-1].version, timeline)
        return timeline

    def _keep(self, match: UUID, version: int, timeline: Timeline) -> None:
        with self._lock:
            self._kept[match] = (version, timeline)
            self._kept.move_to_end(match)
            while (
                len(self._kept) > 1 and sum(len(kept) for _, kept in self._kept.values()) > self._most_steps
            ):
                self._kept.popitem(last=False)

    def _version(self, match: UUID) -> int:
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_VERSION, [match], binary=True).fetchone()
        return int(row[0]) if row else 0
