"""Matches driven through `decide` by tests: opened, seated and dealt in a line or two."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final
from uuid import UUID

from domain import commands
from domain.cards import cards_in, deck, names_of, parse_cards
from domain.dealing import ROOT_BYTES, Deal, deal_of
from domain.decisions import Decision, decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.events import Clocks, Event
from domain.match import Hand, Match
from domain.rulesets import Ruleset
from domain.seats import SEATS, Seat
from domain.secret import Secret

MORNING: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
PLAYERS: Final = tuple(UUID(int=101 + seat) for seat in SEATS)


class Table:
    """A match as it unfolds: its state, all its events, the last decision, and the time, which moves when told."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.at = MORNING
        self.last: Decision | None = None
        self._match: Match | None = None

    @property
    def match(self) -> Match:
        """The match as it stands."""
        assert self._match is not None, "nothing has been asked yet"
        return self._match

    @property
    def hand(self) -> Hand:
        """The hand in progress."""
        assert self.match.hand is not None, f"no hand is in progress: {self.match.phase}"
        return self.match.hand

    def resume(self, match: Match) -> "Table":
        """Goes on from a state instead of from nothing; its past is not among `events`."""
        self._match = match
        self.at = match.at
        return self

    def wait(self, seconds: float) -> "Table":
        """Lets time pass."""
        self.at += timedelta(seconds=seconds)
        return self

    def ask(self, *asked: commands.Command) -> "Table":
        """Has these commands decided one after another; a refusal comes out as it is."""
        for command in asked:
            self.decide(command)
        return self

    def decide(self, command: commands.Command) -> Decision:
        """Has one command decided and gives the decision."""
        decision = decide_and_evolve(self._match, command, self.at)
        self._match = decision.match
        self.last = decision
        self.events += decision.events
        return decision

    def everyone_done(self) -> "Table":
        """All four say done, so the declaration window closes."""
        return self.ask(*[commands.SayDone(seat=seat) for seat in SEATS])

    def play(self, *cards: str) -> "Table":
        """Whoever's turn it is plays these cards, one play an argument; a pair is written with a space."""
        for play in cards:
            turn = self.hand.turn
            assert turn is not None
            self.ask(commands.PlayCards(seat=turn, cards=tuple(play.split())))
        return self

    def play_any(self, times: int) -> "Table":
        """Whoever's turn it is makes his first legal play, so many times."""
        for _ in range(times):
            turn = self.hand.turn
            assert turn is not None
            first = legal_plays(self.match.ruleset, self.hand, turn)[0]
            self.play(" ".join(names_of(cards_in(first), self.match.ruleset.decks)))
        return self

    def play_hand(self) -> "Table":
        """The hand is played to its end; who has not said done says so first."""
        if self.match.phase == "declaring":
            self.ask(*[commands.SayDone(seat=seat) for seat in SEATS if not self.hand.done[seat]])
        while self.match.phase == "playing":
            self.play_any(1)
        return self


def opening(
    ruleset: Ruleset, *, hands: int = 2, seed: int = 1, clocks: Clocks | None = None
) -> commands.OpenMatch:
    """The command that opens a match of this ruleset; `hands` counts where a number is agreed."""
    random = Random(seed)
    return commands.OpenMatch(
        match=UUID(int=random.getrandbits(128)),
        ruleset=ruleset,
        hands_agreed=None if ruleset.by_blood else hands,
        clocks=clocks or Clocks(),
        origin="seeded",
        root=Secret(random.randbytes(ROOT_BYTES)),
    )


def opened(ruleset: Ruleset, *, hands: int = 2, seed: int = 1, clocks: Clocks | None = None) -> Table:
    """A match on offer."""
    return Table().ask(opening(ruleset, hands=hands, seed=seed, clocks=clocks))


def seated(ruleset: Ruleset, *, hands: int = 2, seed: int = 1) -> Table:
    """A match whose four players sit and whose first hand is dealt from its chain of seeds."""
    table = opened(ruleset, hands=hands, seed=seed)
    return table.ask(*[commands.TakeSeat(seat=seat, player=PLAYERS[seat]) for seat in SEATS])


def dealt(
    ruleset: Ruleset, cards: Mapping[Seat, str], *, leader: Seat | None = None, hands: int = 2
) -> Table:
    """A match whose first hand was dealt as told: seats hold the cards named, the rest is dealt round in order."""
    table = Table().ask(
        commands.OpenMatch(
            match=UUID(int=7),
            ruleset=ruleset,
            hands_agreed=None if ruleset.by_blood else hands,
            origin="imported",
        )
    )
    table.ask(*[commands.TakeSeat(seat=seat, player=PLAYERS[seat]) for seat in SEATS])
    return table.ask(commands.DealRecordedHand(deal=deal_with(cards, ruleset.decks), leader=leader))


def deal_with(cards: Mapping[Seat, str], decks: int) -> Deal:
    """A deal in which seats hold the cards named; the others go round, lowest first, to whoever has room."""
    hands = [list(parse_cards(cards.get(seat, "").split(), decks)) for seat in SEATS]
    named = {card for hand in hands for card in hand}
    for card in deck(decks):
        if card not in named:
            min(hands, key=len).append(card)
    order = [card for round_of_four in zip(*hands, strict=True) for card in round_of_four]
    return deal_of(order, decks)


def hand_of(table: Table, seat: Seat) -> tuple[str, ...]:
    """The cards that a seat holds."""
    holdings = table.hand.holdings
    assert holdings is not None
    return names_of(cards_in(holdings[seat]), table.match.ruleset.decks)
