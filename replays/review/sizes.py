"""How big a cost is: good, inaccuracy, mistake or blunder, by its share of what is at stake in the hand."""

from collections.abc import Mapping
from typing import Final, Literal

from domain.cards import ALL_CARDS, Card
from domain.rulesets import Level, Ruleset
from domain.tariff import tariff_of
from replays.review.estimates import Estimate
from replays.review.settings import ENOUGH_WORLDS, ERRORS_APART

Size = Literal["forced", "good", "inaccuracy", "mistake", "blunder"]

SIZES: Final[tuple[Size, ...]] = ("forced", "good", "inaccuracy", "mistake", "blunder")
COSTLY: Final[tuple[Size, ...]] = ("inaccuracy", "mistake", "blunder")

SHARES: Final[tuple[tuple[Size, float], ...]] = (("blunder", 0.2), ("mistake", 0.075), ("inaccuracy", 0.025))
"""From which share of the stakes on a cost has each size. With nothing declared in one deck, 80, 30 and 10 points."""


def stakes(ruleset: Ruleset, levels: Mapping[Card, Level]) -> int:
    """What hearts, pigs and sheep count in a hand with these declarations, taken positive; transformers left out."""
    tariff, in_play = tariff_of(ruleset, levels), ALL_CARDS[ruleset.decks - 1]
    hearts = sum((cards & in_play).bit_count() * abs(value) for cards, value in tariff.heart_values)
    specials = sum(
        (special.cards & in_play).bit_count() * abs(special.value) * special.factor
        for special in tariff.specials
    )
    return hearts * tariff.hearts_factor + specials


def size_of(cost: Estimate, at_stake: int, worlds: int) -> Size:
    """The size of a cost: good where it may be chance; with too few worlds at most an inaccuracy."""
    if cost.error is None or cost.mean <= ERRORS_APART * cost.error:
        return "good"
    found: Size = next((size for size, share in SHARES if cost.mean >= share * at_stake), "good")
    return "inaccuracy" if worlds < ENOUGH_WORLDS and found in ("mistake", "blunder") else found


def points_per_value(ruleset: Ruleset) -> float | None:
    """How many points of a hand one point of value is (rules.md §8); None in the blood family, where blood counts."""
    if ruleset.hand_points_factor is None:
        return None
    return ruleset.hand_points_factor / 2 if ruleset.partners else float(ruleset.hand_points_factor)
