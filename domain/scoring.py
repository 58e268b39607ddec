"""The raw score of one player in one hand, with its account (rules.md §5).

The account is what `HandEnded` records: every part of the sum, so that a person can follow it and a program can
compare it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from domain.cards import (
    ACE_OF_HEARTS,
    HEARTS,
    PIG,
    PIGS,
    SCORING,
    SHEEP,
    SHEEP_CARDS,
    SUIT_CARDS,
    TRANSFORMER,
    TRANSFORMERS,
    Card,
    Cards,
    cards_in,
    copy_of,
    name_of,
    rank_of,
    set_of,
)
from domain.rulesets import Level, Ruleset, levels_key

Levels = Mapping[Card, Level]
"""The level of each declared card of the hand."""


class CardScore(msgspec.Struct, frozen=True):
    """What one pig, sheep or transformer counts: its value (0 for a transformer) and its factor."""

    card: str
    value: int
    factor: int


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """How a raw score came about.

    `sum`: (hearts × hearts_factor + Σ pigs + Σ sheep) × factor. `lone_transformer`: base × factor. `slam`: base ×
    hearts_factor × factor, or by components as in `slam_parts` (hearts, pigs, sheep, all counted positive) × factor
    ÷ divisor. `nothing`: no scoring card was taken.
    """

    rule: Literal["nothing", "sum", "lone_transformer", "slam"]
    raw: int
    hearts: int = 0
    hearts_factor: int = 1
    all_hearts: bool = False
    pigs: tuple[CardScore, ...] = ()
    sheep: tuple[CardScore, ...] = ()
    transformers: tuple[CardScore, ...] = ()
    factor: int = 1
    base: int = 0
    slam_parts: tuple[int, ...] = ()
    divisor: int = 1


def raw_score(ruleset: Ruleset, taken: Cards, levels: Levels) -> int:
    """The raw score of a player who took these cards in a hand with these declarations."""
    return account_of(ruleset, taken, levels).raw


def account_of(ruleset: Ruleset, taken: Cards, levels: Levels) -> Account:
    """The raw score with its account, of a player who took these cards (cards that do not count may be among them)."""
    taken &= SCORING
    if not taken:
        return Account(rule="nothing", raw=0)
    if taken == _all_scoring(ruleset):
        return _slam(ruleset, taken, levels)
    if not taken & ~TRANSFORMERS:
        return _lone_transformer(ruleset, taken, levels)
    return _sum(ruleset, taken, levels)


def accounts_of(ruleset: Ruleset, taken: Sequence[Sequence[Card]], levels: Levels) -> list[Account]:
    """The accounts of all players by seat, from the cards each has taken."""
    return [account_of(ruleset, set_of(cards), levels) for cards in taken]


def _sum(ruleset: Ruleset, taken: Cards, levels: Levels) -> Account:
    scoring = ruleset.scoring
    hearts = taken & SUIT_CARDS[HEARTS]
    all_hearts = hearts.bit_count() == 13 * ruleset.decks
    heart_sum = (
        scoring.all_hearts if all_hearts else sum(scoring.heart_values[rank_of(h)] for h in cards_in(hearts))
    )
    hearts_factor = _hearts_factor(ruleset, levels)
    pigs = _specials(ruleset, taken & PIGS, PIG, scoring.pig, levels)
    sheep = _specials(ruleset, taken & SHEEP_CARDS, SHEEP, scoring.sheep, levels)
    transformers, factor = _transformers(ruleset, taken & TRANSFORMERS, levels)
    counted = heart_sum * hearts_factor + sum(part.value * part.factor for part in (*pigs, *sheep))
    return Account(
        rule="sum",
        raw=counted * factor,
        hearts=heart_sum,
        hearts_factor=hearts_factor,
        all_hearts=all_hearts,
        pigs=pigs,
        sheep=sheep,
        transformers=transformers,
        factor=factor,
    )


def _lone_transformer(ruleset: Ruleset, taken: Cards, levels: Levels) -> Account:
    transformers, factor = _transformers(ruleset, taken, levels)
    base = ruleset.scoring.lone_transformer
    return Account(
        rule="lone_transformer", raw=base * factor, transformers=transformers, factor=factor, base=base
    )


def _slam(ruleset: Ruleset, taken: Cards, levels: Levels) -> Account:
    scoring = ruleset.scoring
    hearts_factor = _hearts_factor(ruleset, levels)
    if not scoring.slam_by_components:
        factor = scoring.slam_transformer[_kind_key(ruleset, TRANSFORMER, levels)]
        raw = scoring.slam_base * hearts_factor * factor
        return Account(
            rule="slam",
            raw=raw,
            hearts_factor=hearts_factor,
            all_hearts=True,
            factor=factor,
            base=scoring.slam_base,
        )
    pigs = scoring.special[_kind_key(ruleset, PIG, levels)] * abs(scoring.pig) * ruleset.decks
    sheep = scoring.special[_kind_key(ruleset, SHEEP, levels)] * abs(scoring.sheep) * ruleset.decks
    parts = (scoring.all_hearts * hearts_factor, pigs, sheep)
    transformers, factor = _transformers(ruleset, taken & TRANSFORMERS, levels)
    return Account(
        rule="slam",
        raw=sum(parts) * factor // scoring.slam_divisor,
        hearts_factor=hearts_factor,
        all_hearts=True,
        transformers=transformers,
        factor=factor,
        slam_parts=parts,
        divisor=scoring.slam_divisor,
    )


def _hearts_factor(ruleset: Ruleset, levels: Levels) -> int:
    return ruleset.scoring.ace_of_hearts[_kind_key(ruleset, ACE_OF_HEARTS, levels)]


def _specials(
    ruleset: Ruleset, taken: Cards, kind: Card, value: int, levels: Levels
) -> tuple[CardScore, ...]:
    """Each pig or sheep taken, with the factor of its own level or of its kind's levels."""
    own = ruleset.scoring.levels_of == "card"
    return tuple(
        CardScore(
            name_of(card, ruleset.decks),
            value,
            ruleset.scoring.special[levels.get(card, "none") if own else _kind_key(ruleset, kind, levels)],
        )
        for card in cards_in(taken)
    )


