"""Upcasts: how the stored public form of an older event becomes the shape of today (design §3).

Stored events are never rewritten. A row of an older `schema` is decoded to plain values, led through the functions
here one schema at a time, and only then becomes an event. Shapes are frozen from schema 1 of each type on: each new
schema adds its function here and, in the same commit, a recorded file (`tests/support/recording.py` only ever adds).
"""

from collections.abc import Callable
from typing import Any, Final

Upcast = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTS: Final[dict[tuple[str, int], Upcast]] = {}
"""By event type and the schema it comes from; the result has the next schema."""


def upcast(name: str, fields: dict[str, Any], newest: int) -> dict[str, Any]:
    """The fields of an event in its newest schema. Raises `KeyError` where a step is missing."""
    for schema in range(int(fields["schema"]), newest):
        fields = {**UPCASTS[name, schema](fields), "schema": schema + 1}
    return fields
