"""A plain, sensible way to declare and to play: for bots, for seats whose player is away, and for playouts.

It is a function of the seat's own view and of nothing else: no clock, no chance, no hidden card. Each legal play is
weighed by three things: how likely it takes the trick, what the trick is then worth to the seat or to others, and how
good it is to be rid of its cards. Weights are in raw score points and rough on purpose.
"""

from collections.abc import Sequence
from typing import Final

from domain.cards import (
    ACE_OF_HEARTS,
    CLUBS,
    DECLARABLE,
    DIAMONDS,
    HEARTS,
    PIG,
    SHEEP,
    SPADES,
    SUIT_CARDS,
    SUITS,
    TRANSFORMER,
    Card,
    Cards,
    Suit,
    cards_in,
    kind_of,
    name_of,
    parse_cards,
    rank_of,
    set_of,
    suit_of,
    top_rank,
)
from domain.position import Position
from domain.rulesets import Level, Ruleset, ruleset_named
from domain.seats import side_of
from domain.visibility import MatchView

_ACE: Final = 12
_QUEEN: Final = rank_of(PIG)
_JACK: Final = rank_of(SHEEP)
_LOW: Final = 6
"""An eight; it and what is below seldom take a trick."""


class NotToPlay(ValueError):
    """The view is not one of a seat whose turn it is."""


def choose_play(view: MatchView) -> tuple[str, ...]:
    """The play of the seat whose view this is: one of `view.hand.legal`. Raises `NotToPlay`."""
    hand = view.hand
    if hand is None or not hand.legal:
        raise NotToPlay(f"it is not the turn of {view.viewer}")
    if len(hand.legal) == 1:
        return hand.legal[0]
    position = Position(view, hand)
    return max(hand.legal, key=lambda names: worth(position, parse_cards(names, position.decks)))


def choose_declarations(view: MatchView) -> tuple[tuple[str, Level], ...]:
    """What the seat whose view this is declares now, as card and level; nothing once it has said done."""
    hand = view.hand
    if view.phase != "declaring" or hand is None or hand.cards is None or hand.done[int(view.viewer)]:
        return ()
    ruleset = ruleset_named(view.ruleset)
    mine = set_of(parse_cards(hand.cards, ruleset.decks))
    declared = {declaration.card for declaration in hand.declarations}
    levels = {card: _level(card, mine, ruleset) for card in cards_in(mine & DECLARABLE)}
    names = {card: name_of(card, ruleset.decks) for card in levels}
    return tuple(
        (names[card], level) for card, level in levels.items() if level and names[card] not in declared
    )


def _level(card: Card, mine: Cards, ruleset: Ruleset) -> Level | None:
    """The level at which a card more likely gains than loses, among the cards held beside it; None for not at all."""
    suit = mine & SUIT_CARDS[suit_of(card)]
    length = suit.bit_count()
    kind = kind_of(card)
    if kind == SHEEP:
        return "open" if length >= 3 * ruleset.decks else None
    if kind == ACE_OF_HEARTS:
        low = sum(rank_of(held) <= _LOW for held in cards_in(suit))
        return "open" if length >= 4 * ruleset.decks and low >= 2 + ruleset.decks else None
    if kind == TRANSFORMER and ruleset.hidden_declarations:
        return "hidden" if length >= 3 * ruleset.decks else None
    return None


def worth(position: Position, cards: Sequence[Card]) -> float:
    """How good it is for the seat to move to play these cards, in raw score points."""
    chance = _chance(position, cards)
    relief = sum([_relief(position, card) for card in cards])
    value = position.table_value + sum([position.values[card] for card in cards])
    transformer = position.transformer_on_table or any(kind_of(card) == TRANSFORMER for card in cards)
    total = relief + (_lead(position, cards[0]) if position.led is None else 0.0)
    if chance < 1:
        total += (1 - chance) * _given(position, value, transformer=transformer)
    if chance > 0:
        taken = _gain(position.sums[position.me], value, transformer=transformer)
        total += chance * (taken + _risk(position, cards[0]))
    return total


