"""What can be read of a log, its read models and its stream by whoever may read them: as lines to be compared.

What is sealed, and digests of it, may be compared by length only (design P2).
"""

import re
from collections.abc import Sequence
from typing import Final

import psycopg

from adapters.nats.headers import ROW_DIGEST, SEALED_DIGEST
from adapters.nats.stream import StoredMessage
from adapters.serialization import public_part, sealed_part

_COMMITMENT: Final = re.compile(r"(commitment[\"']?[:=] ?[\"'])([0-9a-f]+)")
SEALED_COLUMNS: Final = {"digest", "content", "state"}
"""Columns that hold sealed parts, or digests of them: only their lengths may be compared."""


def masked(text: str) -> str:
    """The text with commitments, which count as sealed, replaced by their lengths."""
    return (
        _COMMITMENT.sub(lambda found: f"{found[1]}<{len(found[2])}>", text) if "commitment" in text else text
    )


def readable(database_url: str) -> list[str]:
    """Every row of every table, sealed parts and their digests as lengths."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        ).fetchall()
        return [line for schema, table in tables for line in _rows(connection, schema, table)]


def _rows(connection: psycopg.Connection[tuple[object, ...]], schema: str, table: str) -> list[str]:
    query = psycopg.sql.SQL("SELECT * FROM {}").format(psycopg.sql.Identifier(schema, table))
    cursor = connection.execute(query)
    names = [column.name for column in cursor.description or ()]
    rows = [
        " ".join(f"{name}={_cell(name, value)}" for name, value in zip(names, row, strict=True))
        for row in cursor
    ]
    return [f"{schema}.{table}: {row}" for row in sorted(rows)]


def _cell(name: str, value: object) -> str:
    if isinstance(value, bytes) and name == "body":
        return f"{masked(public_part(value).decode())} sealed={len(sealed_part(value) or b'')}"
    if isinstance(value, bytes) and name in SEALED_COLUMNS:
        return f"<{len(value)} bytes>"
    return masked(repr(value))


def readable_message(message: StoredMessage) -> str:
    """A message of the stream; the digests among its headers as lengths."""
    headers = {
        name: f"<{len(value)}>" if name in (ROW_DIGEST, SEALED_DIGEST) else value
        for name, value in message.headers.items()
    }
    return f"message GONGZHU {message.sequence} {message.subject} {headers} {masked(message.body.decode())}"


def first_difference(one: Sequence[str], other: Sequence[str]) -> str | None:
    """The first line that differs, as seen in both worlds, or None."""
    for left, right in zip(one, other, strict=False):
        if left != right:
            return f"{left}\n!=\n{right}"
    return None if len(one) == len(other) else f"{len(one)} lines in one world, {len(other)} in the other"
