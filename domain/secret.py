"""The holder that keeps a secret out of every text and every encoder."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Secret(Generic[T]):
    """A value that prints as `<secret>` and that msgspec refuses to encode.

    A plain object on purpose: an event whose secret part was not taken off cannot be written in clear by accident.
    """

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<secret>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.value == other.value

    def __hash__(self) -> int:
        return hash((Secret, self.value))
