"""How a read model's table is stored: columns, indexes, and the few statements its rows are read and written by.

Rows travel as JSON: `msgspec` makes a whole batch of it in one call and reads it back into structs, PostgreSQL takes
it apart with `json_to_recordset`, and one statement a table writes any number of rows. What has no column type of its
own (a struct, a tuple of structs) is a `json` column, which keeps its text as it is.
"""

import re
import types
import typing
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final, Generic, Literal
from uuid import UUID

import msgspec

from projections.read_model import Key, R, Table

_SCALARS: Final[dict[Any, str]] = {
    UUID: "uuid",
    int: "bigint",
    float: "double precision",
    bool: "boolean",
    # Ordered by code point, as Python does, wherever the database was made.
    str: 'text COLLATE "C"',
    datetime: "timestamptz",
    date: "date",
}
_IN_ARRAYS: Final = {UUID: "uuid[]", int: "bigint[]", str: 'text[] COLLATE "C"'}
# A backslash escape of NUL, which no PostgreSQL text can hold, after an even number of backslashes.
_NUL: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")

_ENCODER: Final = msgspec.json.Encoder()


class StoredTable(Generic[R]):
    """A table of a read model in the schema of one generation."""

    def __init__(self, schema: str, table: Table[R]) -> None:
        self.table = table
        self.name = f'"{schema}"."{table.name}"'
        self.columns = {field.name: column_type(field.type) for field in msgspec.structs.fields(table.row)}
        self._decoder = msgspec.json.Decoder(table.row)
        self._key_types = ", ".join(f"{name} {_plain(self.columns[name])}" for name in table.key)
        self.upsert = self._upsert()
        self.delete = self._delete()
        self.select = self._select()

    def definitions(self) -> list[str]:
        """The statements that make the table, empty, with its indexes."""
        columns = [
            f"{field.name} {self.columns[field.name]}{'' if _is_optional(field.type) else ' NOT NULL'}"
            for field in msgspec.structs.fields(self.table.row)
        ]
        keyed = ", ".join([*columns, f"PRIMARY KEY ({', '.join(self.table.key)})"])
        indexes = [
            f"CREATE INDEX ON {self.name} USING {index.method} ({', '.join(index.columns)})"
            for index in self.table.indexes
        ]
        # What is written again and again is not worth compressing each time.
        plain = [
            f"ALTER TABLE {self.name} ALTER COLUMN {name} SET STORAGE EXTERNAL"
            for name, kind in self.columns.items()
            if kind == "json" and self.table.revisited
        ]
        return [f"CREATE TABLE {self.name} ({keyed})", *plain, *indexes]

    def rows_as_json(self, rows: Sequence[R]) -> str:
        """What `upsert` takes."""
        text = _ENCODER.encode(rows)
        if b"\\u0000" in text:
            text = _NUL.sub(rb"\1\\ufffd", text)
        return text.decode()

    def keys_as_json(self, keys: Sequence[Key]) -> str:
        """What `delete` and `select` take."""
        names = self.table.key
        return _ENCODER.encode([dict(zip(names, key, strict=True)) for key in keys]).decode()

    def decode(self, row: str) -> R:
        """A row from what `select` and `scan` give."""
        return self._decoder.decode(row)

    def scan(self, prefix: int, start: int) -> str:
        """Selects by the first `prefix` key fields, from the `start` ones after them on, in order of the key."""
        key = self.table.key
        conditions = [f"t.{name} = %s" for name in key[:prefix]]
        if start:
            bound = key[prefix : prefix + start]
            places = ", ".join(["%s"] * start)
            conditions.append(f"({', '.join(f't.{name}' for name in bound)}) >= ({places})")
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT row_to_json(t)::text FROM {self.name} AS t {where} ORDER BY {', '.join(key)}"  # noqa: S608

    def _upsert(self) -> str:
        names = ", ".join(self.columns)
        types_ = ", ".join(f"{name} {_plain(kind)}" for name, kind in self.columns.items())
        others = [name for name in self.columns if name not in self.table.key]
        sets = ", ".join(f"{name} = excluded.{name}" for name in others)
        action = f"UPDATE SET {sets}" if others else "NOTHING"
        return (
            f"INSERT INTO {self.name} ({names}) SELECT {names} "  # noqa: S608 - names are ours
            f"FROM json_to_recordset(%s::json) AS given ({types_}) "
            f"ON CONFLICT ({', '.join(self.table.key)}) DO {action}"
        )

    def _delete(self) -> str:
        same = " AND ".join(f"t.{name} = given.{name}" for name in self.table.key)
        return (
            f"DELETE FROM {self.name} AS t USING json_to_recordset(%s::json) AS given ({self._key_types}) "  # noqa: S608
            f"WHERE {same}"
        )

    def _select(self) -> str:
        return (
            f"SELECT row_to_json(t)::text FROM json_to_recordset(%s::json) AS given ({self._key_types}) "  # noqa: S608
            f"JOIN {self.name} AS t USING ({', '.join(self.table.key)})"
        )


def column_type(annotation: Any) -> str:
    """The type of the column that holds a field of this type."""
    kind = _required(annotation)
    if typing.get_origin(kind) is Literal:
        return _SCALARS[str]
    if typing.get_origin(kind) is tuple:
        return _IN_ARRAYS.get(_element(kind), "json")
    return _SCALARS.get(kind, "json")


def _element(kind: Any) -> Any:
    """The one type of a tuple's elements (None beside it or not), None where there are several."""
    elements = {_required(argument) for argument in typing.get_args(kind) if argument is not Ellipsis}
    return elements.pop() if len(elements) == 1 else None


def _required(annotation: Any) -> Any:
    """An annotation without its `| None`."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        others = [argument for argument in typing.get_args(annotation) if argument is not types.NoneType]
        return others[0] if len(others) == 1 else annotation
    return annotation


def _is_optional(annotation: Any) -> bool:
    return types.NoneType in typing.get_args(annotation)


def _plain(column: str) -> str:
    """A column's type where no collation may stand."""
    return column.partition(" COLLATE")[0]
