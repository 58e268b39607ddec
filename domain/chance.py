"""Playouts by chance: every seat plays any legal card or play, each as likely as the others.

`chance` is the chooser for `playouts.play_out`. `play_by_chance` comes to the same cards from the same stream and is
the tightest of the loops; tests hold the two together.
"""

from collections.abc import Sequence
from typing import Final

from domain.cards import FIRST_COPIES, RANKS, SUIT_CARDS, Cards, cards_in
from domain.playouts import Chooser, Table, nth_card, play_out, play_trick
from domain.plays import leadable
from domain.rulesets import Ruleset
from domain.seats import TURNS_FROM, Seat
from domain.streams import INCREMENT, MULTIPLIER, WORD, choice, moved


def _card(legal: Cards, _seat: Seat, table: Table) -> Cards:
    if not legal & legal - 1:
        return legal
    table.stream = stream = moved(table.stream)
    return nth_card(legal, choice(stream, legal.bit_count()))


def _play(legal: Sequence[Cards], _seat: Seat, table: Table) -> Cards:
    if len(legal) == 1:
        return legal[0]
    table.stream = stream = moved(table.stream)
    return legal[choice(stream, len(legal))]


chance: Final = Chooser(_card, _play)
"""Plays by `table.stream`; nothing is drawn where one card or play is left."""


def play_by_chance(ruleset: Ruleset, table: Table) -> list[Cards]:
    """The cards each seat has taken, by seat, at the end: what `play_out` by `chance` comes to. Changes `table`."""
    if ruleset.decks == 2:
        return play_out(ruleset, table, chance)
    if table.plays or table.opens_match:
        play_trick(ruleset, table, chance)
    _play_rest(table, ban=ruleset.ban_when_leading)
    return table.taken


def _play_rest(table: Table, *, ban: bool) -> None:  # noqa: C901 - see below
    """All tricks of one deck that are not begun."""
    # The rules of `plays` and `tricks` for single cards, and the draws of `_card`, written out on purpose: reviews
    # spend their time here, and a call costs about as much as the rule it would apply.
    hands, taken, leader, held, stream = table.hands, table.taken, table.leader, table.held, table.stream
    suits, followers, cards_in_set = _SUITS, _FOLLOWERS, _CARDS_IN
    number = hands[leader].bit_count()
    while number > 1:
        lead = hand = hands[leader]
        choices = number
        if held:
            lead = leadable(hand, held, ban=ban)
            choices = lead.bit_count()
        if choices > 1:
            stream = stream * MULTIPLIER + INCREMENT & WORD
            place = (stream >> 39) * choices >> 25
            while place:
                lead &= lead - 1  # without its lowest card
                place -= 1
            lead &= -lead
        hands[leader] = hand ^ lead
        trick, taker, shift = lead, leader, lead.bit_length() - 1 & -16
        suit_cards = suits[shift]
        for seat in followers[leader]:
            hand = hands[seat]
            if card := hand & suit_cards:
                if held:
                    card = card & ~held or card
                if card & card - 1:
                    cards = cards_in_set[card >> shift]
                    stream = stream * MULTIPLIER + INCREMENT & WORD
                    card = cards[(stream >> 39) * len(cards) >> 25] << shift
                if card > lead:
                    lead, taker = card, seat
            else:
                card = hand
                stream = stream * MULTIPLIER + INCREMENT & WORD
                place = (stream >> 39) * number >> 25
                while place:
                    card &= card - 1
                    place -= 1
                card &= -card
            hands[seat] = hand ^ card
            trick |= card
        taken[taker] |= trick
        leader = taker
        number -= 1
        if held:
            held &= ~suit_cards
    if number:  # nothing is drawn in the last trick
        trick, taker, lead = 0, leader, hands[leader]
        suit_cards = suits[lead.bit_length() - 1 & -16]
        for seat in TURNS_FROM[leader]:
            card = hands[seat]
            trick |= card
            if card > lead and card & suit_cards:
                lead, taker = card, seat
            hands[seat] = 0
        taken[taker] |= trick
        leader = taker
        held &= ~suit_cards
    table.leader, table.held, table.stream = leader, held, stream


_SUITS: Final = {16 * suit: cards & FIRST_COPIES for suit, cards in enumerate(SUIT_CARDS)}
"""The cards of each suit by the place of its lowest."""
_FOLLOWERS: Final = tuple(turns[1:] for turns in TURNS_FROM)
_CARDS_IN: Final = tuple(tuple(1 << card for card in cards_in(number)) for number in range(1 << len(RANKS)))
"""The cards of each set of cards of one suit, as sets of one."""
