"""What the seat to move knows of a hand, in numbers: the part of its view that judging a play needs."""

from collections.abc import Sequence
from typing import Final

from domain.cards import (
    ACE_OF_HEARTS,
    HEARTS,
    PIG,
    PIGS,
    SHEEP,
    SHEEP_CARDS,
    SUIT_CARDS,
    TRANSFORMER,
    TRANSFORMERS,
    Card,
    deck,
    kind_of,
    parse_card,
    parse_cards,
    rank_of,
    set_of,
    suit_of,
    top_rank,
)
from domain.rulesets import Ruleset, ruleset_named
from domain.seats import Seat
from domain.tricks import winning_play
from domain.visibility import HandView, MatchView

_PACKS: Final = (set_of(deck(1)), set_of(deck(2)))


class Position:
    """A hand as the seat to move sees it.

    `mine` and `lengths`: its cards, and how many of each suit. `values`: what each card adds to the raw score of
    whoever takes it, by card; a transformer adds nothing by itself. `plays`, `led`, `owed`, `top`, `winner`: the trick
    so far, its suit, the cards each seat owes it, the highest rank that wins it and who has that; `on_table` and
    `table_value` its cards and their sum. `sums`: the sum each seat has taken. `left`: seats that play after this
    one; `alive`: the share of the cards not in this hand that the others still hold; `late`: 0 at the first trick,
    near 1 at the last. `…_out`: whether a card of the kind is with the others.
    """

    __slots__ = (
        "alive", "decks", "factors", "late", "led", "left", "lengths", "me", "mine", "on_table", "owed", "own_pig",
        "own_sheep", "pig_out", "plays", "ruleset", "sheep_out", "sums", "table_value", "top", "transformer_on_table",
        "transformer_out", "values", "winner",
    )  # fmt: skip

    def __init__(self, view: MatchView, hand: HandView) -> None:
        ruleset = ruleset_named(view.ruleset)
        self.ruleset, self.decks = ruleset, ruleset.decks
        self.me: Seat = int(view.viewer)
        self.mine = set_of(parse_cards(hand.cards or (), self.decks))
        self.lengths = [(self.mine & SUIT_CARDS[suit]).bit_count() for suit in range(4)]
        self.own_pig, self.own_sheep = self.mine & PIGS, self.mine & SHEEP_CARDS
        self.factors = known_factors(ruleset, hand)
        self.values = _values(ruleset, self.factors)
        self._read_trick(hand)
        self._read_taken(hand)
        others = sum(hand.cards_left) - self.mine.bit_count()
        self.alive = others / (39 * self.decks)
        self.late = 1 - self.mine.bit_count() / ruleset.hand_size

    def _read_trick(self, hand: HandView) -> None:
        played = [parse_cards(play.cards, self.decks) for play in hand.trick]
        self.plays = [set_of(cards) for cards in played]
        self.left = 3 - len(played)
        self.on_table = [card for cards in played for card in cards]
        self.table_value = sum([self.values[card] for card in self.on_table])
        self.transformer_on_table = any(kind_of(card) == TRANSFORMER for card in self.on_table)
        self.led, self.owed, self.top, self.winner = None, 0, -1, self.me
        if played:
            self.led, self.owed = suit_of(played[0][0]), len(played[0])
            best = winning_play(self.plays, self.led, self.ruleset.pair_tricks)
            self.top, self.winner = top_rank(self.plays[best], self.led), hand.trick[best].seat

    def _read_taken(self, hand: HandView) -> None:
        taken = [parse_cards(cards, self.decks) for cards in hand.taken]
        self.sums = [sum([self.values[card] for card in cards]) for cards in taken]
        seen = self.mine
        for cards in (self.on_table, *taken):
            seen |= set_of(cards)
        unseen = _PACKS[self.decks - 1] & ~seen
        self.pig_out, self.sheep_out = bool(unseen & PIGS), bool(unseen & SHEEP_CARDS)
        self.transformer_out = bool(unseen & TRANSFORMERS)

    def takes_trick_so_far(self, cards: Sequence[Card]) -> bool:
        """Whether these cards would be the highest play of the trick in progress."""
        if self.led is None:
            return True
        if self.owed == 1:
            return suit_of(cards[0]) == self.led and rank_of(cards[0]) > self.top
        plays = [*self.plays, set_of(cards)]
        return winning_play(plays, self.led, self.ruleset.pair_tricks) == len(self.plays)


def known_factors(ruleset: Ruleset, hand: HandView) -> dict[Card, int]:
    """By what the declarations a viewer knows of multiply pigs, sheep and hearts, roughly."""
    factors = {PIG: 1, SHEEP: 1, ACE_OF_HEARTS: 1, TRANSFORMER: 1}
    for declaration in hand.declarations:
        if declaration.card is not None:
            factor = 4 if ruleset.by_blood and declaration.level == "open" else 2
            factors[kind_of(parse_card(declaration.card, ruleset.decks))] = factor
    return factors


def _values(ruleset: Ruleset, factors: dict[Card, int]) -> list[int]:
    """The value of each card, by card; hearts are counted with the factor of ♥A, pig and sheep with their own."""
    values = [0] * 128
    for rank, value in enumerate(ruleset.scoring.heart_values):
        heart = HEARTS * 16 + rank
        values[heart] = values[heart + 64] = value * factors[ACE_OF_HEARTS]
    values[PIG] = values[PIG + 64] = ruleset.scoring.pig * factors[PIG]
    values[SHEEP] = values[SHEEP + 64] = ruleset.scoring.sheep * factors[SHEEP]
    return values
