"""Which plays the rules admit (rules.md §4): following suit, the ban on held-back cards, leading and following a pair.

A play is a set of one or two cards. The functions here know nothing of turns or matches; they are the rule kernel
that live play, replays and playouts share.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from domain.cards import (
    SUIT_CARDS,
    TWOS_OF_CLUBS,
    Card,
    Cards,
    Suit,
    cards_in,
    kind_of,
    name_of,
    pair_of,
    pairs_in,
    set_of,
    suit_of,
)
from domain.errors import (
    CardNotHeld,
    CommandRefused,
    HeldBack,
    MustFollowSuit,
    MustLeadTwoOfClubs,
    MustPlayPair,
    MustUseHeldBack,
    NotAPair,
    WrongNumberOfCards,
)
from domain.seats import Seat

SUIT_WORDS: Final = ("spades", "hearts", "diamonds", "clubs")


def leadable(hand: Cards, held: Cards, *, ban: bool, must_lead_two_of_clubs: bool = False) -> Cards:
    """The cards that may be led alone. `ban`: a held-back card leads only where its whole suit in hand is held back."""
    if must_lead_two_of_clubs:
        return hand & TWOS_OF_CLUBS
    if not (ban and held & hand):
        return hand
    free = hand & ~held
    barred = [card for card in cards_in(held & hand) if free & SUIT_CARDS[suit_of(card)]]
    return hand & ~set_of(barred)


def followable(hand: Cards, suit: Suit, held: Cards) -> Cards:
    """The cards that may follow a single card led in `suit`: free ones of the suit, else held-back ones, else any."""
    of_suit = hand & SUIT_CARDS[suit]
    if not of_suit:
        return hand
    return of_suit & ~held or of_suit if held else of_suit


def legal_leads(
    hand: Cards, held: Cards, *, decks: int, ban: bool, must_lead_two_of_clubs: bool = False
) -> list[Cards]:
    """Every legal lead: single cards, then (two decks) pairs."""
    cards = leadable(hand, held, ban=ban, must_lead_two_of_clubs=must_lead_two_of_clubs)
    leads = [1 << card for card in cards_in(cards)]
    if decks == 2:
        leads += [pair_of(card) for card in cards_in(pairs_in(cards))]
    return leads


def legal_follows(hand: Cards, suit: Suit, owed: int, held: Cards) -> list[Cards]:
    """Every legal play on a trick led in `suit` with `owed` cards (1 or 2)."""
    if owed == 1:
        return [1 << card for card in cards_in(followable(hand, suit, held))]
    of_suit = hand & SUIT_CARDS[suit]
    if free_pairs := pairs_in(of_suit & ~held):
        return [pair_of(card) for card in cards_in(free_pairs)]
    return _filled_in_order((of_suit & ~held, of_suit & held, hand & ~of_suit), owed)


def _filled_in_order(layers: Sequence[Cards], owed: int) -> list[Cards]:
    """Every choice of `owed` cards that uses all of each layer before it touches the next."""
    used = 0
    for layer in layers:
        if layer.bit_count() >= owed:
            return [used | set_of(chosen) for chosen in combinations(cards_in(layer), owed)]
        used |= layer
        owed -= layer.bit_count()
    return [used]


def lead_refusal(
    hand: Cards,
    held: Cards,
    cards: Sequence[Card],
    *,
    decks: int,
    ban: bool,
    must_lead_two_of_clubs: bool,
    seat: Seat,
) -> CommandRefused | None:
    """Why these cards may not be led by this seat, or None where they may."""
    if refusal := _holding_refusal(hand, cards, decks, seat):
        return refusal
    if len(cards) not in (1, 2) or len(cards) > decks:
        return WrongNumberOfCards(seat=seat, given=len(cards), owed="1" if decks == 1 else "1, or a pair,")
    if len(cards) == 2 and kind_of(cards[0]) != kind_of(cards[1]):
        return NotAPair(seat=seat)
    if must_lead_two_of_clubs and not TWOS_OF_CLUBS >> cards[0] & 1:
        return MustLeadTwoOfClubs(seat=seat, card=name_of(cards[0], decks))
    for card in cards:
        if not leadable(hand, held, ban=ban) >> card & 1:
            return HeldBack(seat=seat, card=name_of(card, decks))
    return None


def follow_refusal(
    hand: Cards, suit: Suit, owed: int, held: Cards, cards: Sequence[Card], *, decks: int, seat: Seat
) -> CommandRefused | None:
    """Why these cards may not be played on a trick led in `suit` with `owed` cards, or None where they may."""
    if refusal := _holding_refusal(hand, cards, decks, seat):
        return refusal
    if len(cards) != owed:
        return WrongNumberOfCards(seat=seat, given=len(cards), owed=owed)
    of_suit = hand & SUIT_CARDS[suit]
    free = of_suit & ~held
    played = set_of(cards)
    if owed == 2 and pairs_in(free) and not (pairs_in(played & free)):
        return MustPlayPair(seat=seat, card=name_of(cards[0], decks))
    if (stray := played & ~free) and (free & ~played):
        card = next(cards_in(stray))
        if of_suit >> card & 1:
            return HeldBack(seat=seat, card=name_of(card, decks))
        return MustFollowSuit(seat=seat, card=name_of(card, decks), suit=SUIT_WORDS[suit])
    if (stray := played & ~of_suit) and (of_suit & ~played):
        return MustUseHeldBack(seat=seat, card=name_of(next(cards_in(stray)), decks))
    return None


def _holding_refusal(hand: Cards, cards: Sequence[Card], decks: int, seat: Seat) -> CommandRefused | None:
    if not cards or len(set(cards)) != len(cards):
        return WrongNumberOfCards(seat=seat, given=len(set(cards)), owed="1 or 2 different")
    for card in cards:
        if not hand >> card & 1:
            return CardNotHeld(seat=seat, card=name_of(card, decks))
    return None
