"""Who takes a trick (rules.md §4), led with a single card or with a pair."""

from collections.abc import Sequence
from typing import TypeAlias

from domain.cards import HEARTS, SUIT_CARDS, SUITS, Cards, Suit, pairs_in, suit_of, top_rank
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
    best, best_rank = 0, -1
    for index, play in enumerate(plays):
        rank = top_rank(play, suit)
        if rank > best_rank:
            best, best_rank = index, rank
    return best


def highest_pair_play(plays: Plays, suit: Suit, pair_tricks: PairTricks) -> int:
    """The index of the play that takes a trick led with a pair: by class, top card, tie rule, then first played."""

    def strength(play: Cards) -> tuple[int, int, bool]:
        kind = play_kind(play, suit)
        tie = SUITS[suit] in pair_tricks.top_tie_two_of_suit and kind == "two"
        return (pair_tricks.classes[SUITS[suit]].get(kind, 0), top_rank(play, suit), tie)

    # max keeps the first of equals, and the leader's pair always has a class above 0.
    contenders = [index for index, play in enumerate(plays) if strength(play)[0] > 0]
    return max(contenders, key=lambda index: strength(plays[index]))


def play_kind(play: Cards, suit: Suit) -> str:
    """`pair` or `two` of the led suit, `mixed_heart` or `mixed_other` by the second card's suit, or `off`."""
    of_suit = play & SUIT_CARDS[suit]
    if of_suit == play:
        return "pair" if pairs_in(play) else "two"
    if not of_suit:
        return "off"
    other_suit = suit_of((play & ~of_suit).bit_length() - 1)
    return "mixed_heart" if other_suit == HEARTS else "mixed_other"
