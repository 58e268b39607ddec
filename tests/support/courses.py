"""Matches played into the middle of a hand, from deals that are given, and the worlds they make.

A world is a match's deals and the commands given in it: what is needed to let it unfold anywhere.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple
from uuid import UUID

from domain.cards import (
    DECLARABLE,
    FIRST_COPIES,
    TWOS_OF_CLUBS,
    Card,
    Cards,
    cards_in,
    deck,
    name_of,
    names_of,
)
from domain.commands import Command, DeclareCard, OpenMatch, PlayCards, SayDone, TakeSeat
from domain.dealing import first_dealt
from domain.decisions import decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.decisions.story import Dealer
from domain.events import DealSecret
from domain.match import Hand, Match
from domain.rulesets import Level, Ruleset
from domain.secret import Secret
from tests.support.services import START, match_id

ROOT: Final = b"\x11" * 64
SEED: Final = b"\x22" * 64

Order = tuple[Card, ...]
"""The cards of a deal as they are dealt, round the table."""


class World(NamedTuple):
    """One of two worlds: its deals by hand, their seed, and the commands given in it, the first of which opens it."""

    orders: tuple[Order, ...]
    commands: tuple[Command, ...]
    seed: bytes = SEED

    @property
    def match(self) -> UUID:
        """Its match."""
        opened = self.commands[0]
        assert isinstance(opened, OpenMatch)
        return opened.match

    def dealer(self) -> Dealer:
        """Deals this world's cards."""

        def deal(match: Match) -> DealSecret:
            order, leader = self.orders[match.hands_ended], match.next_leader
            first = first_dealt(order, TWOS_OF_CLUBS) if leader is None else leader
            return DealSecret(bytes(order), self.seed, first)

        return deal


class Course:
    """A match as it is played: the commands so far, and how it stands."""

    def __init__(
        self,
        ruleset: Ruleset,
        orders: Sequence[Order],
        chance: Random,
        opening: Sequence[Command] | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.orders = tuple(orders)
        self.commands: list[Command] = []
        self._chance = chance
        self._match: Match | None = None
        self._dealer = World(self.orders, ()).dealer()
        for command in opening_commands(ruleset, chance) if opening is None else opening:
            self.give(command)

    @property
    def match(self) -> Match:
        """The match as it stands."""
        assert self._match is not None
        return self._match

    @property
    def hand(self) -> Hand:
        """The hand in progress."""
        assert self.match.hand is not None
        return self.match.hand

    def give(self, command: Command) -> None:
        """One command."""
        self._match = decide_and_evolve(self._match, command, START, self._dealer).match
        self.commands.append(command)

    def declare(self) -> None:
        """Some declare what they hold, then all are done."""
        for seat in range(4):
            held = self.hand.holdings[seat] if self.hand.holdings else 0
            for card in cards_in(held & declarable(self.ruleset)):
                if self._chance.random() < 0.4:
                    self.give(_declaration(self.ruleset, seat, card, self._chance))
        for seat in range(4):
            self.give(SayDone(seat=seat))

    def play(self, times: int | None = None) -> None:
        """So many plays, or all of the hand."""
        number = self.hand.number
        while self.match.phase == "playing" and self.hand.number == number and times != 0:
            assert self.hand.turn is not None
            play = self._chance.choice(legal_plays(self.ruleset, self.hand, self.hand.turn))
            cards = names_of(cards_in(play), self.ruleset.decks)
            self.give(PlayCards(seat=self.hand.turn, cards=cards))
            times = None if times is None else times - 1

    def world(self, orders: tuple[Order, ...] | None = None) -> World:
        """A world of these commands, with other deals if they are given."""
        return World(orders or self.orders, tuple(self.commands))


def opening_commands(ruleset: Ruleset, chance: Random) -> list[Command]:
    """Opens a match of its own id and seats its four players."""
    hands = None if ruleset.by_blood else 2
    match = match_id(chance.getrandbits(60))
    opened = OpenMatch(match=match, ruleset=ruleset, hands_agreed=hands, origin="bots", root=Secret(ROOT))
    return [opened, *(TakeSeat(seat=seat, player=UUID(int=900 + seat)) for seat in range(4))]


def shuffled(ruleset: Ruleset, chance: Random) -> Order:
    """A deal at random."""
    order = list(deck(ruleset.decks))
    chance.shuffle(order)
    return tuple(order)


def some_plays(ruleset: Ruleset, chance: Random) -> int:
    """So many plays that the hand does not end."""
    return chance.randrange(1, 4 * ruleset.hand_size // (2 if ruleset.decks == 2 else 1) - 6)


def declarable(ruleset: Ruleset) -> Cards:
    """The cards of a ruleset's decks that may be declared."""
    return DECLARABLE if ruleset.decks == 2 else DECLARABLE & FIRST_COPIES


def _declaration(ruleset: Ruleset, seat: int, card: Card, chance: Random) -> DeclareCard:
    hidden = ruleset.hidden_declarations and chance.random() < 0.6
    level: Level = "hidden" if hidden else "open"
    opening = Secret(chance.randbytes(32)) if hidden else None
    return DeclareCard(seat=seat, card=name_of(card, ruleset.decks), level=level, opening=opening)
