"""Importing files of recorded hands: each record whole or not at all, none of them twice (design §7)."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from adapters.match_service import MatchService
from adapters.record_files import capped_lines
from replays.hand_records import MOST_BYTES
from replays.recorded_hands import RecordedMatch, RecordError, read_records

_AT_ONCE: Final = 100


_MOST_ERRORS: Final = 1_000


class ImportReport(msgspec.Struct):
    """What became of what was in some files.

    Recorded hands were `stored`, `skipped` (there already) or `faulty`; matches of exports `restored`,
    `there_already` or `refused`. `errors` says of the first thousand faulty and refused ones where and why.
    """

    stored: int = 0
    skipped: int = 0
    faulty: int = 0
    restored: int = 0
    there_already: int = 0
    refused: int = 0
    errors: list[str] = msgspec.field(default_factory=list)

    def blame(self, what: str) -> None:
        """One more recorded hand, or file of them, that is faulty."""
        self.faulty += 1
        self._say(what)

    def refuse(self, what: str) -> None:
        """One more match, or file of matches, that is refused."""
        self.refused += 1
        self._say(what)

    def _say(self, what: str) -> None:
        if len(self.errors) < _MOST_ERRORS:
            self.errors.append(what)


async def import_files(
    paths: Sequence[Path],
    service: MatchService,
    at: datetime,
    on_record: Callable[[], None] = lambda: None,
    report: ImportReport | None = None,
) -> ImportReport:
    """Imports every record of these files that is sound and not there yet; `on_record` is called after each.

    What becomes of them is added to `report`, where there is one already.
    """
    report = report or ImportReport()
    for path in paths:
        try:
            with path.open("rb") as lines:
                await _import_lines(
                    capped_lines(lines, MOST_BYTES), path.name, service, at, report, on_record
                )
        except OSError as error:
            report.blame(f"cannot read {path}: {error.strerror}")
    return report


async def _import_lines(
    lines: Iterable[bytes],
    source: str,
    service: MatchService,
    at: datetime,
    report: ImportReport,
    on_record: Callable[[], None],
) -> None:
    all_records = read_records(lines, source, at)
    while records := list(islice(all_records, _AT_ONCE)):
        await asyncio.gather(*[_import_record(record, service, report) for record in records])
        for _ in records:
            on_record()


async def _import_record(
    record: RecordedMatch | RecordError, service: MatchService, report: ImportReport
) -> None:
    if isinstance(record, RecordError):
        report.blame(str(record))
    elif await service.add_match(record.events):
        report.stored += 1
    else:
        report.skipped += 1