def _chance(position: Position, cards: Sequence[Card]) -> float:
    """How likely a play takes the trick."""
    if not position.takes_trick_so_far(cards):
        return 0.0
    suit = suit_of(cards[0]) if position.led is None else position.led
    if position.led is None and len(cards) == 2:
        return _pair_chance(position, suit)
    if not position.left:
        return 1.0
    rank = top_rank(set_of(cards), suit)
    own_higher = (position.mine & SUIT_CARDS[suit]) >> (suit * 16 + rank + 1) & _SUIT_ABOVE
    higher = (_ACE - rank) * position.decks - own_higher.bit_count()
    return 1 / (1 + 0.27 * higher * position.alive * position.left)


_SUIT_ABOVE: Final = 0x1FFF | 0x1FFF << 64
"""Room for the ranks of a suit above some rank, in both decks, once they are shifted down."""


def _pair_chance(position: Position, suit: Suit) -> float:
    """How likely a pair that is led takes its trick: seldom where any two cards of the suit beat it."""
    classes = position.ruleset.pair_tricks.classes[SUITS[suit]]
    return 0.8 if classes["pair"] > classes["two"] else 0.15


def _gain(taken: int, value: int, *, transformer: bool) -> float:
    """What a seat that has taken so much gains by cards of this value; a transformer doubles what there is."""
    if not transformer:
        return value
    return value + (max(-200, min(200, taken + value)) or 50)


def _given(position: Position, value: int, *, transformer: bool) -> float:
    """What it is worth to the seat that another takes the trick: whoever has it now, or anyone."""
    if position.led is None:
        return -value / 3
    gain = _gain(position.sums[position.winner], value, transformer=transformer)
    if not position.ruleset.partners:
        return -gain / 3
    sure = 0.6 if position.left else 1.0
    return gain * sure if side_of(position.winner) == side_of(position.me) else -gain * sure


def _risk(position: Position, card: Card) -> float:
    """What may still fall on a trick that this card takes."""
    suit = suit_of(card) if position.led is None else position.led
    expected = -2 - 9 * position.late
    if position.pig_out:
        if suit != SPADES:
            expected -= 5 * position.late * position.factors[PIG]
        elif rank_of(card) > _QUEEN:
            expected -= 22 * position.factors[PIG]
    if position.sheep_out and suit == DIAMONDS and rank_of(card) > _JACK:
        expected += 18 * position.factors[SHEEP]
    return expected * position.left


def _relief(position: Position, card: Card) -> float:
    """How good it is not to hold a card any longer."""
    suit = suit_of(card)
    return _RELIEF[suit](position, card) + 5 / position.lengths[suit]


def _spade_relief(position: Position, card: Card) -> float:
    rank = rank_of(card)
    if rank == _QUEEN:
        return 45.0 * position.factors[PIG]
    if position.own_pig:
        # Low spades guard one's own pig.
        return -6.0 if rank < _QUEEN else rank * 0.3
    return 22.0 if position.pig_out and rank > _QUEEN else rank * 0.4


def _heart_relief(position: Position, card: Card) -> float:
    return rank_of(card) * 0.4 - 0.3 * position.values[card]


def _diamond_relief(position: Position, card: Card) -> float:
    rank = rank_of(card)
    if rank == _JACK:
        return -45.0 * position.factors[SHEEP]
    if rank > _JACK and (position.sheep_out or position.own_sheep):
        # High diamonds bring the sheep home.
        return -8.0
    return rank * 0.4


def _club_relief(position: Position, card: Card) -> float:
    taken = position.sums[position.me]
    if kind_of(card) == TRANSFORMER:
        return max(-40.0, min(40.0, -0.4 * taken)) or 4.0
    return rank_of(card) * (0.7 if position.transformer_out and taken < 0 else 0.4)


_RELIEF: Final = {
    SPADES: _spade_relief,
    HEARTS: _heart_relief,
    DIAMONDS: _diamond_relief,
    CLUBS: _club_relief,
}


def _lead(position: Position, card: Card) -> float:
    """What leading this card does besides taking the trick or not: low spades hunt the pig, if it is not one's own."""
    if suit_of(card) != SPADES:
        return 0.0
    if position.own_pig:
        return -15.0
    return 12.0 * position.factors[PIG] if position.pig_out and rank_of(card) < _QUEEN else 0.0
