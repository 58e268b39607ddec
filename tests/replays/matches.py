"""Matches of random legal play, with everything that can happen in one: nonces, hand-overs, windows that time out."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from uuid import UUID

from domain import commands
from domain.cards import DECLARABLE, cards_in, name_of, names_of
from domain.decisions import decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.events import By, Clocks, Event, HandEnded, public_form
from domain.match import Match
from domain.rulesets import RULESETS, Level
from domain.seats import SEATS
from domain.secret import Secret

START = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)


class Table:
    """A match that asks itself for random legal commands."""

    def __init__(self, ruleset: str, seed: int, hands: int = 2) -> None:
        self.random = Random(f"{ruleset} {seed}")
        self.match: Match | None = None
        self.events: list[Event] = []
        self.at = START
        self.hands = hands
        rules = RULESETS[ruleset]
        self.ask(
            commands.OpenMatch(
                match=UUID(int=self.random.getrandbits(128), version=4),
                ruleset=rules,
                hands_agreed=None if rules.by_blood else hands,
                clocks=Clocks(declare_s=15),
                origin="seeded",
                root=Secret(self.random.randbytes(64)),
            )
        )

    def ask(self, command: commands.Command) -> None:
        self.at += timedelta(microseconds=self.random.randrange(5_000_000))
        decision = decide_and_evolve(self.match, command, self.at)
        self.match = decision.match
        self.events += decision.events

    @property
    def now(self) -> Match:
        assert self.match is not None
        return self.match

    def seat_players(self) -> None:
        nonces = {seat: self.random.randbytes(32) for seat in SEATS if self.random.random() < 0.5}
        if self.random.random() < 0.3:
            self.ask(commands.TakeSeat(seat=1, player=UUID(int=9)))
            self.ask(commands.LeaveSeat(seat=1))
        for seat in self.random.sample(SEATS, 4):
            commitment = hashlib.sha256(nonces[seat]).hexdigest() if seat in nonces else None
            self.ask(commands.TakeSeat(seat=seat, player=UUID(int=seat + 1), commitment=commitment))
        for seat, nonce in nonces.items():
            self.ask(commands.RevealNonce(seat=seat, nonce=nonce.hex()))

    def declare(self) -> None:
        for seat in self.random.sample(SEATS, 4):
            self._declare_some(seat)
            self._hand_over_or_take_back(seat)
            if self.random.random() < 0.9:
                self.ask(commands.SayDone(seat=seat))
        if self.now.phase == "declaring":
            self.at += timedelta(seconds=15)
            self.ask(commands.CloseDeclarations())

    def _declare_some(self, seat: int) -> None:
        hand, rules = self.now.hand, self.now.ruleset
        assert hand is not None
        assert hand.holdings is not None
        for card in cards_in(hand.holdings[seat] & DECLARABLE):
            levels: list[Level] = ["open", "hidden"] if rules.hidden_declarations else ["open"]
            if self.random.random() < 0.6:
                level = self.random.choice(levels)
                opening = Secret(self.random.randbytes(32)) if level == "hidden" else None
                name = name_of(card, rules.decks)
                self.ask(commands.DeclareCard(seat=seat, card=name, level=level, opening=opening))

    def _hand_over_or_take_back(self, seat: int) -> None:
        if self.random.random() < 0.05:
            away = self.now.autopilot[seat]
            self.ask(commands.TakeBackSeat(seat=seat) if away else commands.HandOverSeat(seat=seat))

    def play_card(self) -> None:
        hand, rules = self.now.hand, self.now.ruleset
        assert hand is not None
        assert hand.turn is not None
        play = self.random.choice(legal_plays(rules, hand, hand.turn))
        cards = list(names_of(cards_in(play), rules.decks))
        self.random.shuffle(cards)
        by: By = "autopilot" if self.now.autopilot[hand.turn] else "player"
        self.ask(commands.PlayCards(seat=hand.turn, cards=tuple(cards), by=by))
        if self.now.hand is not None:
            self._hand_over_or_take_back(hand.turn)

    def play_hand(self) -> None:
        if self.now.phase == "between_hands":
            self.ask(commands.DealHand())
        self.declare()
        while self.now.phase == "playing":
            self.play_card()


def play_match(ruleset: str, seed: int, hands: int = 2) -> Table:
    """A match of at most so many hands; a blood match that is not over by then stays between hands."""
    table = Table(ruleset, seed, hands)
    table.seat_players()
    for _ in range(hands):
        if not table.now.ended:
            table.play_hand()
    return table


@cache
def recorded_match(ruleset: str, seed: int, hands: int = 2) -> tuple[Event, ...]:
    """The full events of such a match."""
    return tuple(play_match(ruleset, seed, hands).events)


def public(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events as everyone may see them."""
    return tuple(public_form(event) for event in events)


def until_last_hand_ends(events: tuple[Event, ...]) -> Iterator[Event]:
    """The events without those from the last hand's end on."""
    last = max(index for index, event in enumerate(events) if isinstance(event, HandEnded))
    yield from events[:last]


def match_with(ruleset: str, fits: Callable[[Event], bool], hands: int = 2) -> tuple[Event, ...]:
    """The public events of the first such match in which some event fits."""
    for seed in range(100):
        events = public(recorded_match(ruleset, seed, hands))
        if any(fits(event) for event in events):
            return events
    raise AssertionError(f"no match of {ruleset} has such an event")
