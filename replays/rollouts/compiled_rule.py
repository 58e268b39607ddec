"""The rule player and the scores in compiled code: what `rule_player` and `domain.tariff` do, card for card.

Sets of cards are two words, one a copy; with one deck the second is a constant 0, and what it costs is compiled away.
"""

# mypy: ignore-errors
# numba finds the types of what it compiles

import numpy as np

from replays.rollouts.compiled_cards import (
    ABOVE_SHEEP_BITS,
    HEARTS_SHIFT,
    LANE,
    PIG_BIT,
    SCORING_BITS,
    SHEEP_BIT,
    SPECIAL_BITS,
    TRANSFORMER_BIT,
    U,
    any_card,
    called,
    choice,
    highest,
    lowest,
    moved,
    part,
    popcount,
    without,
)

# numbers of a ruleset, by place
BAN, LEADS_TWO, PARTNERS = 0, 1, 2
# numbers of a tariff, by place; from FACTORS on M by the transformers taken: none, first, second, both
HEART_GROUPS, GROUPS, ALL_HEARTS, LONE, SLAM, FACTORS = 0, 1, 2, 3, 4, 5
# orders of a policy, by place
LEADS, HUNTING, WITH_PIG, DISCARDS, DISCARDS_AND_PIG, GIFTS = 0, 1, 2, 3, 4, 5
ALWAYS = 256
_OF_256 = U(256)


@part
def leadable(low, high, held_low, held_high, ban):
    """The cards that may be led alone."""
    if not ban or not ((low & held_low) | (high & held_high)):
        return low, high
    for suit in range(4):
        cards = LANE << U(16 * suit)
        if (low & ~held_low & cards) | (high & ~held_high & cards):
            low &= ~(held_low & cards)
            high &= ~(held_high & cards)
    return low, high


@part
def slips_now(slips, stream):
    """Whether a choice is made by chance, and the stream after that was drawn."""
    if not slips:
        return False, stream
    stream = moved(stream)
    return np.int64(choice(stream, _OF_256)) < slips, stream


@part
def first_of(orders, counts, place, low, high, stream):
    """The card that the order at a place puts first; of several in one group any."""
    for group in range(counts[place]):
        found_low, found_high = low & orders[place, group, 0], high & orders[place, group, 1]
        if found_low | found_high:
            return any_card(found_low, found_high, stream)
    return low, high, stream


@part
def likes_transformer(low, high):
    """Whether a seat that has taken these cards wants a transformer."""
    together = low | high
    return (together & SHEEP_BIT) != U(0) and (together & PIG_BIT) == U(0)


@part
def rule_lead(low, high, hand, out, orders, counts, stream):
    """The card that the policy leads among the legal ones; `hand` and `out`: the kinds it has and the others have."""
    if ((low | high) & SHEEP_BIT) and not (out & ABOVE_SHEEP_BITS):
        low, high = lowest(low & SHEEP_BIT, high & SHEEP_BIT)
        return low, high, stream
    place = LEADS
    if hand & PIG_BIT:
        place = WITH_PIG
    elif out & PIG_BIT:
        place = HUNTING
    return first_of(orders, counts, place, low, high, stream)


@part
def rule_discard(low, high, out, friend, likes, orders, counts, stream):
    """The card that the policy discards."""
    if friend:
        return first_of(orders, counts, GIFTS, low, high, stream)
    if likes:
        low, high = without(low, high, TRANSFORMER_BIT, TRANSFORMER_BIT)
    place = DISCARDS_AND_PIG if out & PIG_BIT else DISCARDS
    return first_of(orders, counts, place, low, high, stream)


@part
def rule_follow(low, high, losing_low, losing_high, trick, hearts, friend, last, likes):
    """The card that the policy follows suit with; `trick`: the kinds in it."""
    winning_low, winning_high = low ^ losing_low, high ^ losing_high
    winning, losing = winning_low | winning_high, losing_low | losing_high
    clean = not (trick & PIG_BIT)
    if last and clean and winning & SHEEP_BIT:
        return lowest(winning_low & SHEEP_BIT, winning_high & SHEEP_BIT)
    if last and clean and friend and losing & SHEEP_BIT:
        return lowest(losing_low & SHEEP_BIT, losing_high & SHEEP_BIT)
    wanted = trick & (SHEEP_BIT | TRANSFORMER_BIT if likes else SHEEP_BIT)
    if winning and wanted and clean and not friend:
        low, high = without(winning_low, winning_high, PIG_BIT, PIG_BIT)
        return highest(low, high)
    if losing:
        if friend:
            low, high = without(losing_low, losing_high, PIG_BIT, PIG_BIT)
            return lowest(low, high) if hearts else highest(low, high)
        if losing & PIG_BIT:
            return lowest(losing_low & PIG_BIT, losing_high & PIG_BIT)
        kept = SHEEP_BIT | TRANSFORMER_BIT if likes else SHEEP_BIT
        low, high = without(losing_low, losing_high, kept, kept)
        return highest(low, high)
    avoided = PIG_BIT | SHEEP_BIT if likes else SPECIAL_BITS
    low, high = winning_low & ~avoided, winning_high & ~avoided
    if not (low | high):
        low, high = without(winning_low, winning_high, PIG_BIT, PIG_BIT)
    return highest(low, high) if last and not hearts else lowest(low, high)


@called
def raw_score(low, high, case, cards, worths, numbers):
    """The raw score of a seat that took these cards."""
    last = cards.shape[1] - 1
    low &= SCORING_BITS
    high &= SCORING_BITS
    if not (low | high):
        return 0
    if low == cards[case, last, 0] and high == cards[case, last, 1]:
        return numbers[case, SLAM]
    both = 0
    if low & TRANSFORMER_BIT:
        both += 1
    if high & TRANSFORMER_BIT:
        both += 2
    factor = numbers[case, FACTORS + both]
    if not ((low | high) & ~TRANSFORMER_BIT):
        return numbers[case, LONE] * factor
    total, first = 0, 0
    hearts_low, hearts_high = (
        cards[case, last, 0] & (LANE << HEARTS_SHIFT),
        cards[case, last, 1] & (LANE << HEARTS_SHIFT),
    )
    if (low & hearts_low) == hearts_low and (high & hearts_high) == hearts_high:
        total, first = numbers[case, ALL_HEARTS], numbers[case, HEART_GROUPS]
    for group in range(first, numbers[case, GROUPS]):
        number = popcount(low & cards[case, group, 0]) + popcount(high & cards[case, group, 1])
        total += np.int64(number) * worths[case, group]
    return total * factor
