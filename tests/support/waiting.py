"""Waiting for what will happen soon: on a condition and never on a clock alone."""

from collections.abc import Callable
from typing import TypeVar

from adapters import processes

T = TypeVar("T")


def eventually(look: Callable[[], T], *, within_s: float = 30, what: str = "") -> T:
    """What `look` gives as soon as that is true; fails the test, naming `what`, if it is not so in time."""
    last: list[T] = []

    def holds() -> bool:
        last[:] = [look()]
        return bool(last[0])

    assert processes.wait_until(holds, within_s), f"not within {within_s} s: {what or look}"
    return last[0]
