"""Parts of an export that are Parquet: one file a table, written in row groups as matches come."""

import os
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from adapters.exports.arrow_tables import EVENTS, SCHEMAS, Rows
from adapters.exports.ended_matches import EndedMatch
from adapters.exports.text_parts import NewFile

ROW_GROUP_BYTES: Final = 16_000_000
"""So many bytes of public events come before the rows of all tables are written as one row group each."""


class ParquetPart:
    """One file for each table."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._paths = {name: f"{name}/part-{number:05}.parquet" for name in SCHEMAS}
        for path in self._paths.values():
            (folder / path).parent.mkdir(exist_ok=True)
        self._writers = {name: _writer(folder / path, SCHEMAS[name]) for name, path in self._paths.items()}
        self._counts = dict.fromkeys(SCHEMAS, 0)
        self._rows = Rows()

    def add(self, match: EndedMatch) -> None:
        """One more match."""
        self._rows.add(match)
        if self._rows.bytes >= ROW_GROUP_BYTES:
            self._write()

    def finish(self) -> list[NewFile]:
        """Closes the files."""
        self._write()
        self.give_up()
        for path in self._paths.values():
            _sync(self._folder / path)
        return [NewFile(path, name, self._counts[name]) for name, path in self._paths.items()]

    def give_up(self) -> None:
        """Closes the files as they are."""
        for writer in self._writers.values():
            writer.close()

    def _write(self) -> None:
        for name, table in self._rows.take().items():
            if table.num_rows:
                self._writers[name].write_table(table, row_group_size=table.num_rows)
                self._counts[name] += table.num_rows


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    # What is hardly ever the same twice is not looked up in a dictionary first.
    words = [field.name for field in schema if field.name != "public"]
    plain = schema.names == SCHEMAS[EVENTS].names
    return pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=words if plain else True, write_page_checksum=True
    )


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
