"""Rows in dictionaries: what handlers are tested on, and the model the database's rows are compared with."""

from collections.abc import Iterator, Sequence
from typing import Any

from projections.read_model import Key, R, Table


class RowsInMemory:
    """Rows of one generation; passes the same contract tests as those in PostgreSQL."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[Key, Any]] = {}

    def get(self, table: Table[R], key: Key) -> R | None:
        row: R | None = self._of(table).get(key)
        return row

    def get_many(self, table: Table[R], keys: Sequence[Key]) -> list[R | None]:
        return [self.get(table, key) for key in keys]

    def scan(self, table: Table[R], prefix: Key, start: Key = ()) -> Iterator[R]:
        size, first = len(prefix), prefix + start
        keys = [key for key in self._of(table) if key[:size] == prefix and key >= first]
        yield from [self._of(table)[key] for key in sorted(keys)]

    def put(self, table: Table[R], row: R) -> None:
        self._of(table)[table.key_of(row)] = row

    def delete(self, table: Table[R], key: Key) -> None:
        self._of(table).pop(key, None)

    def content(self, tables: Sequence[Table[Any]]) -> dict[str, dict[Key, Any]]:
        """Every row of these tables, by table and key."""
        return {table.name: dict(sorted(self._of(table).items())) for table in tables}

    def _of(self, table: Table[R]) -> dict[Key, R]:
        return self._tables.setdefault(table.name, {})
