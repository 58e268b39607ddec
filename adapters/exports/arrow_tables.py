"""The Parquet tables of an export: their Arrow schemas, made from the shapes of the rows, and rows as Arrow tables.

Ids and words are dictionary-encoded strings, times timestamps in UTC of microseconds. `events` holds every public
event as it is stored: the other tables are made from it, and import reads nothing else.
"""

import types
import typing
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
import pyarrow as pa

from adapters.exports.ended_matches import EndedMatch
from replays.tabular import TABLES, FlatRows, flat_rows

EVENTS: Final = "events"
WORDS: Final = pa.dictionary(pa.int32(), pa.string())
_MOMENT: Final = pa.timestamp("us", tz="UTC")
_SMALL: Final = frozenset(
    [
        "hand_no",
        "trick_no",
        "play_no",
        "declaration_no",
        "place",
        "seat",
        "taken_by",
        "played_in_trick",
        "decks",
    ]
)
_ONE_OF_A_KIND: Final = frozenset(["anchor", "commitment", "opening"])
"""Strings of which hardly two are the same."""


class PublicEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event of the log: `public` is its stored public form, byte for byte, as JSON in UTF-8."""

    match: UUID
    version: int
    type: str
    schema: int
    at: datetime
    public: str


_SHAPES: Final[dict[str, Any]] = {EVENTS: PublicEvent, **TABLES}


def _column(name: str, annotation: Any) -> pa.Field:
    optional = isinstance(annotation, types.UnionType) and type(None) in typing.get_args(annotation)
    kind = (
        next(part for part in typing.get_args(annotation) if part is not type(None))
        if optional
        else annotation
    )
    return pa.field(name, _type(name, kind), nullable=optional)


def _type(name: str, kind: Any) -> pa.DataType:
    if kind is int:
        return pa.int16() if name in _SMALL else pa.int64()
    if kind is str and name in (*_ONE_OF_A_KIND, "public"):
        return pa.string()
    if kind in (str, UUID) or typing.get_origin(kind) is Literal:
        return WORDS
    return {bool: pa.bool_(), datetime: _MOMENT, tuple[str, ...]: pa.list_(pa.string())}[kind]


SCHEMAS: Final[dict[str, pa.Schema]] = {
    name: pa.schema([_column(field.name, field.type) for field in msgspec.structs.fields(shape)])
    for name, shape in _SHAPES.items()
}
"""The schema of every table by name, in the order of the columns."""

_IDS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(
        field.name for field in msgspec.structs.fields(shape) if field.type in (UUID, UUID | None)
    )
    for name, shape in _SHAPES.items()
}
"""The columns of ids, by table."""


class Rows:
    """Rows of all tables for some matches, until they are taken as Arrow tables."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Any]] = {name: [] for name in SCHEMAS}
        self.bytes = 0

    def add(self, match: EndedMatch) -> None:
        """One more match. Raises `BrokenLog`."""
        events = match.events()
        for row, event in zip(match.rows, events, strict=True):
            name, _, schema = row.tag.partition(".")
            public = row.public
            self.bytes += len(public)
            self._rows[EVENTS].append(
                PublicEvent(
                    match=match.id,
                    version=row.version,
                    type=name,
                    schema=int(schema),
                    at=event.at,
                    public=public.decode(),
                )
            )
        self.add_flat(flat_rows(events))

    def add_flat(self, rows: FlatRows) -> None:
        """One more match, without its events."""
        for name, of_match in rows._asdict().items():
            self._rows[name] += of_match

    def take(self) -> dict[str, pa.Table]:
        """The rows as Arrow tables; what was added is forgotten here."""
        tables = {name: _table(name, rows) for name, rows in self._rows.items()}
        self._rows = {name: [] for name in SCHEMAS}
        self.bytes = 0
        return tables


def _table(name: str, rows: Sequence[Any]) -> pa.Table:
    texts: dict[int, str] = {}
    columns = []
    for field in SCHEMAS[name]:
        values: Iterable[Any] = map(attrgetter(field.name), rows)
        if field.name in _IDS[name]:
            values = [None if value is None else _text(value, texts) for value in values]
        columns.append(pa.array(values, field.type, size=len(rows)))
    return pa.Table.from_arrays(columns, schema=SCHEMAS[name])


def _text(value: UUID, texts: dict[int, str]) -> str:
    # A number is found quicker than a UUID, whose hash is computed in Python.
    text = texts.get(value.int)
    if text is None:
        text = texts[value.int] = str(value)
    return text
