"""Whether the tables of a Parquet part are what its events say, row by row."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from adapters.exports.arrow_tables import SCHEMAS, WORDS, Rows
from adapters.exports.ended_matches import EndedMatch
from adapters.exports.manifest import Part
from adapters.exports.parquet_parts import ROW_GROUP_BYTES
from adapters.postgres.appending import NewRow
from adapters.restoring.found import Faulty
from adapters.serialization import Row, decode_row

_ROWS_AT_ONCE: Final = 20_000


class ParquetTables:
    """The tables of a part, read along while its matches come; what they should hold is made anew from the events."""

    def __init__(self, folder: Path, part: Part) -> None:
        paths = {file.holds: folder / file.path for file in part.files if file.holds in SCHEMAS}
        self._missing = [name for name in SCHEMAS if name not in paths]
        self._tables = {name: _Table(name, path) for name, path in paths.items()}
        self._rows = Rows()
        self._where = str(folder)

    def add(self, match: UUID, rows: list[NewRow]) -> Iterator[Faulty]:
        """One more match; what differs."""
        of_match = [Row(0, match, row.version, row.tag, row.body, b"") for row in rows]
        self._rows.add(EndedMatch(match, 0, decode_row(of_match[0]).at, of_match))
        if self._rows.bytes >= ROW_GROUP_BYTES:
            yield from self._compare()

    def end(self) -> Iterator[Faulty]:
        """What differs in the rest."""
        yield from self._compare()
        for name in self._missing:
            yield Faulty(self._where, f"the manifest names no file of {name}; export it again")
        for table in self._tables.values():
            yield from table.left_over()

    def _compare(self) -> Iterator[Faulty]:
        for name, expected in self._rows.take().items():
            if name in self._tables:
                yield from self._tables[name].compare(expected)


class _Table:
    """One table, read from the beginning to its end."""

    def __init__(self, name: str, path: Path) -> None:
        self._path = path
        self._schema = pa.schema([_plain(field) for field in SCHEMAS[name]])
        self._batches = self._read()
        self._next = self._schema.empty_table()
        self._passed = 0
        self._broken = False

    def _read(self) -> Iterator[pa.Table]:
        with pq.ParquetFile(self._path, page_checksum_verification=True) as file:
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                yield pa.Table.from_batches([batch]).cast(self._schema)

    def compare(self, expected: pa.Table) -> Iterator[Faulty]:
        """What tells the next rows from these; after the first difference the table is not looked at any more."""
        if self._broken:
            return
        try:
            while self._next.num_rows < expected.num_rows:
                self._next = pa.concat_tables([self._next, next(self._batches)])
        except StopIteration:
            yield self._fault(
                f"it ends after {self._passed + self._next.num_rows} rows; its events have more"
            )
            return
        except (pa.ArrowException, OSError, ValueError) as error:
            yield self._fault(f"it is no such table ({' '.join(str(error).split())[:200]})")
            return
        given, self._next = self._next.slice(0, expected.num_rows), self._next.slice(expected.num_rows)
        yield from self._differences(given, expected.cast(self._schema))
        self._passed += expected.num_rows

    def left_over(self) -> Iterator[Faulty]:
        """Rows that no event leads to."""
        if not self._broken and (self._next.num_rows or next(self._batches, None) is not None):
            yield self._fault(f"rows behind row {self._passed} do not come from its events")

    def _differences(self, given: pa.Table, expected: pa.Table) -> Iterator[Faulty]:
        for name in self._schema.names:
            if given.column(name).equals(expected.column(name)):
                continue
            values = zip(given.column(name).to_pylist(), expected.column(name).to_pylist(), strict=True)
            row, pair = next(
                (number, pair) for number, pair in enumerate(values, self._passed + 1) if pair[0] != pair[1]
            )
            yield self._fault(f"row {row}, {name}: {_shown(pair[0])}, its events say {_shown(pair[1])}")
            return

    def _fault(self, what: str) -> Faulty:
        self._broken = True
        return Faulty(str(self._path), f"{what}; export it again")


def _plain(field: pa.Field) -> pa.Field:
    return field.with_type(pa.string()) if field.type == WORDS else field


def _shown(value: Any) -> str:
    return repr(value)[:100]
