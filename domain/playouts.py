"""Hands played out on sets of cards alone: no match, no events, no texts.

For whoever needs many hands fast, such as reviews, bots and benchmarks. The rules are those of live play: the same
functions say which plays are legal, who takes a trick and what a player scores. What is played is up to a chooser;
randomness comes in as a generator or a stream that the caller has seeded.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

from domain.cards import SUIT_CARDS, Cards, Suit, deck, suit_of
from domain.plays import followable, leadable, legal_follows, legal_leads
from domain.rulesets import Ruleset
from domain.seats import TURNS_FROM, BySeat, Seat
from domain.streams import Stream
from domain.tricks import highest_card, highest_pair_play

_BITS_DRAWN: Final = 30  # a remainder of so many bits is off uniform by less than one in 10 million

_CARDS_AS_SETS: Final = tuple(tuple(1 << card for card in deck(decks)) for decks in (1, 2))


class Table:
    """A hand that is being played: its state between two plays, changed in place.

    `hands` and `taken` are sets of cards by seat, `plays` the trick in progress, begun by `leader`; `held` are the
    declared cards still held back; `opens_match`: the lead to come is a match's first. `stream` is for choosers that
    draw.
    """

    __slots__ = ("hands", "held", "leader", "opens_match", "plays", "stream", "taken")

    def __init__(
        self,
        hands: Sequence[Cards],
        leader: Seat,
        *,
        held: Cards = 0,
        plays: Sequence[Cards] = (),
        taken: Sequence[Cards] = (0, 0, 0, 0),
        opens_match: bool = False,
        stream: Stream = 0,
    ) -> None:
        self.hands = list(hands)
        self.leader = leader
        self.held = held
        self.plays = list(plays)
        self.taken = list(taken)
        self.opens_match = opens_match
        self.stream = stream


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
    while table.plays or table.hands[table.leader]:
        play_trick(ruleset, table, chooser)
    return table.taken


def play_trick(ruleset: Ruleset, table: Table, chooser: Chooser) -> None:
    """The trick that is in progress or to come is played and taken. Changes `table`."""
    # Written out on purpose: calling a function costs about as much here as the rule it would apply.
    hands, plays, leader, held = table.hands, table.plays, table.leader, table.held
    if not plays:
        hand = hands[leader]
        if table.opens_match:
            lead = _opening_lead(ruleset, table, chooser)
        elif ruleset.decks == 1:
            lead = chooser.card(leadable(hand, held, ban=ruleset.ban_when_leading), leader, table)
        else:
            leads = legal_leads(hand, held, decks=2, ban=ruleset.ban_when_leading)
            lead = chooser.play(leads, leader, table)
        hands[leader] = hand ^ lead
        plays.append(lead)
    suit = suit_of(plays[0].bit_length() - 1)
    turns = TURNS_FROM[leader]
    if plays[0].bit_count() == 1:
        for seat in turns[len(plays) :]:
            hand = hands[seat]
            card = chooser.card(followable(hand, suit, held), seat, table)
            hands[seat] = hand ^ card
            plays.append(card)
        table.leader = taker = turns[highest_card(plays, suit)]
    else:
        _follow_pair(table, suit, chooser.play)
        table.leader = taker = turns[highest_pair_play(plays, suit, ruleset.pair_tricks)]
    table.taken[taker] |= sum(plays)  # no card is played twice, so the sum of the sets is their union
    table.held = held and held & ~SUIT_CARDS[suit]
    table.opens_match = False
    plays.clear()


def _opening_lead(ruleset: Ruleset, table: Table, chooser: Chooser) -> Cards:
    """The first lead of a match."""
    leads = legal_leads(
        table.hands[table.leader],
        table.held,
        decks=ruleset.decks,
        ban=ruleset.ban_when_leading,
        must_lead_two_of_clubs=ruleset.first_lead == "two_of_clubs_leads_it",
    )
    return chooser.play(leads, table.leader, table)


def _follow_pair(table: Table, suit: Suit, choose: ChoosePlay) -> None:
    """Everyone still to play answers the pair that was led."""
    for seat in TURNS_FROM[table.leader][len(table.plays) :]:
        play = choose(legal_follows(table.hands[seat], suit, 2, table.held), seat, table)
        table.hands[seat] ^= play
        table.plays.append(play)


def random_chooser(random: Random) -> Chooser:
    """Plays any legal card or play, each as likely as the others."""
    draw = random.getrandbits

    def card(legal: Cards, _seat: Seat, _table: Table) -> Cards:
        number = legal.bit_count()
        return nth_card(legal, draw(_BITS_DRAWN) % number) if number > 1 else legal

    def play(legal: Sequence[Cards], _seat: Seat, _table: Table) -> Cards:
        return legal[draw(_BITS_DRAWN) % len(legal)]

    return Chooser(card, play)


def nth_card(cards: Cards, place: int) -> Cards:
    """The card at a place (from 0) of a set in canonical order, as a set of one."""
    number = cards.bit_count()
    if 2 * place < number:
        while place:
            cards &= cards - 1  # without its lowest card
            place -= 1
        return cards & -cards
    while place < number - 1:
        cards ^= 1 << cards.bit_length() - 1  # without its highest
        place += 1
    return 1 << cards.bit_length() - 1


def random_hands(decks: int, random: Random) -> BySeat[Cards]:
    """Four hands dealt at random."""
    order = random.sample(_CARDS_AS_SETS[decks - 1], k=52 * decks)
    return (sum(order[0::4]), sum(order[1::4]), sum(order[2::4]), sum(order[3::4]))
