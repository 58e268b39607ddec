"""The rule player of playouts, on sets of cards (see `policies` for how it plays): a chooser for one ruleset."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.cards import (
    DIAMONDS,
    FIRST_COPIES,
    HEARTS,
    PIGS,
    RANKS,
    SHEEP_CARDS,
    SUIT_CARDS,
    SUITS,
    TRANSFORMERS,
    Cards,
    Suit,
    card_of,
    deck,
    pair_of,
    pairs_in,
    rank_of,
    suit_of,
    top_rank,
)
from domain.chance import chance
from domain.playouts import Chooser, Table, nth_card
from domain.rulesets import Ruleset
from domain.seats import TURNS_FROM, Seat, side_of
from domain.streams import choice, moved
from domain.tricks import highest_card, highest_pair_play, play_kind
from replays.rollouts.policies import ALWAYS, Order, Policy

ABOVE_SHEEP: Final[Cards] = sum(pair_of(card_of(DIAMONDS, RANKS.index(rank))) for rank in "QKA")
_DECK: Final = 64
_SPECIAL: Final = PIGS | SHEEP_CARDS | TRANSFORMERS


def ranks_up_to(suit: Suit, rank: int) -> Cards:
    """The cards of a suit of this rank and below, both copies: on a single card of this rank they take no trick."""
    one = ((2 << rank) - 1) << 16 * suit
    return one | one << _DECK


_UP_TO: Final = {1 << card: ranks_up_to(suit_of(card), rank_of(card)) for card in deck(2)}


class Situation(NamedTuple):
    """What matters of a trick in progress to the seat to play.

    The cards in it and its suit; whether it is the partner's so far; whether nobody plays after this seat; and whether
    this seat wants a transformer.
    """

    trick: Cards
    suit: Suit
    friend: bool
    last: bool
    likes: bool


def rule_chooser(ruleset: Ruleset, policy: Policy) -> Chooser:
    """Plays by this policy; what it leaves open, and its slips, by `table.stream`."""
    if policy.by_chance:
        return chance
    player = RulePlayer(ruleset, policy)
    return Chooser(player.card, player.play)


class RulePlayer:
    """Any seat, playing by a policy."""

    __slots__ = ("_partners", "_policy", "_slips", "_tricks")

    def __init__(self, ruleset: Ruleset, policy: Policy) -> None:
        self._policy, self._slips = policy, policy.slips
        self._partners, self._tricks = ruleset.partners, ruleset.pair_tricks

    def card(self, legal: Cards, seat: Seat, table: Table) -> Cards:
        """A card, where single cards are played."""
        if not legal & legal - 1:
            return legal
        if self._slips and self._slip(table):
            return chance.card(legal, seat, table)
        if not table.plays:
            return self._lead(legal, seat, table)
        suit = suit_of(table.plays[0].bit_length() - 1)
        place = highest_card(table.plays, suit)
        at = self._situation(seat, table, place, suit)
        if not legal & SUIT_CARDS[suit]:
            return self._discard(legal, seat, table, at)
        return follow(legal, legal & _UP_TO[table.plays[place]], at)

    def play(self, legal: Sequence[Cards], seat: Seat, table: Table) -> Cards:
        """A lead where it may be a pair, or the answer to a pair."""
        if len(legal) == 1:
            return legal[0]
        if self._slips and self._slip(table):
            return chance.play(legal, seat, table)
        together = 0
        for cards in legal:
            together |= cards
        if table.plays:
            return self._answer(legal, together, seat, table)
        return with_twin(self._lead(together, seat, table), together)

    def _slip(self, table: Table) -> bool:
        table.stream = stream = moved(table.stream)
        return choice(stream, ALWAYS) < self._slips

    def _situation(self, seat: Seat, table: Table, place: int, suit: Suit) -> Situation:
        """What the seat sees of a trick whose play at this place takes it so far."""
        taker = TURNS_FROM[table.leader][place]
        return Situation(
            sum(table.plays),
            suit,
            friend=self._partners and side_of(taker) == side_of(seat),
            last=len(table.plays) == 3,
            likes=likes_transformer(table.taken[seat]),
        )

    def _lead(self, legal: Cards, seat: Seat, table: Table) -> Cards:
        hand = table.hands[seat]
        out = sum(table.hands) ^ hand
        if legal & SHEEP_CARDS and not out & ABOVE_SHEEP:
            return lowest(legal & SHEEP_CARDS)
        return first_of(self._policy.leads[2 if hand & PIGS else 1 if out & PIGS else 0], legal, table)

    def _discard(self, legal: Cards, seat: Seat, table: Table, at: Situation) -> Cards:
        if at.friend:
            return first_of(self._policy.gifts, legal, table)
        if at.likes:
            legal = legal & ~TRANSFORMERS or legal
        out = sum(table.hands) ^ table.hands[seat]
        return first_of(self._policy.discards[1 if out & PIGS else 0], legal, table)

    def _answer(self, legal: Sequence[Cards], together: Cards, seat: Seat, table: Table) -> Cards:
        """A play on a pair that was led; `together` are all cards of all legal plays."""
        suit = suit_of(table.plays[0].bit_length() - 1)
        place = highest_pair_play(table.plays, suit, self._tricks)
        at, best = self._situation(seat, table, place, suit), table.plays[place]
        classes = self._tricks.classes[SUITS[suit]]
        to_beat, top = classes.get(play_kind(best, suit), 0), top_rank(best, suit)
        pairs = pairs_in(together)
        if len(legal) == pairs.bit_count():
            chosen = follow(pairs, _losing(pairs, classes["pair"] - to_beat, suit, top), at)
            return pair_of(chosen.bit_length() - 1)
        chosen = together
        for cards in legal:
            chosen &= cards
        for _ in range(2 - chosen.bit_count()):
            left = together & ~chosen
            if not left & SUIT_CARDS[suit]:
                chosen |= self._discard(left, seat, table, at)
                continue
            losing = _losing(left, classes["two"] - to_beat, suit, top)
            if losing.bit_count() + chosen.bit_count() < 2:
                losing = 0  # one low card does not hide a high one
            chosen |= follow(left, losing, at)
        return chosen


def likes_transformer(taken: Cards) -> bool:
    """Whether a seat that has taken these cards wants a transformer: it has a sheep and no pig."""
    return bool(taken & SHEEP_CARDS) and not taken & PIGS


def _losing(cards: Cards, advantage: int, suit: Suit, top: int) -> Cards:
    """Of these cards of the suit, those that do not take a trick: by class of the play, then by rank."""
    if advantage:
        return cards if advantage < 0 else 0
    return cards & ranks_up_to(suit, top)


def follow(legal: Cards, losing: Cards, at: Situation) -> Cards:
    """The card to follow suit with; `losing` are those of the legal ones that do not take the trick so far."""
    winning, pig_in_it = legal ^ losing, at.trick & PIGS
    if at.last and not pig_in_it and winning & SHEEP_CARDS:
        return lowest(winning & SHEEP_CARDS)
    if at.last and at.friend and not pig_in_it and losing & SHEEP_CARDS:
        return lowest(losing & SHEEP_CARDS)
    wanted = at.trick & (SHEEP_CARDS | TRANSFORMERS if at.likes else SHEEP_CARDS)
    if winning and wanted and not pig_in_it and not at.friend:
        return highest(winning & ~PIGS or winning)
    if losing:
        return _losing_card(losing, at)
    avoided = PIGS | SHEEP_CARDS if at.likes else _SPECIAL
    spare = winning & ~avoided or winning & ~PIGS or winning
    return highest(spare) if at.last and at.suit != HEARTS else lowest(spare)


def _losing_card(losing: Cards, at: Situation) -> Cards:
    """The card to play where it does not take the trick."""
    if at.friend:
        kept = losing & ~PIGS or losing
        return lowest(kept) if at.suit == HEARTS else highest(kept)
    if losing & PIGS:
        return lowest(losing & PIGS)
    kept = SHEEP_CARDS | TRANSFORMERS if at.likes else SHEEP_CARDS
    return highest(losing & ~kept or losing)


def with_twin(card: Cards, legal: Cards) -> Cards:
    """The lead of a card, as a pair where that is possible and seldom takes the trick."""
    pair = pair_of(card.bit_length() - 1)
    if pair & ~legal or card & (_SPECIAL | SUIT_CARDS[DIAMONDS]):
        return card
    return pair


def highest(cards: Cards) -> Cards:
    """The highest card of a set within one suit; of both copies the first."""
    if cards <= FIRST_COPIES:
        return 1 << cards.bit_length() - 1
    kinds = (cards | cards >> _DECK) & FIRST_COPIES
    copies = cards & pair_of(kinds.bit_length() - 1)
    return copies & -copies


def lowest(cards: Cards) -> Cards:
    """The lowest card of a set within one suit; of both copies the first."""
    if cards <= FIRST_COPIES:
        return cards & -cards
    kinds = (cards | cards >> _DECK) & FIRST_COPIES
    copies = cards & pair_of((kinds & -kinds).bit_length() - 1)
    return copies & -copies


def first_of(order: Order, cards: Cards, table: Table) -> Cards:
    """The card that an order puts first; of several in one group any, drawn from the table's stream."""
    for group in order:
        if found := cards & group:
            if not found & found - 1:
                return found
            table.stream = stream = moved(table.stream)
            return nth_card(found, choice(stream, found.bit_count()))
    raise AssertionError("an order has every card")
