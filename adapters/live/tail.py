"""The tail of the log: brings what other services have appended to this process's live tables (design §4)."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID

from adapters.live.tables import LiveTables
from adapters.match_service import MatchService
from adapters.postgres.log_reader import LogReader
from adapters.sealing import Sealer
from adapters.serialization import Row, decode_body
from domain.events import Event
from domain.match import fold

_BATCH: Final = 1_000


class LogTail:
    """Follows the log of one database for the live tables of this process."""

    def __init__(self, reader: LogReader, service: MatchService, tables: LiveTables, sealer: Sealer) -> None:
        self._reader = reader
        self._service = service
        self._tables = tables
        self._sealer = sealer
        self.position = 0

    async def start(self, unfinished: Iterable[UUID]) -> None:
        """Follows the matches that were open before, and remembers where the log ends."""
        self.position = await self._reader.last_position()
        for match in unfinished:
            await self._tables.follow(match)

    async def run(self) -> None:
        """Takes in whatever is appended, until cancelled. Raises `BrokenLog` for a log that cannot be true."""
        while True:
            while await self.read():
                pass
            await self._reader.wait()

    async def read(self) -> bool:
        """Takes in the next rows, if there are any; whether more may follow."""
        rows = await self._reader.rows(self.position + 1, _BATCH)
        for match, of_match in groupby(sorted(rows, key=_ORDER), key=attrgetter("match")):
            self._take_in(match, list(of_match))
        if rows:
            self.position = rows[-1].position
        return len(rows) == _BATCH

    def _take_in(self, match: UUID, rows: list[Row]) -> None:
        table = self._tables.known(match)
        if table is None:
            if rows[0].version == 1:
                self._service.learn_of_new(self._events(rows))
            return
        new = [row for row in rows if row.version > table.match.version]
        if new and new[0].version == table.match.version + 1:
            events = self._events(new)
            state = fold(events, table.match)
            if state is not None:
                self._service.learn(state, events)
        elif new:
            self._tables.catch_up_later(match)

    def _events(self, rows: list[Row]) -> list[Event]:
        return [
            decode_body(row.tag, row.body, row.match, row.version, self._sealer, row.position) for row in rows
        ]


_ORDER: Final = attrgetter("match", "version")
