"""Rows in memory and in PostgreSQL are one contract; what a struct holds comes back from its table as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal
from uuid import UUID

import msgspec
import psycopg
import pytest

from adapters.postgres.projection_store import connect
from adapters.postgres.read_models import PostgresRows
from adapters.postgres.stored_tables import StoredTable, column_type
from projections.read_model import Index, RowRefused, Rows, RowsUnavailable, Table
from tests.support.rows_in_memory import RowsInMemory

ONE, TWO = UUID(int=1), UUID(int=2**127)


class Part(msgspec.Struct, frozen=True):
    text: str
    number: int


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    owner: UUID
    number: int
    name: str
    seats: tuple[UUID | None, UUID | None] = (None, None)
    scores: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    share: float = 0.1
    maybe: int | None = None
    kind: Literal["big", "small"] = "big"
    at: datetime | None = None
    flag: bool = False
    part: Part | None = None
    parts: tuple[Part, ...] = ()


THINGS = Table(
    "things", Thing, ("owner", "number", "name"), [Index(("name", "number DESC")), Index(("words",), "gin")]
)
SINGLES = Table("singles", Thing, ("name",), revisited=True)
Renewed = Callable[[], Rows]


@contextmanager
def in_postgres(database_url: str) -> Iterator[Renewed]:
    """Rows in a transaction; each call writes and forgets, so that the next reads come from the tables."""
    with connect(database_url) as connection, connection.transaction(force_rollback=True):
        connection.execute('CREATE SCHEMA "made"')
        for table in (THINGS, SINGLES):
            for statement in StoredTable("made", table).definitions():
                connection.execute(statement.encode())
        rows = PostgresRows(connection, "made", [THINGS, SINGLES])

        def renewed() -> Rows:
            rows.flush()
            rows.forget()
            return rows

        yield renewed


@contextmanager
def in_memory(_database_url: str) -> Iterator[Renewed]:
    rows = RowsInMemory()
    yield lambda: rows


@pytest.fixture(params=[in_memory, in_postgres], ids=["memory", "postgres"])
def renewed(request: pytest.FixtureRequest, database_url: str) -> Iterator[Renewed]:
    with request.param(database_url) as made:
        yield made


def thing(owner: UUID = ONE, number: int = 1, name: str = "a", **fields: object) -> Thing:
    return Thing(owner=owner, number=number, name=name, **fields)  # type: ignore[arg-type]


FULL = thing(
    TWO,
    -(2**63),
    "ü \\u0041 \\\\ ' \" \n 猪",
    seats=(None, TWO),
    scores=(1, -2, 2**62),
    words=("x, {y}", '"', ""),
    share=0.1 + 0.2,
    maybe=0,
    kind="small",
    at=datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC),
    flag=True,
    part=Part("猪", 2**100),
    parts=(Part("a", 1), Part("b", 2)),
)


def test_every_kind_of_field_comes_back_as_it_was(renewed: Renewed) -> None:
    renewed().put(THINGS, FULL)
    assert renewed().get(THINGS, THINGS.key_of(FULL)) == FULL


def test_a_batch_gets_what_it_has_put_and_not_what_it_has_deleted(renewed: Renewed) -> None:
    rows = renewed()
    rows.put(THINGS, thing())
    assert rows.get(THINGS, (ONE, 1, "a")) == thing()
    rows.put(THINGS, thing(maybe=7))
    assert rows.get(THINGS, (ONE, 1, "a")) == thing(maybe=7)
    rows.delete(THINGS, (ONE, 1, "a"))
    assert rows.get(THINGS, (ONE, 1, "a")) is None
    assert renewed().get(THINGS, (ONE, 1, "a")) is None


def test_a_put_replaces_the_whole_row_of_an_earlier_batch(renewed: Renewed) -> None:
    renewed().put(THINGS, thing(maybe=7, parts=(Part("a", 1),)))
    renewed().put(THINGS, thing(flag=True))
    assert renewed().get(THINGS, (ONE, 1, "a")) == thing(flag=True)


def test_deleting_what_is_not_there_does_nothing(renewed: Renewed) -> None:
    renewed().delete(THINGS, (ONE, 1, "a"))
    assert renewed().get(THINGS, (ONE, 1, "a")) is None


def test_many_rows_come_in_the_order_asked_for_with_none_for_the_missing(renewed: Renewed) -> None:
    rows = renewed()
    rows.put(THINGS, thing(number=1))
    rows.put(THINGS, thing(number=2))
    keys = [(ONE, 2, "a"), (ONE, 3, "a"), (ONE, 1, "a"), (ONE, 2, "a")]
    expected = [thing(number=2), None, thing(number=1), thing(number=2)]
    assert rows.get_many(THINGS, keys) == expected
    assert renewed().get_many(THINGS, keys) == expected
    assert rows.get_many(THINGS, []) == []


def test_a_scan_gives_the_rows_of_a_prefix_in_order_of_their_keys(renewed: Renewed) -> None:
    rows = renewed()
    names = ["b", "B", "ä", "a", "猪", "aa", " "]
    for name in names:
        rows.put(THINGS, thing(number=5, name=name))
    rows.put(THINGS, thing(TWO, 5, "other"))
    renewed()
    rows.put(THINGS, thing(number=-5, name="new"))
    rows.delete(THINGS, (ONE, 5, "aa"))
    kept = sorted(set(names) - {"aa"})
    assert [row.name for row in rows.scan(THINGS, (ONE,))] == ["new", *kept]
    assert [row.name for row in rows.scan(THINGS, (ONE, 5))] == kept
    assert [row.name for row in rows.scan(THINGS, (ONE,), (0,))] == kept
    assert [row.name for row in rows.scan(THINGS, (ONE,), (5, "b"))] == [n for n in kept if n >= "b"]
    assert [row.owner for row in rows.scan(THINGS, ())] == [ONE] * (1 + len(kept)) + [TWO]
    assert list(rows.scan(THINGS, (UUID(int=3),))) == []


def test_more_rows_than_are_kept_unwritten_come_back(renewed: Renewed) -> None:
    rows = renewed()
    for number in range(6_000):
        rows.put(SINGLES, thing(number=number, name=f"{number:05}"))
    assert sum(1 for _ in renewed().scan(SINGLES, ())) == 6_000


def test_times_of_other_zones_are_the_same_moments(renewed: Renewed) -> None:
    at = datetime(2026, 3, 1, 0, 30, tzinfo=timezone(timedelta(hours=8)))
    renewed().put(THINGS, thing(at=at))
    found = renewed().get(THINGS, (ONE, 1, "a"))
    assert found is not None
    assert found.at == at


def test_a_nul_in_a_text_becomes_the_replacement_character(database_url: str) -> None:
    with in_postgres(database_url) as renewed:
        renewed().put(SINGLES, thing(name="n", words=("a\0b", "\\u0000", "\\\0")))
        found = renewed().get(SINGLES, ("n",))
        assert found is not None
        assert found.words == ("a\ufffdb", "\\u0000", "\\\ufffd")


def test_a_row_the_database_refuses_is_told_from_a_database_that_is_away(database_url: str) -> None:
    with connect(database_url) as connection:
        rows = PostgresRows(connection, "nowhere", [THINGS])
        with pytest.raises(RowsUnavailable):
            rows.get(THINGS, (ONE, 1, "a"))
    with in_postgres(database_url) as renewed:
        renewed().put(THINGS, thing(maybe=2**63))
        with pytest.raises(RowRefused):
            renewed()


def test_rows_of_a_dead_backend_are_unavailable(database_url: str) -> None:
    with connect(database_url) as connection:
        backend = connection.info.backend_pid
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])
        with pytest.raises(RowsUnavailable):
            PostgresRows(connection, "nowhere", [THINGS]).get(THINGS, (ONE, 1, "a"))


@pytest.mark.parametrize(
    ("annotation", "column"),
    [
        (int, "bigint"),
        (int | None, "bigint"),
        (float, "double precision"),
        (Literal["a", "b"], 'text COLLATE "C"'),
        (tuple[int, int, int, int], "bigint[]"),
        (tuple[UUID | None, UUID | None], "uuid[]"),
        (tuple[str, ...] | None, 'text[] COLLATE "C"'),
        (tuple[int, str], "json"),
        (tuple[tuple[int, int], ...], "json"),
        (Part, "json"),
        (Part | None, "json"),
    ],
)
def test_columns_follow_the_types_of_fields(annotation: object, column: str) -> None:
    assert column_type(annotation) == column
