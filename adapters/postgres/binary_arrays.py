"""Arrays as PostgreSQL's binary protocol has them, packed at once.

psycopg packs lists element by element in Python and looks at each to find its type; the arrays of an append have known
types, and packing them costs more than all else that happens to a command here. Each class is one type of array.
"""

from collections.abc import Iterable, Sequence
from struct import pack
from typing import Any, ClassVar, Final
from uuid import UUID

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

_LENGTH: Final = {size: pack("!i", size) for size in range(64)}


class BinaryArray:
    """An array without NULLs, packed. `array_oid` and `element_oid` are the catalogue's numbers of its types."""

    array_oid: ClassVar[int]
    element_oid: ClassVar[int]
    __slots__ = ("packed",)

    def __init__(self, elements: Sequence[bytes]) -> None:
        if not elements:
            self.packed = pack("!iii", 0, 0, self.element_oid)
            return
        parts = [pack("!iiiii", 1, 0, self.element_oid, len(elements), 1)]
        for element in elements:
            size = len(element)
            parts += (_LENGTH.get(size) or pack("!i", size), element)
        self.packed = b"".join(parts)


class Smallints(BinaryArray):
    """`smallint[]`."""

    array_oid, element_oid = 1005, 21

    def __init__(self, values: Iterable[int]) -> None:
        super().__init__([pack("!h", value) for value in values])


class Integers(BinaryArray):
    """`integer[]`."""

    array_oid, element_oid = 1007, 23

    def __init__(self, values: Iterable[int]) -> None:
        super().__init__([pack("!i", value) for value in values])


class Bigints(BinaryArray):
    """`bigint[]`."""

    array_oid, element_oid = 1016, 20

    def __init__(self, values: Iterable[int]) -> None:
        super().__init__([pack("!q", value) for value in values])


class Uuids(BinaryArray):
    """`uuid[]`."""

    array_oid, element_oid = 2951, 2950

    def __init__(self, values: Iterable[UUID]) -> None:
        super().__init__([value.bytes for value in values])


class Texts(BinaryArray):
    """`text[]`."""

    array_oid, element_oid = 1009, 25

    def __init__(self, values: Iterable[str]) -> None:
        super().__init__([value.encode() for value in values])


class Byteas(BinaryArray):
    """`bytea[]`."""

    array_oid, element_oid = 1001, 17

    def __init__(self, values: Iterable[bytes]) -> None:
        super().__init__(list(values))


class _PackedDumper(Dumper):
    """Hands over what is packed already."""

    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        """The bytes of the array."""
        packed: bytes = obj.packed
        return packed


for _kind in (Smallints, Integers, Bigints, Uuids, Texts, Byteas):
    _dumper = type(f"_{_kind.__name__}Dumper", (_PackedDumper,), {"oid": _kind.array_oid})
    psycopg.adapters.register_dumper(_kind, _dumper)
