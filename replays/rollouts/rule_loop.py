"""The tight loop of playouts by rule: what `playouts.play_out` comes to with the `rule_player`, several times as fast.

Reviews without a compiled kernel spend their time here. Tests hold the loop to the rule player, card for card.
"""

from typing import Final

from domain.cards import FIRST_COPIES, HEARTS, PIGS, SHEEP_CARDS, SUIT_CARDS, TRANSFORMERS, Cards
from domain.playouts import Table, play_out, play_trick
from domain.plays import leadable
from domain.rulesets import Ruleset
from domain.seats import TURNS_FROM
from domain.streams import INCREMENT, MULTIPLIER, WORD
from replays.rollouts.policies import Order, Policy
from replays.rollouts.rule_player import ABOVE_SHEEP, likes_transformer, rule_chooser

_PIG: Final = PIGS & FIRST_COPIES
_SHEEP: Final = SHEEP_CARDS & FIRST_COPIES
_TRANSFORMER: Final = TRANSFORMERS & FIRST_COPIES
_SUITS: Final = tuple(cards & FIRST_COPIES for cards in SUIT_CARDS)
_FOLLOWERS: Final = tuple(tuple(zip(turns[1:], (False, False, True), strict=True)) for turns in TURNS_FROM)
"""By leader the seats that follow, and whether each is the last."""


def play_by_rule(ruleset: Ruleset, table: Table, policy: Policy) -> list[Cards]:
    """The cards each seat has taken, by seat, once the hand is played to its end by a policy. Changes `table`."""
    chooser = rule_chooser(ruleset, policy)
    if ruleset.decks == 2 or policy.slips:
        return play_out(ruleset, table, chooser)
    if table.plays or table.opens_match:
        play_trick(ruleset, table, chooser)
    _play_rest(ruleset, table, policy)
    return table.taken


def _play_rest(ruleset: Ruleset, table: Table, policy: Policy) -> None:  # noqa: C901 - see below
    """All tricks of one deck that are not begun."""
    # Written out on purpose: a call costs about as much here as the rule it would apply.
    hands, taken, leader, held = table.hands, table.taken, table.leader, table.held
    leads, discards, gifts, partners = policy.leads, policy.discards, policy.gifts, ruleset.partners
    order: Order
    while hand := hands[leader]:
        lead = leadable(hand, held, ban=ruleset.ban_when_leading) if held else hand
        if lead & lead - 1:
            first, second, third, fourth = hands
            out = (first | second | third | fourth) ^ hand
            if lead & _SHEEP and not out & ABOVE_SHEEP:
                lead = _SHEEP
            else:
                order = leads[2 if hand & _PIG else 1 if out & _PIG else 0]
                lead = _first_of(order, lead, table)
        hands[leader] = hand ^ lead
        trick, taker, suit = lead, leader, lead.bit_length() - 1 >> 4
        suit_cards = _SUITS[suit]
        for seat, last in _FOLLOWERS[leader]:
            hand = hands[seat]
            if card := hand & suit_cards:
                if held:
                    card = card & ~held or card
                if card & card - 1:
                    losing = card & lead - 1
                    if trick & _SPECIAL or card & _SPECIAL or partners:
                        friend = partners and not (taker ^ seat) & 1
                        likes = likes_transformer(taken[seat])
                        card = _follow(card, losing, trick, suit, friend=friend, last=last, likes=likes)
                    elif losing or (last and suit != HEARTS):
                        card = 1 << (losing or card).bit_length() - 1
                    else:
                        card &= -card
                if card > lead:
                    lead, taker = card, seat
            else:
                card = hand
                if card & card - 1:
                    if partners and not (taker ^ seat) & 1:
                        order = gifts
                    else:
                        if card & _TRANSFORMER and likes_transformer(taken[seat]):
                            card = card & ~_TRANSFORMER or card
                        first, second, third, fourth = hands
                        order = discards[1 if ((first | second | third | fourth) ^ hand) & _PIG else 0]
                    card = _first_of(order, card, table)
            hands[seat] = hand ^ card
            trick |= card
        taken[taker] |= trick
        leader = taker
        if held:
            held &= ~suit_cards
    table.leader, table.held = leader, held


_SPECIAL: Final = _PIG | _SHEEP | _TRANSFORMER


def _first_of(order: Order, cards: Cards, table: Table) -> Cards:
    """`rule_player.first_of`, one deck."""
    for group in order:
        if found := cards & group:
            if found & found - 1:
                table.stream = stream = table.stream * MULTIPLIER + INCREMENT & WORD
                place = (stream >> 39) * found.bit_count() >> 25
                while place:
                    found &= found - 1
                    place -= 1
                found &= -found
            return found
    raise AssertionError("an order has every card")


def _follow(  # noqa: PLR0911, RUF100 - as `rule_player.follow` has it
    legal: Cards, losing: Cards, trick: Cards, suit: int, *, friend: bool, last: bool, likes: bool
) -> Cards:
    """`rule_player.follow`, one deck."""
    winning, clean = legal ^ losing, not trick & _PIG
    if last and clean and (winning & _SHEEP or (friend and losing & _SHEEP)):
        return _SHEEP
    if winning and clean and not friend and (trick & _SHEEP or (likes and trick & _TRANSFORMER)):
        return 1 << (winning & ~_PIG or winning).bit_length() - 1
    if losing:
        if friend:
            kept = losing & ~_PIG or losing
            return kept & -kept if suit == HEARTS else 1 << kept.bit_length() - 1
        if losing & _PIG:
            return _PIG
        kept = losing & ~_SHEEP
        if likes:
            kept &= ~_TRANSFORMER
        return 1 << (kept or losing).bit_length() - 1
    spare = winning & ~(_PIG | _SHEEP) if likes else winning & ~_SPECIAL
    spare = spare or winning & ~_PIG or winning
    return 1 << spare.bit_length() - 1 if last and suit != HEARTS else spare & -spare
