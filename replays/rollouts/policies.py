"""How seats play in a playout: by chance, by rule, or by rule with slips.

A policy is data, the same for every kernel: which cards go first and last in each situation, as sets of cards. A seat
that plays by it looks at its own cards, the trick, the cards played and the scoring cards taken, and at nothing else.

    leads       a sheep that no card out can beat; else low cards, low spades first while they hunt a pig of others,
                spades last with one's own pig
    follows     with the highest card that does not take the trick, the pig first of all; takes tricks with the sheep in
                them, and with its own sheep as the last to play; where every card takes the trick so far, the lowest,
                as the last to play the highest, never the pig
    discards    the pig, high spades while a pig is out, the transformer, high hearts, then what is high
    transformer wanted by a seat that has taken the sheep and no pig, else unwanted
    partners    a trick that is the partner's so far gets neither pig nor hearts, and as the last card the sheep

`slips` of 256 choices are made by chance instead.
"""

from typing import Final

import msgspec

from domain.cards import (
    HEARTS,
    PIGS,
    RANKS,
    SHEEP_CARDS,
    SUIT_CARDS,
    SUITS,
    TRANSFORMERS,
    Cards,
    card_of,
    pair_of,
)

ALWAYS: Final = 256
"""All choices of 256."""

Order = tuple[Cards, ...]
"""Sets of cards, the ones to play first in front; each card in exactly one of them."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A way to play.

    `leads`: the order of leads with no pig out among others, with one out, and with an own pig. `discards`: the order
    of discards with no pig out, with one out; `gifts`: of discards on the partner's trick. `slips`: how many of 256
    choices are made by chance.
    """

    name: str
    slips: int = 0
    leads: tuple[Order, Order, Order] = ((), (), ())
    discards: tuple[Order, Order] = ((), ())
    gifts: Order = ()

    @property
    def by_chance(self) -> bool:
        """Whether every choice is made by chance."""
        return self.slips >= ALWAYS


def _cards(suits: str, ranks: str) -> Cards:
    """All copies of the cards of these suits and ranks."""
    cards = 0
    for suit in suits:
        for rank in ranks:
            cards |= pair_of(card_of(SUITS.index(suit), RANKS.index(rank)))
    return cards


def _order(*groups: Cards) -> Order:
    """The groups in turn, each without the cards of those before it; whatever is in none of them comes last."""
    order, used = [], 0
    for group in (*groups, sum(SUIT_CARDS)):
        if group & ~used:
            order.append(group & ~used)
        used |= group
    return tuple(order)


_SPECIAL: Final = PIGS | SHEEP_CARDS | TRANSFORMERS
_HUNT: Final = [_cards("S", rank) for rank in "23456789TJ"]
_UP: Final = [_cards("HDC", rank) & ~_SPECIAL for rank in RANKS]
_UP_WITH_SPADES: Final = [_cards("SHDC", rank) & ~_SPECIAL for rank in RANKS]
_LAST_LEADS: Final = (SHEEP_CARDS, TRANSFORMERS, PIGS)

_DOWN: Final = [_cards("SDC", rank) & ~_SPECIAL for rank in reversed(RANKS)]
_HIGH_HEARTS: Final = [_cards("H", rank) for rank in "AKQJ"]
_LOW_HEARTS: Final = [_cards("H", rank) for rank in "T98765"]

RULE: Final = Policy(
    name="rule",
    leads=(
        _order(*_UP_WITH_SPADES, *_LAST_LEADS),
        _order(*_HUNT[::-1], *_UP, _cards("S", "K"), _cards("S", "A"), *_LAST_LEADS),
        _order(*_UP, *_HUNT, *_LAST_LEADS),
    ),
    discards=(
        _order(PIGS, *_HIGH_HEARTS, TRANSFORMERS, *_DOWN[:4], *_LOW_HEARTS, *_DOWN, SUIT_CARDS[HEARTS], SHEEP_CARDS),
        _order(
            PIGS, _cards("S", "AK"), *_HIGH_HEARTS, TRANSFORMERS, *_DOWN[:4], *_LOW_HEARTS, *_DOWN,
            SUIT_CARDS[HEARTS], SHEEP_CARDS,
        ),
    ),
    gifts=_order(
        SHEEP_CARDS, _cards("S", "AK"), *_DOWN, _cards("H", "234"), *_LOW_HEARTS[::-1], *_HIGH_HEARTS[::-1],
        TRANSFORMERS, PIGS,
    ),
)  # fmt: skip
"""The plain, sound player of reviews."""

OTHER: Final = Policy(
    name="other",
    slips=96,
    leads=(
        _order(*_UP_WITH_SPADES[::-1], *_LAST_LEADS),
        _order(*_UP[::-1], *_HUNT, *_LAST_LEADS),
        _order(*_UP[::-1], *_HUNT, *_LAST_LEADS),
    ),
    discards=(
        _order(*_LOW_HEARTS[::-1], *_HIGH_HEARTS[::-1], PIGS, *_DOWN[::-1], TRANSFORMERS, SHEEP_CARDS),
        _order(_cards("S", "AK"), *_DOWN[::-1], *_HIGH_HEARTS, PIGS, TRANSFORMERS, *_LOW_HEARTS, SHEEP_CARDS),
    ),
    gifts=RULE.gifts,
)
"""Other habits: leads high, discards low, and often errs. For what is to be unlike the plain rule."""

CHANCE: Final = Policy(name="chance", slips=ALWAYS)
"""Plays any legal play, each as likely as the others."""
