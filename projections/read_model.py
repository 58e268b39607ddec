"""Rows of read models: what a table is, and the port through which handlers read and write rows.

A handler is a pure function over `Rows`: it gets rows by key, puts and deletes them, and knows no database. Rows are
frozen structs; a change is a `put` of another struct under the same key. What a batch has put, it also gets.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from domain.errors import GongzhuError

R = TypeVar("R", bound=msgspec.Struct)

Key: TypeAlias = tuple[Any, ...]
"""The values (UUID, int or str) of a row's key fields, or of the first few of them, in order."""


class RowsUnavailable(GongzhuError):
    """Rows could not be read or written just now; nothing is known to be wrong with them."""


class RowRefused(GongzhuError):
    """The store refuses a row for what is in it; trying again would not help."""


class Index(msgspec.Struct, frozen=True):
    """An index readers want: columns in order (`points DESC` is one too), or an array to be looked into.

    The array may be a column, or an expression in parentheses.
    """

    columns: tuple[str, ...]
    method: Literal["btree", "gin"] = "btree"


class Table(Generic[R]):
    """A table of a read model: its rows' type, and which of their fields are the key.

    `revisited`: rows are read or changed again soon after they were written, so that keeping them at hand pays.
    """

    def __init__(
        self,
        name: str,
        row: type[R],
        key: tuple[str, ...],
        indexes: Sequence[Index] = (),
        *,
        revisited: bool = False,
    ) -> None:
        self.name = name
        self.row = row
        self.key = key
        self.indexes = tuple(indexes)
        self.revisited = revisited
        self._get = attrgetter(*key)
        self._single = len(key) == 1

    def __repr__(self) -> str:
        return f"Table({self.name!r})"

    def key_of(self, row: R) -> Key:
        """The key of a row."""
        values: Any = self._get(row)
        return (values,) if self._single else values


class Rows(Protocol):
    """The rows of one generation of a read model, as they are within one batch."""

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row of this whole key, or None."""
        ...

    def get_many(self, table: Table[R], keys: Sequence[Key]) -> list[R | None]:
        """The rows of these whole keys, in their order, None where there is none."""
        ...

    def scan(self, table: Table[R], prefix: Key, start: Key = ()) -> Iterator[R]:
        """The rows whose keys begin with `prefix`, in order of their keys, from `prefix + start` on.

        What is put or deleted while it runs may or may not show in it.
        """
        ...

    def put(self, table: Table[R], row: R) -> None:
        """Writes a row in the place of what is under its key."""
        ...

    def delete(self, table: Table[R], key: Key) -> None:
        """Removes the row of this key, if there is one."""
        ...