def _transformers(ruleset: Ruleset, taken: Cards, levels: Levels) -> tuple[tuple[CardScore, ...], int]:
    """The transformers taken with each one's part of the factor, and the factor M (1 without any)."""
    if not taken:
        return (), 1
    table = ruleset.scoring.transformer
    if ruleset.scoring.levels_of == "card":
        parts = {card: table[levels.get(card, "none")] for card in cards_in(taken)}
        factor = sum(parts.values())
    else:
        factor = table[f"{taken.bit_count()}:{_kind_key(ruleset, TRANSFORMER, levels)}"]
        parts = dict.fromkeys(cards_in(taken), factor)
    return tuple(CardScore(name_of(card, ruleset.decks), 0, part) for card, part in parts.items()), factor


def _kind_key(ruleset: Ruleset, kind: Card, levels: Levels) -> str:
    """The levels key of all copies of a kind."""
    return levels_key(levels.get(kind + 64 * copy, "none") for copy in range(ruleset.decks))


def _all_scoring(ruleset: Ruleset) -> Cards:
    return _ALL_SCORING[ruleset.decks - 1]


_ALL_SCORING = (
    set_of(card for card in cards_in(SCORING) if copy_of(card) == 0),
    SCORING,
)


def explain(account: Account) -> list[str]:
    """The account in words, a line a step, ending with the raw score."""
    match account.rule:
        case "nothing":
            return ["no scoring cards: 0"]
        case "lone_transformer":
            return [f"transformer alone: {account.base} × {account.factor} = {account.raw}"]
        case "slam":
            return ["slam: every scoring card", _slam_line(account)]
    lines = [_hearts_line(account)] if account.hearts or account.all_hearts else []
    for word, parts in (("pig", account.pigs), ("sheep", account.sheep)):
        lines += [f"{word} {part.card} {_times(part.value, part.factor)}" for part in parts]
    if account.transformers:
        lines.append(f"transformer {' '.join(part.card for part in account.transformers)} ×{account.factor}")
    return [*(lines or ["hearts 0"]), f"raw score {account.raw:+d}" if account.raw else "raw score 0"]


def _hearts_line(account: Account) -> str:
    word = "all hearts" if account.all_hearts else "hearts"
    return f"{word} {_times(account.hearts, account.hearts_factor)}"


def _times(value: int, factor: int) -> str:
    return f"{value:+d}" + (f" ×{factor} = {value * factor:+d}" if factor != 1 else "")


def _slam_line(account: Account) -> str:
    if account.slam_parts:
        hearts, pigs, sheep = account.slam_parts
        divided = f" ÷ {account.divisor}" if account.divisor != 1 else ""
        return f"(hearts {hearts} + pigs {pigs} + sheep {sheep}) × {account.factor}{divided} = {account.raw}"
    return f"{account.base} × {account.hearts_factor} (♥A) × {account.factor} (transformer) = {account.raw}"
