"""Compares two generations of a projection, row for row.

Every column of every row counts, and all of them follow from the log alone: a read model holds nothing that a rebuild
would not make again.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import psycopg

from adapters.postgres.generations import schema_of
from adapters.postgres.stored_tables import StoredTable
from projections.read_model import Table
from projections.runner import Projection

MOST_SHOWN: Final = 100
"""How many differing rows of a table are given; all are counted."""


class Difference(msgspec.Struct, frozen=True):
    """A row that is not the same in both, as text; None where there is none. `table` may name the checkpoint."""

    table: str
    live: str | None
    rebuilt: str | None


class TableComparison(msgspec.Struct, frozen=True):
    """One table: how many rows the rebuilt generation has, and how many are not the same in both."""

    table: str
    rows: int
    different: int
    shown: tuple[Difference, ...]


def compare(
    connection: psycopg.Connection[Any], projection: Projection, live: int, rebuilt: int
) -> list[TableComparison]:
    """Compares all tables, in the transaction around it."""
    return [
        _compare_table(
            connection, table, schema_of(projection.name, live), schema_of(projection.name, rebuilt)
        )
        for table in projection.tables
    ]


def _compare_table(
    connection: psycopg.Connection[Any], table: Table[Any], live: str, rebuilt: str
) -> TableComparison:
    key = ", ".join(table.key)
    # A whole row as text: numbers to their last digit, documents as they were written.
    sides = [
        f"(SELECT {key}, t::text AS row FROM {StoredTable(schema, table).name} AS t)"  # noqa: S608 - names are ours
        for schema in (live, rebuilt)
    ]
    joined = f"{sides[0]} AS live FULL JOIN {sides[1]} AS rebuilt USING ({key})"
    unequal = f"FROM {joined} WHERE live.row IS DISTINCT FROM rebuilt.row"
    counted = f"SELECT count(rebuilt.row), count(*) FILTER (WHERE live.row IS DISTINCT FROM rebuilt.row) FROM {joined}"  # noqa: S608
    rows, different = _first(connection.execute(counted.encode()).fetchall())
    shown: Sequence[Any] = ()
    if different:
        query = f"SELECT live.row, rebuilt.row {unequal} ORDER BY {key} LIMIT {MOST_SHOWN}"
        shown = connection.execute(query.encode()).fetchall()
    return TableComparison(
        table.name, rows, different, tuple(Difference(table.name, old, new) for old, new in shown)
    )


def _first(rows: list[Any]) -> Any:
    return rows[0]
