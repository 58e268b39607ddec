"""The one call that appends to the match log, and what it answers (design §4).

Everything queued goes into one call of the SQL function `log.append`, in one transaction: whole commands that no
longer fit are dropped, the rest is inserted.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from adapters.postgres.binary_arrays import Bigints, Byteas, Integers, Smallints, Texts, Uuids
from adapters.serialization import part_digests

NO_SEAT: Final = -1

LOCK: Final = 7283946501
"""The advisory transaction lock under which positions are given; the same number stands in `log.append`."""

APPEND: Final = b"""
SELECT last_before, verdicts FROM log.append(
    %b::integer,
    %b, %b, %b, %b, %b, %b, %b,
    %b, %b, %b,
    %b, %b, %b, %b, %b, %b
)
"""

Result = Literal["stored", "conflict", "repeated"]


class NewRow(msgspec.Struct, frozen=True):
    """A row to append; its position is given by the log."""

    match: UUID
    version: int
    tag: str
    body: bytes


class CommandKey(msgspec.Struct, frozen=True):
    """Under which id a command is remembered, and the keyed digest of its content."""

    match: UUID
    seat: int
    command_id: UUID
    content: bytes


class Append(msgspec.Struct, frozen=True):
    """One command's rows, stored whole or not at all. The versions of each match in it are consecutive."""

    rows: Sequence[NewRow]
    key: CommandKey | None = None


class Appended(msgspec.Struct, frozen=True):
    """What became of one command; `first_position` where it was stored, the others follow densely."""

    result: Result
    first_position: int | None


def append_arguments(appends: Sequence[Append]) -> list[Any]:
    """The arguments of `APPEND` for these commands. Raises `ValueError` for versions that do not follow each other."""
    keyed = [
        (number, append.key, append.rows)
        for number, append in enumerate(appends, 1)
        if append.key is not None
    ]
    streams = [
        (number, *stream) for number, append in enumerate(appends, 1) for stream in _streams(append.rows)
    ]
    rows = [(number, row) for number, append in enumerate(appends, 1) for row in append.rows]
    return [
        len(appends),
        Integers([number for number, _, _ in keyed]),
        Uuids([key.match for _, key, _ in keyed]),
        Smallints([key.seat for _, key, _ in keyed]),
        Uuids([key.command_id for _, key, _ in keyed]),
        Byteas([key.content for _, key, _ in keyed]),
        Bigints([rows[0].version for _, _, rows in keyed]),
        Bigints([rows[-1].version for _, _, rows in keyed]),
        Integers([number for number, _, _ in streams]),
        Uuids([match for _, match, _ in streams]),
        Bigints([first for _, _, first in streams]),
        Integers([number for number, _ in rows]),
        Uuids([row.match for _, row in rows]),
        Bigints([row.version for _, row in rows]),
        Texts([row.tag for _, row in rows]),
        Byteas([row.body for _, row in rows]),
        Byteas([part_digests(row.body) for _, row in rows]),
    ]


def _streams(rows: Sequence[NewRow]) -> list[tuple[UUID, int]]:
    """The first version of each match in a command's rows."""
    first: dict[UUID, int] = {}
    last: dict[UUID, int] = {}
    for row in rows:
        first.setdefault(row.match, row.version)
        if row.version != last.get(row.match, row.version - 1) + 1:
            raise ValueError(f"version {row.version} of match {row.match} does not follow {last[row.match]}")
        last[row.match] = row.version
    return list(first.items())


def outcomes(appends: Sequence[Append], answer: tuple[int, list[Result]] | None) -> list[Appended]:
    """The outcomes by command, from the row that `APPEND` returned: stored rows follow the last position densely."""
    assert answer is not None, "the function gives one row"
    position, verdicts = answer
    appended = []
    for append, verdict in zip(appends, verdicts, strict=True):
        stored = verdict == "stored"
        appended.append(Appended(verdict, position + 1 if stored else None))
        position += len(append.rows) if stored else 0
    return appended
