"""Words for the account of a raw score: its rule, then each part of the sum.

`sum hearts -60 x2 pig SQ -100 x4 transformer CT 0 x2 factor 2`. Factors of 1 and parts that count nothing are left out.
"""

from collections.abc import Sequence
from typing import Any, Final

from domain.scoring import Account, CardScore
from replays.notation.lexing import Cursor
from replays.notation.words import optional

RULES: Final = ("nothing", "sum", "lone_transformer", "slam")

_CARDS: Final = {"pig": "pigs", "sheep": "sheep", "transformer": "transformers"}
_NUMBERS: Final = {"factor": 1, "base": 0, "divisor": 1}
"""The word of each single number, and its usual value."""


def account_words(account: Account) -> list[str]:
    """The words of an account; its raw score stands before them."""
    words: list[str] = [account.rule]
    if account.hearts or account.hearts_factor != 1:
        words += ["hearts", *_value(account.hearts, account.hearts_factor)]
    words += optional(account.all_hearts, "all_hearts")
    for word, field in _CARDS.items():
        scores: Sequence[CardScore] = getattr(account, field)
        for score in scores:
            words += [word, score.card, *_value(score.value, score.factor)]
    if account.slam_parts:
        words += ["parts", "+".join(map(str, account.slam_parts))]
    for word, usual in _NUMBERS.items():
        number = getattr(account, word)
        words += [] if number == usual else [word, str(number)]
    return words


def _value(value: int, factor: int) -> list[str]:
    return [str(value), *optional(factor != 1, f"x{factor}")]


def read_account(cursor: Cursor, raw: int) -> Account:
    """The account that the next words give of a raw score. Raises `NotationError`."""
    fields: dict[str, Any] = {"rule": cursor.one_of(*RULES)}
    if cursor.skips("hearts"):
        fields["hearts"] = cursor.number("what the hearts count")
        fields["hearts_factor"] = _read_factor(cursor)
    fields["all_hearts"] = cursor.skips("all_hearts")
    for word, field in _CARDS.items():
        fields[field] = _read_scores(cursor, word)
    fields["slam_parts"] = _read_parts(cursor)
    for word in _NUMBERS:
        if cursor.skips(word):
            fields[word] = cursor.number()
    return Account(raw=raw, **fields)


def _read_scores(cursor: Cursor, word: str) -> tuple[CardScore, ...]:
    scores = []
    while cursor.skips(word):
        card = cursor.card(f"a {word}")
        scores.append(CardScore(card, cursor.number(f"what {card} counts"), _read_factor(cursor)))
    return tuple(scores)


def _read_factor(cursor: Cursor) -> int:
    factor = cursor.factor()
    return 1 if factor is None else factor


def _read_parts(cursor: Cursor) -> tuple[int, ...]:
    if not cursor.skips("parts"):
        return ()
    parts = [cursor.number()]
    while cursor.skips("+"):
        parts.append(cursor.number())
    return tuple(parts)
