"""What the phrases of the notation have in common."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, TypeAlias, TypeVar

from domain.seats import BySeat
from replays.notation.course import Unsayable
from replays.notation.lexing import Cursor
from replays.notation.texts import quoted, seconds

SHORT: Final = 50
"""A string with fewer characters stays on the line of its word."""

T = TypeVar("T")

Lines: TypeAlias = list[list[str]]
"""A phrase: its lines, each as words between which a line may be broken."""


def time_since(since: datetime, at: datetime) -> list[str]:
    """`(SECONDS)` from one moment to another, nothing where they are the same. Raises `Unsayable`."""
    if at < since:
        raise Unsayable("a time that does not go back")
    return [f"({seconds(at - since)})"] if at != since else []


def named(word: str, text: str) -> list[str]:
    """The word and the string in quotes; a short one is not parted from its word."""
    pieces = quoted(text)
    return [f"{word} {pieces[0]}"] if len(pieces) == 1 and len(pieces[0]) < SHORT else [word, *pieces]


def optional(condition: bool, word: str) -> list[str]:  # noqa: FBT001 - reads as a sentence
    """The word where the condition holds."""
    return [word] if condition else []


def numbers(word: str, values: BySeat[int] | None) -> list[str]:
    """The word and four numbers by seat; nothing for None."""
    return [] if values is None else [word, *map(str, values)]


def read_numbers(cursor: Cursor, word: str) -> BySeat[int] | None:
    """Four numbers by seat, if this word comes next."""
    return (
        four(cursor.number(f"four numbers after `{word}`") for _ in range(4)) if cursor.skips(word) else None
    )


def needed_numbers(cursor: Cursor, word: str) -> BySeat[int]:
    """Four numbers by seat after this word. Raises `NotationError`."""
    values = read_numbers(cursor, word)
    if values is None:
        raise cursor.error(f"`{word}` and four numbers")
    return values


def four(values: Iterable[T]) -> BySeat[T]:
    """Four values as a tuple by seat."""
    first, second, third, fourth = values
    return (first, second, third, fourth)
