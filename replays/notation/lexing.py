"""A notation text as tokens, and the cursor that walks along them and says what it expected where.

White space and line ends only part tokens. Letters may be of either case. Comments are tokens of their own.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from domain.cards import parse_card
from domain.errors import CommandRefused, GongzhuError
from replays.notation import texts
from replays.notation.texts import NoText

LONGEST: Final = 16_000_000
"""A text of more characters is no match: 256 hands of two decks have about two million."""

_DIGITS: Final = 20
_SHOWN: Final = 30

_TOKENS: Final = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>\{(?:[^}\\]|\\u\{[0-9A-Fa-f]{1,6}\}|\\.)*+\}|\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<time>\(\s*[0-9]{1,12}(?:\.[0-9]{1,6})?\s*\))
    | (?P<instant>[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?[Zz])
    | (?P<card>(?:[SHDCshdc]|[♠♥♦♣♤♡♢♧]\ufe0f?)(?:10|[2-9TJQKAtjqka])[ABab]?(?!\w))
    | (?P<factor>[xX×]-?[0-9]+(?!\w))
    | (?P<word>[^\W\d]\w*)
    | (?P<number>-?[0-9]+)
    | (?P<sign>[][:.?*+])
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    '"': "a string that ends on its line",
    "{": "a comment that ends with }",
    "(": "(seconds)",
}


class NotationError(GongzhuError):
    """A text that is not in the notation: line and column (from 1), and what was expected there."""

    def __init__(self, what: str, line: int = 1, column: int = 1) -> None:
        self.what = what
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {what}")

    def below(self, lines: int) -> "NotationError":
        """The same error of a text that stands so many lines further down."""
        return NotationError(self.what, self.line + lines, self.column)


class Token(NamedTuple):
    """One token: its kind, its text, and where in the whole text it begins."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        """As an error shows it."""
        if self.kind == "end":
            return "the end of the text"
        shown = self.text if len(self.text) <= _SHOWN else self.text[:_SHOWN] + "…"
        return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in shown)


def decoded(content: bytes) -> str:
    """The text of a file. Raises `NotationError` where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise NotationError("expected a text in UTF-8, found other bytes", line, column) from None


