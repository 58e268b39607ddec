"""Generations of projections: their tables, their checkpoints, and which of them is read (design §6).

A generation is one filling of a projection's tables, in the schema `<projection>_<generation>`. Its checkpoint is
locked by whoever applies messages; the pointer says which one is read, and is looked at after the lock, in a statement
of its own, so that it is seen as it is then.
"""

import hashlib
from typing import Any, Final

import psycopg

from adapters.errors import AdapterError
from adapters.postgres.stored_tables import StoredTable
from projections.checkpoints import Checkpoint
from projections.runner import Projection, ProjectionStopped

_CREATION_LOCK: Final = 7283946504

_LOCK_CREATION: Final = b"SELECT pg_advisory_xact_lock(%s)"
_LIVE: Final = b"SELECT generation FROM projections.live WHERE projection = %s"
_NEW_NUMBER: Final = (
    b"SELECT coalesce(max(generation), 0) + 1 FROM projections.checkpoints WHERE projection = %s"
)
_INSERT: Final = b"""
INSERT INTO projections.checkpoints (projection, generation, log, form, position) VALUES (%s, %s, %s, %s, 0)
"""
_FORM: Final = (
    b"SELECT form FROM projections.checkpoints WHERE projection = %s AND generation = %s AND log = %s"
)
_FIND: Final = b"""
SELECT position, epoch, digest FROM projections.checkpoints
WHERE projection = %s AND generation = %s AND log = %s
"""
_ADVANCE: Final = b"""
UPDATE projections.checkpoints SET position = %s, epoch = %s, digest = %s
WHERE projection = %s AND generation = %s AND log = %s
"""
_POINT: Final = b"""
INSERT INTO projections.live (projection, generation) VALUES (%s, %s)
ON CONFLICT (projection) DO UPDATE SET generation = excluded.generation
"""
_OTHERS: Final = b"""
SELECT DISTINCT generation FROM projections.checkpoints WHERE projection = %s AND generation <> ALL (%s::integer[])
"""
_FORGET: Final = b"DELETE FROM projections.checkpoints WHERE projection = %s AND generation = %s"


class NotProjectedYet(AdapterError):
    """A read model that has no rows yet, because nothing has filled it."""


def schema_of(projection: str, generation: int) -> str:
    """Where the tables of a generation are."""
    return f"{projection}_{generation}"


def form_of(projection: Projection) -> str:
    """A digest of what a generation's rows depend on: tables, keys, columns, and the handlers' revision."""
    parts: list[object] = [projection.revision]
    for table in projection.tables:
        parts += [table.name, table.key, sorted(StoredTable("any", table).columns.items())]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def live_generation(connection: psycopg.Connection[Any], projection: str) -> int | None:
    """The generation that is read, None before there is one."""
    row = connection.execute(_LIVE, [projection]).fetchone()
    return None if row is None else int(row[0])


def live_schema(connection: psycopg.Connection[Any], projection: str) -> str:
    """Where the tables of the generation that is read are. Raises `NotProjectedYet`."""
    generation = live_generation(connection, projection)
    if generation is None:
        raise NotProjectedYet(f"the read model {projection} is empty: run `gongzhu serve`, or play something")
    return schema_of(projection, generation)


def open_live(connection: psycopg.Connection[Any], projection: Projection, log: str) -> int:
    """The generation that is read, made where there is none. Raises `ProjectionStopped` where it has another form."""
    with connection.transaction():
        # Several processes may start at once; the second finds what the first has made.
        connection.execute(_LOCK_CREATION, [_CREATION_LOCK])
        generation = live_generation(connection, projection.name)
        if generation is None:
            generation = _create(connection, projection, log)
            make_live(connection, projection.name, generation)
    if form_in(connection, projection.name, generation, log) != form_of(projection):
        raise ProjectionStopped(projection.name, other_form(projection.name))
    return generation


def open_where_missing(connection: psycopg.Connection[Any], projection: Projection, log: str) -> None:
    """Makes the generation that is read where there is none: a read model that nobody has filled is empty."""
    if live_generation(connection, projection.name) is None:
        open_live(connection, projection, log)


def other_form(projection: str) -> str:
    """What to do about rows of another version."""
    return f"its rows were made by another version; run `gongzhu projections rebuild {projection}`"


def create(connection: psycopg.Connection[Any], projection: Projection, log: str) -> int:
    """A new generation, empty, beside the one that is read."""
    with connection.transaction():
        connection.execute(_LOCK_CREATION, [_CREATION_LOCK])
        return _create(connection, projection, log)


def _create(connection: psycopg.Connection[Any], projection: Projection, log: str) -> int:
    generation = _number(connection.execute(_NEW_NUMBER, [projection.name]).fetchone())
    schema = schema_of(projection.name, generation)
    connection.execute(f'CREATE SCHEMA "{schema}"'.encode())
    for table in projection.tables:
        for statement in StoredTable(schema, table).definitions():
            connection.execute(statement.encode())
    connection.execute(_INSERT, [projection.name, generation, log, form_of(projection)])
    return generation


def _number(row: tuple[Any, ...] | None) -> int:
    assert row is not None, "an aggregate gives one row"
    return int(row[0])


def form_in(connection: psycopg.Connection[Any], projection: str, generation: int, log: str) -> str | None:
    """The form of a generation's rows, None where it does not read this log."""
    row = connection.execute(_FORM, [projection, generation, log]).fetchone()
    return None if row is None else str(row[0])


def checkpoint_of(
    connection: psycopg.Connection[Any], projection: str, generation: int, log: str, *, lock: bool = False
) -> Checkpoint | None:
    """Where a generation stands, None where there is no such one; `lock` until the transaction's end."""
    statement = _FIND + b"FOR UPDATE" if lock else _FIND
    row = connection.execute(statement, [projection, generation, log]).fetchone()
    if row is None:
        return None
    position, epoch, digest = row
    return Checkpoint(
        log=log, projection=projection, generation=generation, position=position, epoch=epoch, digest=digest
    )


def advance(connection: psycopg.Connection[Any], to: Checkpoint) -> None:
    """Writes a checkpoint, in the transaction that wrote its rows."""
    connection.execute(_ADVANCE, [to.position, to.epoch, to.digest, to.projection, to.generation, to.log])


def make_live(connection: psycopg.Connection[Any], projection: str, generation: int) -> None:
    """Lets this generation be read from the commit on."""
    connection.execute(_POINT, [projection, generation])


def others(connection: psycopg.Connection[Any], projection: str, *keep: int) -> list[int]:
    """The generations of a projection but these."""
    return sorted(row[0] for row in connection.execute(_OTHERS, [projection, list(keep)]))


def drop(connection: psycopg.Connection[Any], projection: str, generation: int) -> None:
    """Removes a generation that is not read, with its rows."""
    with connection.transaction():
        connection.execute(_FORGET, [projection, generation])
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema_of(projection, generation)}" CASCADE'.encode())
