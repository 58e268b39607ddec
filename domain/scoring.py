"""The account of a raw score: every part of the sum, and the same in words (rules.md §5).

The account is what `HandEnded` records, so that a person can follow a score and a program can compare it. The numbers
come from the hand's tariff.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from domain.cards import (
    HEARTS,
    PIGS,
    SCORING,
    SHEEP_CARDS,
    SUIT_CARDS,
    TRANSFORMERS,
    Card,
    Cards,
    cards_in,
    name_of,
    set_of,
)
from domain.rulesets import Ruleset
from domain.tariff import Levels, Tariff, tariff_of


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


def account_of(ruleset: Ruleset, taken: Cards, levels: Levels) -> Account:
    """The raw score with its account, of a player who took these cards (cards that do not count may be among them)."""
    return _account(ruleset, tariff_of(ruleset, levels), taken & SCORING)


def accounts_of(ruleset: Ruleset, taken: Sequence[Sequence[Card]], levels: Levels) -> list[Account]:
    """The accounts of all players by seat, from the cards each has taken."""
    tariff = tariff_of(ruleset, levels)
    return [_account(ruleset, tariff, set_of(cards) & SCORING) for cards in taken]


def _account(ruleset: Ruleset, tariff: Tariff, taken: Cards) -> Account:
    if not taken:
        return Account(rule="nothing", raw=0)
    if taken == tariff.everything:
        return _slam(ruleset, tariff)
    if not taken & ~TRANSFORMERS:
        return _lone_transformer(ruleset, tariff, taken)
    return _sum(ruleset, tariff, taken)


def _sum(ruleset: Ruleset, tariff: Tariff, taken: Cards) -> Account:
    hearts = taken & SUIT_CARDS[HEARTS]
    return Account(
        rule="sum",
        raw=tariff.raw_score(taken),
        hearts=tariff.heart_sum(hearts),
        hearts_factor=tariff.hearts_factor,
        all_hearts=hearts == tariff.every_heart,
        pigs=_specials(ruleset, tariff, taken & PIGS),
        sheep=_specials(ruleset, tariff, taken & SHEEP_CARDS),
        transformers=_transformers(ruleset, tariff, taken),
        factor=tariff.factors[taken & TRANSFORMERS],
    )


def _lone_transformer(ruleset: Ruleset, tariff: Tariff, taken: Cards) -> Account:
    return Account(
        rule="lone_transformer",
        raw=tariff.raw_score(taken),
        transformers=_transformers(ruleset, tariff, taken),
        factor=tariff.factors[taken],
        base=tariff.lone_transformer,
    )


def _slam(ruleset: Ruleset, tariff: Tariff) -> Account:
    scoring, slam = ruleset.scoring, tariff.slam
    by_parts = scoring.slam_by_components
    return Account(
        rule="slam",
        raw=slam.raw,
        hearts_factor=tariff.hearts_factor,
        all_hearts=True,
        transformers=_transformers(ruleset, tariff, tariff.everything) if by_parts else (),
        factor=slam.factor,
        base=scoring.slam_base,
        slam_parts=slam.parts,
        divisor=scoring.slam_divisor,
    )


def _specials(ruleset: Ruleset, tariff: Tariff, taken: Cards) -> tuple[CardScore, ...]:
    """Each pig or sheep taken, with its value and the factor of its own level or of its kind's levels."""
    return tuple(
        CardScore(name_of(card, ruleset.decks), special.value, special.factor)
        for card in cards_in(taken)
        for special in tariff.specials
        if special.cards >> card & 1
    )


def _transformers(ruleset: Ruleset, tariff: Tariff, taken: Cards) -> tuple[CardScore, ...]:
    """The transformers taken, each with its own part of the factor, or with the factor they have together."""
    taken &= TRANSFORMERS
    own = ruleset.scoring.levels_of == "card"
    return tuple(
        CardScore(name_of(card, ruleset.decks), 0, tariff.factors[1 << card if own else taken])
        for card in cards_in(taken)
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
