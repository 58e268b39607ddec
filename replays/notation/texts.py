"""The small texts of the notation, written and read back: quoted strings, comments, times, cards.

Whatever a string holds, its written form is one line of printable characters that a mail program leaves alone.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.cards import RANKS, SUITS

WIDTH: Final = 78
"""No line of the canonical form is longer, where its words admit that."""
PIECE: Final = 64
"""The most characters between two quotes; longer strings are written in several pieces."""

SUIT_OF_SIGN: Final = dict(zip("♠♥♦♣♤♡♢♧", SUITS * 2, strict=True))

_MICROSECOND: Final = timedelta(microseconds=1)
_ESCAPED: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))", re.DOTALL)
_CARD: Final = re.compile(r"(.)\ufe0f?(10|.)([abAB]?)", re.DOTALL)
_PLAIN: Final = '\\"{}'
HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
"""What no text in UTF-8 holds."""
_LARGEST: Final = 0x10FFFF


class NoText(ValueError):
    """A written form that stands for no text; the message says what is wrong with it."""


def quoted(text: str) -> list[str]:
    """The string in quotes, in pieces that each fit a line; an empty one is one empty piece."""
    if text.isalnum() and text.isascii():  # what most strings are
        pieces = [text[first : first + PIECE] for first in range(0, len(text), PIECE)]
    else:
        pieces = list(_pieces(text))
    return [f'"{piece}"' for piece in pieces]


def _pieces(text: str) -> Iterator[str]:
    """The text escaped, in pieces of at most 64 characters."""
    piece = ""
    for letter in text:
        written = _escaped(letter, '"')
        if len(piece) + len(written) > PIECE:
            yield piece
            piece = ""
        piece += written
    yield piece


def unquoted(token: str) -> str:
    """The string a quoted piece stands for. Raises `NoText`."""
    return _unescaped(token[1:-1])


def comment_words(text: str) -> list[str]:
    """A comment in braces, word by word."""
    return ("{" + _escaped(text, "}") + "}").split(" ")


def comment_text(token: str) -> str:
    """What a comment in braces says, with one space between words. Raises `NoText`."""
    return tidy(_unescaped(token[1:-1]))


def tidy(text: str) -> str:
    """The words of a text with one space between them."""
    return " ".join(text.split())


def _escaped(text: str, closing: str) -> str:
    return "".join(
        "\\" + letter if letter in ("\\", closing) else letter if letter.isprintable() else _code(letter)
        for letter in text
    )


def _code(letter: str) -> str:
    return f"\\u{{{ord(letter):x}}}"


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_letter, text) if "\\" in text else text


def _letter(found: re.Match[str]) -> str:
    code, letter = found.groups()
    if code is None:
        if letter not in _PLAIN:
            raise NoText(f"\\{letter} stands for nothing; write \\\\ for a backslash")
        return str(letter)
    number = int(code, 16)
    if number > _LARGEST or HALF_CHARACTER.match(chr(number)):
        raise NoText(f"\\u{{{code}}} is no character")
    return chr(number)


def instant(at: datetime) -> str:
    """A moment in UTC: `2026-03-01T09:00:00.25Z`, without zeros at the end of the fraction."""
    text = f"{at.replace(tzinfo=None):%H:%M:%S}"
    return f"{at.date().isoformat()}T{text}" + _fraction(at.microsecond) + "Z"


def read_instant(text: str) -> datetime:
    """The moment a text names. Raises `ValueError`."""
    whole, _, fraction = text.upper().removesuffix("Z").partition(".")
    return datetime.fromisoformat(whole).replace(microsecond=int(fraction.ljust(6, "0") or 0), tzinfo=UTC)


def seconds(span: timedelta) -> str:
    """A span that is not negative as seconds: `12`, `0.000001`."""
    whole, micros = divmod(span // _MICROSECOND, 1_000_000)
    return f"{whole}{_fraction(micros)}"


def read_seconds(text: str) -> timedelta:
    """The span a number of seconds with at most six places stands for. Raises `OverflowError`."""
    whole, _, fraction = text.partition(".")
    return timedelta(seconds=int(whole), microseconds=int(fraction.ljust(6, "0")))


def _fraction(micros: int) -> str:
    return f".{micros:06}".rstrip("0") if micros else ""


def read_card(text: str) -> str:
    """The name of the card that a text such as `SQ`, `♠q`, `h10` or `dja` writes."""
    found = _CARD.fullmatch(text)
    assert found is not None, "the token is a card"
    suit, rank, copy = found.groups()
    rank = "T" if rank == "10" else rank.upper()
    assert rank in RANKS, "the token is a card"
    return SUIT_OF_SIGN.get(suit, suit.upper()) + rank + copy.lower()


def filled(words: Iterable[str], *, indent: int = 0, further: int = 2) -> Iterator[str]:
    """Lines of at most 78 characters with these words; the first indented by `indent`, the others by `further`."""
    line = ""
    for word in words:
        if not line:
            line = " " * indent + word
        elif len(line) + 1 + len(word) <= WIDTH:
            line += " " + word
        else:
            yield line
            line = " " * further + word
    if line:
        yield line
