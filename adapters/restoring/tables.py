"""Matches in Parquet files: the table `events` of an export, whose rows hold every public event as it was stored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from adapters.restoring.found import MOST_BYTES, Faulty, FoundMatch

_COLUMNS: Final = ("match", "version", "public")
_ROWS_AT_ONCE: Final = 2_000
_UNREADABLE: Final = (pa.ArrowException, OSError, ValueError, KeyError)


def matches_in_table(path: Path, source: str) -> Iterator[FoundMatch | Faulty]:
    """What each match in a table of events comes to, in order."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as table:
            if missing := sorted(set(_COLUMNS) - set(table.schema_arrow.names)):
                what = f"no table of events: it has no {', '.join(missing)}"
                yield Faulty(source, f"{what}; import the folder of the export, or its `events`")
                return
            yield from _matches(_rows(table), source)
    except _UNREADABLE as error:
        yield Faulty(source, f"not a whole Parquet file ({_line(error)}); copy or export it again")


def _rows(table: pq.ParquetFile) -> Iterator[tuple[str, int, str]]:
    for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(_COLUMNS)):
        columns = [batch.column(name).to_pylist() for name in _COLUMNS]
        yield from zip(*columns, strict=True)


def _matches(rows: Iterator[tuple[str, int, str]], source: str) -> Iterator[FoundMatch | Faulty]:
    match, first, size = "", 1, 0
    publics: list[bytes] = []
    for number, (of_match, _, public) in enumerate(rows, 1):
        if of_match != match:
            yield from _found(source, match, first, publics, size)
            match, first, size, publics = of_match, number, 0, []
        size += len(public)
        if size <= MOST_BYTES:
            publics.append(public.encode())
    yield from _found(source, match, first, publics, size)


def _found(
    source: str, match: str, first: int, publics: list[bytes], size: int
) -> Iterator[FoundMatch | Faulty]:
    if size > MOST_BYTES:
        yield Faulty(
            f"{source} row {first}",
            f"match {match} has more than {MOST_BYTES:,} bytes; a match is far smaller",
        )
    elif publics:
        try:
            yield FoundMatch(source, "row", first, UUID(match), tuple(publics))
        except ValueError:
            yield Faulty(f"{source} row {first}", f"{match[:40]!r} is no match id; export it again")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