class Cursor:
    """Goes along the tokens of a text, whose cards are of so many `decks`. `comments` are those passed so far."""

    def __init__(self, text: str) -> None:
        """Stand before the first token. Raises `NotationError` for a text too long to be a match."""
        if len(text) > LONGEST:
            raise NotationError(
                f"expected one match of at most {LONGEST:,} characters, found {len(text):,} characters"
            )
        self._text = text
        if half := texts.HALF_CHARACTER.search(text):
            raise self.error("characters", Token("", half[0], half.start()))
        self._tokens = self._scan(1 if text.startswith("\ufeff") else 0)
        self.decks = 1
        self.comments: list[str] = []
        self.next = self._advance()

    def _scan(self, at: int) -> Iterator[Token]:
        text, end = self._text, len(self._text)
        while at < end:
            found = _TOKENS.match(text, at)
            if found is None:
                wanted = _UNCLOSED.get(text[at], "a word, a card, a number or a string")
                raise self.error(wanted, Token("", text[at : at + _SHOWN + 1].partition("\n")[0], at))
            if found.lastgroup != "space":
                yield Token(str(found.lastgroup), found[0], at)
            at = found.end()

    def _advance(self) -> Token:
        for token in self._tokens:
            if token.kind != "comment":
                return token
            self.comments.append(self._comment(token))
        return Token("end", "", len(self._text))

    def _comment(self, token: Token) -> str:
        if token.text.startswith("#"):
            return texts.tidy(token.text[1:])
        try:
            return texts.comment_text(token.text)
        except NoText as wrong:
            raise self.wrong(str(wrong), token) from None

    # --- errors -----------------------------------------------------------------------------------------------------

    def error(self, wanted: str, found: Token | None = None) -> NotationError:
        """The error that something else stands where `wanted` was expected."""
        token = self.next if found is None else found
        return self.wrong(f"expected {wanted}, found {token}", token)

    def wrong(self, what: str, token: Token) -> NotationError:
        """The error that a token is wrong."""
        line = self._text.count("\n", 0, token.at) + 1
        return NotationError(what, line, token.at - self._text.rfind("\n", 0, token.at))

    # --- reading ----------------------------------------------------------------------------------------------------

    def take(self) -> Token:
        """The next token; the cursor goes past it."""
        token = self.next
        self.next = self._advance()
        return token

    def sees(self, *words: str) -> bool:
        """Whether one of these words or signs comes next."""
        return self.next.kind in ("word", "sign", "card") and self.next.text.lower() in words

    def skips(self, word: str) -> bool:
        """Goes past this word or sign, if it comes next; whether it did."""
        if not self.sees(word):
            return False
        self.take()
        return True

    def expect(self, word: str) -> None:
        """Goes past this word or sign. Raises `NotationError`."""
        if not self.skips(word):
            raise self.error(f"`{word}`")

    def one_of(self, *words: str) -> str:
        """The one of these words that comes next. Raises `NotationError`."""
        if not self.sees(*words):
            raise self.error(" or ".join(f"`{word}`" for word in words))
        return self.take().text.lower()

    def of_kind(self, kind: str, wanted: str) -> Token:
        """The next token, of this kind. Raises `NotationError` naming `wanted`."""
        if self.next.kind != kind:
            raise self.error(wanted)
        return self.take()

    def number(self, wanted: str = "a number") -> int:
        """A whole number; a plus may stand before it. Raises `NotationError`."""
        self.skips("+")
        return self._int(self.of_kind("number", wanted), wanted)

    def seat(self) -> int:
        """A seat. Raises `NotationError`."""
        if self.next.text not in ("0", "1", "2", "3"):
            raise self.error("a seat (0 to 3)")
        return int(self.take().text)

    def card(self, wanted: str) -> str:
        """The name of a card of these decks. Raises `NotationError` naming `wanted`."""
        token = self.of_kind("card", wanted)
        name = texts.read_card(token.text)
        try:
            parse_card(name, self.decks)
        except CommandRefused:
            example = "SQ" if self.decks == 1 else "SQa"
            raise self.error(f"a card of {self.decks} deck(s), such as {example}", token) from None
        return name

    def uuid(self, wanted: str) -> UUID:
        """An id in quotes. Raises `NotationError`."""
        token = self.next
        try:
            return UUID(self.string(wanted))
        except ValueError:
            raise self.error(wanted, token) from None

    def factor(self) -> int | None:
        """A factor such as `x4`, if one comes next."""
        return self._int(self.take(), "a factor", skip=1) if self.next.kind == "factor" else None

    def _int(self, token: Token, wanted: str, skip: int = 0) -> int:
        if len(token.text) > _DIGITS:
            raise self.error(wanted, token)
        return int(token.text[skip:])

    def string(self, wanted: str) -> str:
        """A quoted string, in one piece or several. Raises `NotationError`."""
        pieces = [self.of_kind("string", wanted)]
        while self.next.kind == "string":
            pieces.append(self.take())
        try:
            return "".join(texts.unquoted(piece.text) for piece in pieces)
        except NoText as wrong:
            raise self.wrong(str(wrong), pieces[0]) from None

    def instant(self) -> datetime:
        """A moment in UTC. Raises `NotationError`."""
        token = self.of_kind("instant", "a time such as 2026-03-01T09:00:00Z")
        try:
            return texts.read_instant(token.text)
        except ValueError as wrong:
            raise self.wrong(f"there is no such time: {wrong}", token) from None

    def span(self) -> timedelta:
        """Seconds in parentheses, 0 where none come next. Raises `NotationError`."""
        if self.next.kind != "time":
            return timedelta(0)
        token = self.take()
        try:
            return texts.read_seconds(token.text[1:-1].strip())
        except OverflowError:
            raise self.wrong("that is too long a time", token) from None
