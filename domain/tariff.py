"""What cards count in one hand, once its declarations are known, and the raw score of a player (rules.md §5).

A tariff is worked out once a hand, from the ruleset's numbers and the declarations; scoring a player by it is a few
operations on a set of cards, which playouts need. The account of a score is drawn up in `scoring` from the same tariff.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import msgspec

from domain.cards import (
    ACE_OF_HEARTS,
    ALL_CARDS,
    HEARTS,
    PIG,
    SCORING,
    SHEEP,
    SUIT_CARDS,
    TRANSFORMER,
    TRANSFORMERS,
    Card,
    Cards,
    card_of,
    cards_in,
    pair_of,
    set_of,
)
from domain.rulesets import Level, Ruleset, levels_key

Levels: TypeAlias = Mapping[Card, Level]
"""The level of each declared card of the hand."""


class Special(msgspec.Struct, frozen=True):
    """Pigs or sheep that count alike: each `value` × `factor`."""

    cards: Cards
    value: int
    factor: int


class Slam(msgspec.Struct, frozen=True):
    """What every scoring card together counts: base × factors, or its parts (hearts, pigs, sheep) × `factor`."""

    raw: int
    factor: int
    parts: tuple[int, ...] = ()


class Tariff(msgspec.Struct, frozen=True, kw_only=True):
    """What cards count in one hand.

    `heart_values` are sets of hearts with the value of each of them; `factors` gives M by the set of transformers taken
    (1 for none); `everything` is the set whose taker makes the slam.
    """

    heart_values: tuple[tuple[Cards, int], ...]
    every_heart: Cards
    all_hearts: int
    hearts_factor: int
    specials: tuple[Special, ...]
    factors: dict[Cards, int]
    lone_transformer: int
    everything: Cards
    slam: Slam

    def raw_score(self, taken: Cards) -> int:
        """The raw score of a player who took these cards; cards that do not count may be among them."""
        taken &= SCORING
        if not taken:
            return 0
        if taken == self.everything:
            return self.slam.raw
        transformers = taken & TRANSFORMERS
        if taken == transformers:
            return self.lone_transformer * self.factors[transformers]
        total = self.heart_sum(taken) * self.hearts_factor
        for special in self.specials:
            total += (taken & special.cards).bit_count() * special.value * special.factor
        return total * self.factors[transformers]

    def heart_sum(self, taken: Cards) -> int:
        """What the hearts among these cards count before their factor."""
        hearts = taken & self.every_heart
        if hearts == self.every_heart:
            return self.all_hearts
        total = 0
        for cards, value in self.heart_values:
            total += (hearts & cards).bit_count() * value
        return total


def raw_score(ruleset: Ruleset, taken: Cards, levels: Levels) -> int:
    """The raw score of a player who took these cards in a hand with these declarations."""
    return tariff_of(ruleset, levels).raw_score(taken)


def tariff_of(ruleset: Ruleset, levels: Levels) -> Tariff:
    """What cards count in a hand with these declarations."""
    scoring, in_play = ruleset.scoring, ALL_CARDS[ruleset.decks - 1]
    hearts_factor = scoring.ace_of_hearts[_kind_key(ruleset, ACE_OF_HEARTS, levels)]
    factors = _transformer_factors(ruleset, levels)
    return Tariff(
        heart_values=_heart_values(ruleset),
        every_heart=SUIT_CARDS[HEARTS] & in_play,
        all_hearts=scoring.all_hearts,
        hearts_factor=hearts_factor,
        specials=(
            *_specials(ruleset, PIG, scoring.pig, levels),
            *_specials(ruleset, SHEEP, scoring.sheep, levels),
        ),
        factors=factors,
        lone_transformer=scoring.lone_transformer,
        everything=SCORING & in_play,
        slam=_slam(ruleset, levels, hearts_factor, factors[TRANSFORMERS & in_play]),
    )


def _heart_values(ruleset: Ruleset) -> tuple[tuple[Cards, int], ...]:
    """The hearts that count, those of one value together."""
    by_value: dict[int, Cards] = {}
    for rank, value in enumerate(ruleset.scoring.heart_values):
        by_value[value] = by_value.get(value, 0) | pair_of(card_of(HEARTS, rank))
    return tuple((cards, value) for value, cards in by_value.items() if value)


def _specials(ruleset: Ruleset, kind: Card, value: int, levels: Levels) -> tuple[Special, ...]:
    """The copies of the pig or the sheep: each by its own level, or all by the levels of both."""
    factors = ruleset.scoring.special
    if ruleset.scoring.levels_of == "kind":
        return (Special(pair_of(kind), value, factors[_kind_key(ruleset, kind, levels)]),)
    return tuple(
        Special(1 << card, value, factors[levels.get(card, "none")]) for card in _copies(ruleset, kind)
    )


def _transformer_factors(ruleset: Ruleset, levels: Levels) -> dict[Cards, int]:
    """M by the set of transformers taken."""
    table, copies = ruleset.scoring.transformer, _copies(ruleset, TRANSFORMER)
    factors = {0: 1}
    for number in range(1, len(copies) + 1):
        for taken in combinations(copies, number):
            if ruleset.scoring.levels_of == "card":
                factors[set_of(taken)] = sum(table[levels.get(card, "none")] for card in taken)
            else:
                factors[set_of(taken)] = table[f"{number}:{_kind_key(ruleset, TRANSFORMER, levels)}"]
    return factors


def _slam(ruleset: Ruleset, levels: Levels, hearts_factor: int, all_transformers: int) -> Slam:
    scoring = ruleset.scoring
    if not scoring.slam_by_components:
        factor = scoring.slam_transformer[_kind_key(ruleset, TRANSFORMER, levels)]
        return Slam(scoring.slam_base * hearts_factor * factor, factor)
    pigs = scoring.special[_kind_key(ruleset, PIG, levels)] * abs(scoring.pig) * ruleset.decks
    sheep = scoring.special[_kind_key(ruleset, SHEEP, levels)] * abs(scoring.sheep) * ruleset.decks
    parts = (scoring.all_hearts * hearts_factor, pigs, sheep)
    return Slam(sum(parts) * all_transformers // scoring.slam_divisor, all_transformers, parts)


def _copies(ruleset: Ruleset, kind: Card) -> tuple[Card, ...]:
    """The cards of a kind that are in play."""
    return tuple(cards_in(pair_of(kind) & ALL_CARDS[ruleset.decks - 1]))


def _kind_key(ruleset: Ruleset, kind: Card, levels: Levels) -> str:
    """The levels key of all copies of a kind."""
    return levels_key(levels.get(card, "none") for card in _copies(ruleset, kind))
