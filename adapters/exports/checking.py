"""Whether an export is whole, unchanged and sound: all of it from its own files, without a log or a key."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, Protocol
from uuid import UUID

import msgspec

from adapters.exports.manifest import (
    MANIFEST,
    Counts,
    Manifest,
    Part,
    no_counts,
    read_manifest,
    total,
)
from adapters.exports.parts import Tally
from adapters.postgres.appending import NewRow
from adapters.restoring.found import Faulty, FoundMatch
from adapters.restoring.soundness import NotSound, sound_rows
from adapters.restoring.sources import HOLDING_MATCHES, matches_of_export, what_changed
from adapters.serialization import decode_public

_MOST_FAULTS: Final = 1_000
_SUFFIXES: Final = (".ndjson", ".txt", ".parquet")

OnMatch = Callable[[], None]


class ExportCheck(msgspec.Struct):
    """What a check found: how much was looked at, and what is wrong, the first thousand faults in words."""

    folder: str
    matches: int = 0
    hands: int = 0
    events: int = 0
    files: int = 0
    wrong: int = 0
    faults: list[str] = msgspec.field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.wrong == 0

    def blame(self, fault: Faulty) -> None:
        """One more thing that is wrong."""
        self.wrong += 1
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(fault.describe())


class TableCheck(Protocol):
    """Compares the tables of a part with what its events say."""

    def add(self, match: UUID, rows: list[NewRow]) -> Iterator[Faulty]:
        """One more match; what differs."""

    def end(self) -> Iterator[Faulty]:
        """What differs in the rest."""


def check_export(
    folder: Path, *, digests_only: bool = False, on_match: OnMatch = lambda: None
) -> ExportCheck:
    """What is wrong with an export. With `digests_only` no file is read but to compute its digest.

    Raises `NotAnExport` where there is no manifest to go by.
    """
    manifest = read_manifest(folder)
    check = ExportCheck(str(folder))
    for fault in (*_foreign_files(folder, manifest), *_wrong_totals(folder, manifest)):
        check.blame(fault)
    known: set[bytes] = set()
    for part in manifest.parts:
        _check_part(folder, manifest, part, check, known, None if digests_only else on_match)
    return check


def _foreign_files(folder: Path, manifest: Manifest) -> Iterator[Faulty]:
    """Files that whoever reads the folder's files would take for the export's."""
    own = {folder / file.path for file in manifest.files}
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path not in own and path.is_file():
            yield Faulty(str(path), "it is not in the manifest; remove it")


def _wrong_totals(folder: Path, manifest: Manifest) -> Iterator[Faulty]:
    counts = no_counts()
    for part in manifest.parts:
        counts = total(counts, part.counts)
    if counts != manifest.counts:
        yield Faulty(str(folder / MANIFEST), f"its counts are not the sums of its parts': {_told(counts)}")


def _check_part(
    folder: Path,
    manifest: Manifest,
    part: Part,
    check: ExportCheck,
    known: set[bytes],
    on_match: OnMatch | None,
) -> None:
    check.files += len(part.files)
    changed = [fault for file in part.files if (fault := what_changed(folder, file))]
    for fault in changed:
        check.blame(fault)
    if on_match is None:
        check.matches += part.counts.matches
        check.hands += part.counts.hands
        check.events += part.counts.events
    elif not changed:
        for fault in _PartCheck(folder, manifest, part, check, known).faults(on_match):
            check.blame(fault)


class _PartCheck:
    """One part whose files are those that were exported: what is in them."""

    def __init__(
        self, folder: Path, manifest: Manifest, part: Part, check: ExportCheck, known: set[bytes]
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._part = part
        self._check = check
        self._known = known
        self._tally = Tally()
        self._ends: list[_End] = []

    def faults(self, on_match: OnMatch) -> Iterator[Faulty]:
        """Everything that is wrong."""
        tables = self._tables()
        for file in self._part.files:
            if file.holds in HOLDING_MATCHES:
                for found in matches_of_export(self._folder, self._manifest, file):
                    yield from self._match(found, tables)
                    on_match()
        yield from tables.end() if tables is not None else ()
        yield from self._wrong_counts()

    def _tables(self) -> TableCheck | None:
        if self._manifest.kind != "parquet":
            return None
        from adapters.exports.table_check import ParquetTables

        return ParquetTables(self._folder, self._part)

    def _match(self, found: FoundMatch | Faulty, tables: TableCheck | None) -> Iterator[Faulty]:
        if isinstance(found, Faulty):
            yield found
            return
        if found.match.bytes in self._known:
            yield Faulty(found.place_of(None), "it is in this export a second time")
        self._known.add(found.match.bytes)
        try:
            rows = sound_rows(found)
        except NotSound as reason:
            yield Faulty(found.place_of(reason.version), str(reason))
            return
        self._count(found.match, rows)
        if tables is not None:
            yield from tables.add(found.match, rows)

    def _count(self, match: UUID, rows: list[NewRow]) -> None:
        self._tally.add(row.tag for row in rows)
        self._ends = [*self._ends[:1], _End(match, _ended_at(rows))]
        self._check.matches += 1
        self._check.events += len(rows)
        self._check.hands += sum(row.tag.startswith("HandEnded.") for row in rows)

    def _wrong_counts(self) -> Iterator[Faulty]:
        where = f"{self._folder / MANIFEST} part {self._part.number}"
        counts = self._tally.counts()
        if counts != self._part.counts:
            yield Faulty(where, f"its counts are not those of its files: {_told(counts)}")
        part, nothing = self._part, _End(None, None)
        ends = (self._ends[0], self._ends[-1]) if self._ends else (nothing, nothing)
        if ends != (_End(part.first_match, part.first_ended_at), _End(part.last_match, part.last_ended_at)):
            yield Faulty(where, f"its first and last match are not those of its files: {ends[0]}, {ends[1]}")


class _End(NamedTuple):
    """The first or last match of a part, and when it ended."""

    match: UUID | None
    ended_at: datetime | None

    def __str__(self) -> str:
        return "none" if self.match is None else f"{self.match} ended {self.ended_at}"


def _ended_at(rows: list[NewRow]) -> datetime | None:
    ending = next((row for row in rows if row.tag.startswith(("MatchSettled.", "MatchAbandoned."))), None)
    if ending is None:
        return None
    return decode_public(ending.tag, ending.body, ending.match, ending.version).at


def _told(counts: Counts) -> str:
    return f"{counts.matches} matches, {counts.hands} hands, {counts.events} events"
