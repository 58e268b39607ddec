"""Rows over other rows that stay as they are: what handlers would do, without its being done."""

from collections.abc import Iterator, Sequence
from typing import Any

from projections.read_model import Key, R, Rows, Table


class Overlay:
    """Changes in memory, seen over the rows beneath, which are only read; over nothing where there are none."""

    def __init__(self, beneath: Rows | None = None) -> None:
        self._beneath = beneath
        self._changed: dict[str, dict[Key, Any]] = {}

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row of this whole key, or None."""
        return self.get_many(table, [key])[0]

    def get_many(self, table: Table[R], keys: Sequence[Key]) -> list[R | None]:
        """The rows of these whole keys, in their order, None where there is none."""
        changed = self._of(table)
        missing = [key for key in keys if key not in changed]
        found = self._beneath.get_many(table, missing) if self._beneath and missing else []
        known: dict[Key, R | None] = dict(zip(missing, found, strict=False))
        return [changed[key] if key in changed else known.get(key) for key in keys]

    def scan(self, table: Table[R], prefix: Key, start: Key = ()) -> Iterator[R]:
        """The rows whose keys begin with `prefix`, in order of their keys, from `prefix + start` on."""
        beneath = self._beneath.scan(table, prefix, start) if self._beneath else ()
        rows: dict[Key, R | None] = {table.key_of(row): row for row in beneath}
        first = prefix + start
        rows |= {
            key: row for key, row in self._of(table).items() if key[: len(prefix)] == prefix and key >= first
        }
        yield from (row for _, row in sorted(rows.items(), key=lambda item: item[0]) if row is not None)

    def put(self, table: Table[R], row: R) -> None:
        """Changes a row, here alone."""
        self._of(table)[table.key_of(row)] = row

    def delete(self, table: Table[R], key: Key) -> None:
        """Removes a row, here alone."""
        self._of(table)[key] = None

    def _of(self, table: Table[R]) -> dict[Key, R | None]:
        return self._changed.setdefault(table.name, {})
