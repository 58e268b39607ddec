"""Who takes a trick (rules.md §4), led with a single card or with a pair."""

from collections.abc import Sequence
from typing import TypeAlias

from domain.cards import (
    FIRST_COPIES,
    HEARTS,
    SUIT_CARDS,
    SUITS,
    Cards,
    Suit,
    card_of,
    pair_of,
    pairs_in,
    suit_of,
    top_rank,
)
from domain.rulesets import PairTricks

Plays: TypeAlias = Sequence[Cards]
"""The plays of one trick, in the order played; one or two cards each."""


def winning_play(plays: Plays, suit: Suit, pair_tricks: PairTricks) -> int:
    """The index of the play that takes a trick led in `suit` by the first play."""
    if plays[0].bit_count() == 1:
        return highest_card(plays, suit)
    return highest_pair_play(plays, suit, pair_tricks)


def highest_card(plays: Plays, suit: Suit) -> int:
    """The index of the highest single card of the suit; of equal cards the one played first is higher."""
    together = sum(plays) & SUIT_CARDS[suit]  # no card is played twice, so the sum of the sets is their union
    if together <= FIRST_COPIES:
        return plays.index(1 << together.bit_length() - 1)
    highest = pair_of(card_of(suit, top_rank(together, suit)))
    return next(index for index, play in enumerate(plays) if play & highest)


def highest_pair_play(plays: Plays, suit: Suit, pair_tricks: PairTricks) -> int:
    """The index of the play that takes a trick led with a pair: by class, top card, tie rule, then first played."""
    classes = pair_tricks.classes[SUITS[suit]]
    two_wins_ties = SUITS[suit] in pair_tricks.top_tie_two_of_suit

    def strength(play: Cards) -> tuple[int, int, bool]:
        kind = play_kind(play, suit)
        return (classes.get(kind, 0), top_rank(play, suit), two_wins_ties and kind == "two")

    # The leader's pair has a class above 0, and max keeps the first of equals.
    strengths = [strength(play) for play in plays]
    return strengths.index(max(strengths))


def play_kind(play: Cards, suit: Suit) -> str:
    """`pair` or `two` of the led suit, `mixed_heart` or `mixed_other` by the second card's suit, or `off`."""
    of_suit = play & SUIT_CARDS[suit]
    if of_suit == play:
        return "pair" if pairs_in(play) else "two"
    if not of_suit:
        return "off"
    other_suit = suit_of((play & ~of_suit).bit_length() - 1)
    return "mixed_heart" if other_suit == HEARTS else "mixed_other"
