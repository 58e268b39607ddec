"""Hands played out on sets of cards alone: no match, no events, no texts.

For whoever needs many hands fast, such as reviews, bots and benchmarks. The rules are those of live play: the same
functions say which plays are legal, who takes a trick and what a player scores. What is played is up to a chooser;
randomness comes in as a generator that the caller has seeded.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

from domain.cards import SUIT_CARDS, Cards, Suit, deck, suit_of
from domain.dealing import hands_of
from domain.plays import followable, leadable, legal_follows, legal_leads
from domain.rulesets import Ruleset
from domain.seats import TURNS_FROM, BySeat, Seat
from domain.tricks import winning_play

_BITS_DRAWN: Final = 30  # a remainder of so many bits is off uniform by less than one in 10 million


class Table:
    """A hand that is being played: its state between two plays, changed in place.

    `hands` and `taken` are sets of cards by seat, `plays` the trick in progress, begun by `leader`; `held` are the
    declared cards still held back; `opens_match`: the lead to come is a match's first.
    """

    __slots__ = ("hands", "held", "leader", "opens_match", "plays", "taken")

    def __init__(
        self,
        hands: Sequence[Cards],
        leader: Seat,
        *,
        held: Cards = 0,
        plays: Sequence[Cards] = (),
        taken: Sequence[Cards] = (0, 0, 0, 0),
        opens_match: bool = False,
    ) -> None:
        self.hands = list(hands)
        self.leader = leader
        self.held = held
        self.plays = list(plays)
        self.taken = list(taken)
        self.opens_match = opens_match


ChooseCard: TypeAlias = Callable[[Cards, Seat, Table], Cards]
"""One card, as a set of one, out of the set of cards that this seat may play."""
ChoosePlay: TypeAlias = Callable[[Sequence[Cards], Seat, Table], Cards]
"""One of the plays that this seat may make, each of one or two cards."""


class Chooser(NamedTuple):
    """Who plays: asked for a card where one is to be played, for a play where it may be a pair or answers one."""

    card: ChooseCard
    play: ChoosePlay


def play_out(ruleset: Ruleset, table: Table, chooser: Chooser) -> list[Cards]:
    """The cards each seat has taken, by seat, once the hand has been played to its end. Changes `table`."""
    hands, plays, choose_card = table.hands, table.plays, chooser.card
    while plays or hands[table.leader]:
        turns = TURNS_FROM[table.leader]
        if not plays:
            lead = _lead(ruleset, table, chooser)
            hands[table.leader] ^= lead
            plays.append(lead)
        suit, owed, held = suit_of(plays[0].bit_length() - 1), plays[0].bit_count(), table.held
        for seat in turns[len(plays) :]:
            hand = hands[seat]
            if owed == 1:
                play = choose_card(followable(hand, suit, held), seat, table)
            else:
                play = chooser.play(legal_follows(hand, suit, owed, held), seat, table)
            hands[seat] = hand ^ play
            plays.append(play)
        _clear_trick(table, turns[winning_play(plays, suit, ruleset.pair_tricks)], suit)
    return table.taken


def _lead(ruleset: Ruleset, table: Table, chooser: Chooser) -> Cards:
    """What the leader of the trick plays."""
    seat, held, ban = table.leader, table.held, ruleset.ban_when_leading
    hand = table.hands[seat]
    must = table.opens_match and ruleset.first_lead == "two_of_clubs_leads_it"
    table.opens_match = False
    if ruleset.decks == 1:
        legal = leadable(hand, held, ban=ban, must_lead_two_of_clubs=must)
        return chooser.card(legal, seat, table)
    leads = legal_leads(hand, held, decks=ruleset.decks, ban=ban, must_lead_two_of_clubs=must)
    return chooser.play(leads, seat, table)


def _clear_trick(table: Table, taker: Seat, suit: Suit) -> None:
    """The taker has the trick's cards and leads; the suit led holds nothing back any more."""
    table.taken[taker] |= sum(table.plays)  # no card is played twice, so the sum of the sets is their union
    table.leader = taker
    if table.held:
        table.held &= ~SUIT_CARDS[suit]
    table.plays.clear()


def random_chooser(random: Random) -> Chooser:
    """Plays any legal card or play, each as likely as the others."""
    draw = random.getrandbits

    def card(legal: Cards, _seat: Seat, _table: Table) -> Cards:
        number = legal.bit_count()
        if number == 1:
            return legal
        skipped = draw(_BITS_DRAWN) % number
        while skipped:
            legal &= legal - 1  # without its lowest card
            skipped -= 1
        return legal & -legal

    def play(legal: Sequence[Cards], _seat: Seat, _table: Table) -> Cards:
        return legal[draw(_BITS_DRAWN) % len(legal)]

    return Chooser(card, play)


def random_hands(decks: int, random: Random) -> BySeat[Cards]:
    """Four hands dealt at random."""
    return hands_of(random.sample(deck(decks), k=52 * decks))
