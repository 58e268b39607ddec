"""Looking for a text wherever it could stand: every column of every table of a database, and the files of tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

_COLUMNS = """
SELECT namespace.nspname, relation.relname, attribute.attname
FROM pg_attribute AS attribute JOIN pg_class AS relation ON relation.oid = attribute.attrelid
     JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
WHERE relation.relkind IN ('r', 'p', 'm') AND attribute.attnum > 0 AND NOT attribute.attisdropped
ORDER BY 1, 2, 3
"""
_FILES = """
SELECT pg_relation_filepath(oid) FROM pg_class WHERE oid = %(name)s::regclass
UNION ALL SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE oid = %(name)s::regclass
"""


def columns_holding(database_url: str, texts: Sequence[str]) -> list[str]:
    """The columns, as schema.table.column, in some row of which any of these texts stands, whatever their case.

    Every column of every schema is looked at, the system's own with its statistics too: as text, and as bytes.
    """
    with psycopg.connect(database_url) as connection:
        found = connection.execute(_COLUMNS).fetchall()
        return [".".join(names) for names in found if _holds(connection, names, texts)]


def _holds(
    connection: psycopg.Connection[tuple[object, ...]], names: tuple[object, ...], texts: Sequence[str]
) -> bool:
    schema, table, column = map(str, names)
    query = sql.SQL(
        "SELECT EXISTS (SELECT FROM {table} WHERE lower({column}::text) LIKE ANY (%s)"
        " OR position(%s::text IN {column}::text) > 0)"
    ).format(table=sql.Identifier(schema, table), column=sql.Identifier(column))
    # bytea reads as hexadecimal digits, so what stands in one is looked for as those.
    for text in texts:
        row = connection.execute(query, [[f"%{text.lower()}%"], text.encode().hex()]).fetchone()
        if row is not None and row[0]:
            return True
    return False


def files_of(database_url: str, tables: Sequence[str]) -> bytes:
    """What the files of these tables hold on the disk, deleted rows included."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
        return b"".join(path.read_bytes() for path in _files(connection, Path(str(row[0])), tables))


def _files(
    connection: psycopg.Connection[tuple[object, ...]], folder: Path, tables: Sequence[str]
) -> Iterator[Path]:
    for table in tables:
        for (path,) in connection.execute(_FILES, {"name": table}):
            if path is not None:
                yield folder / str(path)
