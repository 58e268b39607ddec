"""Rows of a read model in PostgreSQL: read when a handler asks, kept at hand, written in bulk at a batch's end.

Everything happens in the caller's transaction. Rows that were read or written stay known until `forget`: as long as
nobody else has moved the checkpoint they are what the tables hold, and the next batch need not read them again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic

import psycopg

from adapters.postgres.stored_tables import StoredTable
from projections.read_model import Key, R, RowRefused, RowsUnavailable, Table

_MOST_UNWRITTEN: Final = 5_000
_MOST_KNOWN: Final = 50_000


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turns the driver's errors into those of the port, once, here."""
    try:
        yield
    except (psycopg.errors.DataError, psycopg.errors.IntegrityError) as error:
        raise RowRefused(str(error).splitlines()[0]) from error
    except psycopg.Error as error:
        raise RowsUnavailable(str(error)) from error


class _Known(Generic[R]):
    """What is known of one table: rows by key, None for those that are not there; and what is not written yet."""

    def __init__(self, stored: StoredTable[R]) -> None:
        self.stored = stored
        self.rows: dict[Key, R | None] = {}
        self.unwritten: set[Key] = set()


class PostgresRows:
    """The rows of one generation, over one connection."""

    def __init__(
        self, connection: psycopg.Connection[Any], schema: str, tables: Sequence[Table[Any]]
    ) -> None:
        self._connection = connection
        self._known = {table.name: _Known(StoredTable(schema, table)) for table in tables}

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row of this whole key, or None."""
        known = self._of(table).rows
        if key not in known:
            self._read(table, [key])
        return known[key]

    def get_many(self, table: Table[R], keys: Sequence[Key]) -> list[R | None]:
        """The rows of these whole keys, in their order, None where there is none."""
        known = self._of(table).rows
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            self._read(table, missing)
        return [known[key] for key in keys]

    def scan(self, table: Table[R], prefix: Key, start: Key = ()) -> Iterator[R]:
        """The rows whose keys begin with `prefix`, in order of their keys, from `prefix + start` on."""
        known = self._of(table)
        self._write(known)
        with translated_errors():
            found = self._connection.execute(
                known.stored.scan(len(prefix), len(start)).encode(), [*prefix, *start]
            ).fetchall()
        for (row,) in found:
            yield known.stored.decode(row)

    def put(self, table: Table[R], row: R) -> None:
        """Writes a row in the place of what is under its key."""
        self._change(self._of(table), table.key_of(row), row)

    def delete(self, table: Table[R], key: Key) -> None:
        """Removes the row of this key, if there is one."""
        self._change(self._of(table), key, None)

    def flush(self) -> None:
        """Writes everything that is not written yet. Raises `RowRefused`, `RowsUnavailable`."""
        for known in self._known.values():
            self._write(known)

    def forget(self) -> None:
        """Throws away what is known, written or not."""
        for known in self._known.values():
            known.rows.clear()
            known.unwritten.clear()

    def trim(self) -> None:
        """After a commit: lets go of rows that are not soon needed again."""
        for known in self._known.values():
            if not known.stored.table.revisited or len(known.rows) > _MOST_KNOWN:
                known.rows.clear()

    def _of(self, table: Table[R]) -> _Known[R]:
        return self._known[table.name]

    def _change(self, known: _Known[R], key: Key, row: R | None) -> None:
        known.rows[key] = row
        known.unwritten.add(key)
        if len(known.unwritten) > _MOST_UNWRITTEN:
            self._write(known)

    def _read(self, table: Table[R], keys: Sequence[Key]) -> None:
        known = self._of(table)
        stored = known.stored
        with translated_errors():
            found = self._connection.execute(stored.select.encode(), [stored.keys_as_json(keys)]).fetchall()
        known.rows.update(dict.fromkeys(keys))
        for (text,) in found:
            row = stored.decode(text)
            known.rows[table.key_of(row)] = row

    def _write(self, known: _Known[R]) -> None:
        if not known.unwritten:
            return
        rows = [row for key in known.unwritten if (row := known.rows[key]) is not None]
        gone = [key for key in known.unwritten if known.rows[key] is None]
        stored = known.stored
        with translated_errors():
            if rows:
                self._connection.execute(stored.upsert.encode(), [stored.rows_as_json(rows)])
            if gone:
                self._connection.execute(stored.delete.encode(), [stored.keys_as_json(gone)])
        known.unwritten.clear()
