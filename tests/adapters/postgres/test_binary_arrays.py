"""Arrays packed by us arrive as what they were."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from adapters.postgres.binary_arrays import Bigints, BinaryArray, Byteas, Integers, Smallints, Texts, Uuids

ARRAYS: list[tuple[type[BinaryArray], str, list[Any]]] = [
    (Smallints, "smallint[]", [-1, 0, 3, 32767]),
    (Integers, "integer[]", [1, -2, 2**31 - 1]),
    (Bigints, "bigint[]", [1, -(2**63), 2**63 - 1]),
    (Uuids, "uuid[]", [UUID(int=0), UUID(int=2**128 - 1)]),
    (Texts, "text[]", ["CardsPlayed.1", "拱猪", ""]),
    (Byteas, "bytea[]", [b"", b"\0\xff", b"x" * 5000]),
]


@pytest.mark.parametrize(("kind", "name", "values"), ARRAYS, ids=[name for _, name, _ in ARRAYS])
def test_packed_array_arrives_as_it_was(
    kind: Any, name: str, values: list[Any], empty_database_url: str
) -> None:
    with psycopg.connect(empty_database_url) as connection:
        for given in (values, [], values[:1]):
            row = connection.execute("SELECT %b, pg_typeof(%b)::text", [kind(given), kind(given)]).fetchone()
            assert row == (given, name)
