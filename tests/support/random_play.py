"""Complete matches played at random, through `decide`, from a seeded generator.

Everything a match can hold is drawn: nonces and their reveals, declarations of either level, windows that close by
time, seats handed over and taken back. Only what the rules admit is asked, so no step is refused.
"""

import hashlib
from collections.abc import Iterator
from random import Random
from typing import NamedTuple
from uuid import UUID

from domain import commands
from domain.cards import DECLARABLE, cards_in, name_of, names_of
from domain.dealing import NONCE_BYTES, ROOT_BYTES
from domain.decisions.deadlines import declarations_deadline
from domain.decisions.playing import legal_plays
from domain.declarations import OPENING_BYTES
from domain.events import By, Event
from domain.match import Match
from domain.rulesets import Ruleset
from domain.seats import SEATS, Seat
from domain.secret import Secret
from tests.support.tables import Table


class Step(NamedTuple):
    """One command and what it led to."""

    before: Match | None
    command: commands.Command
    events: tuple[Event, ...]
    after: Match


def random_match(ruleset: Ruleset, random: Random, *, hands: int | None = None) -> Iterator[Step]:
    """The steps of a match from its opening to its end, or to the end of its `hands`-th hand.

    A zero_sum match agrees on `hands` hands, or on one to three.
    """
    player = RandomPlayer(ruleset, random, hands)
    for command in player.script():
        yield player.step(command)


def random_events(ruleset: Ruleset, random: Random, *, hands: int | None = None) -> list[Event]:
    """All events of a match played at random."""
    return [event for step in random_match(ruleset, random, hands=hands) for event in step.events]


class RandomPlayer:
    """Draws the next command of a match from what its state admits."""

    def __init__(self, ruleset: Ruleset, random: Random, hands: int | None) -> None:
        self._ruleset = ruleset
        self._random = random
        self._hands = hands
        self._table = Table()

    def step(self, command: commands.Command) -> Step:
        """Has the command decided, a moment after the last one."""
        before = None if not self._table.events else self._table.match
        self._table.wait(self._random.randrange(1, 4_000_000) / 1_000_000)
        decision = self._table.decide(command)
        return Step(before, command, decision.events, decision.match)

    def script(self) -> Iterator[commands.Command]:
        """The commands of the whole match; each must have been decided before the next is drawn."""
        yield self._open()
        yield from self._seat()
        while not self._table.match.ended:
            match self._table.match.phase:
                case "declaring":
                    yield from self._declare()
                case "playing":
                    yield from self._play()
                case _:
                    if self._table.match.hands_ended == self._hands:
                        return
                    yield commands.DealHand()

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _open(self) -> commands.OpenMatch:
        return commands.OpenMatch(
            match=UUID(int=self._random.getrandbits(128)),
            ruleset=self._ruleset,
            hands_agreed=None if self._ruleset.by_blood else self._hands or self._random.randint(1, 3),
            origin="seeded",
            root=Secret(self._random.randbytes(ROOT_BYTES)),
        )

    def _seat(self) -> Iterator[commands.Command]:
        """Four players sit in any order; some commit to a nonce and reveal it once all sit."""
        nonces: dict[Seat, bytes] = {}
        for seat in self._random.sample(SEATS, k=4):
            if self._chance(0.3):
                nonces[seat] = self._random.randbytes(NONCE_BYTES)
            commitment = hashlib.sha256(nonces[seat]).hexdigest() if seat in nonces else None
            player = UUID(int=self._random.getrandbits(128))
            yield commands.TakeSeat(seat=seat, player=player, commitment=commitment)
        for seat in self._random.sample(sorted(nonces), k=len(nonces)):
            yield commands.RevealNonce(seat=seat, nonce=nonces[seat].hex())

    def _declare(self) -> Iterator[commands.Command]:
        """Seats declare some of what they can, in any order, and say done; or time runs out."""
        asked = [command for seat in SEATS for command in self._declarations(seat)]
        yield from self._random.sample(asked, k=len(asked))
        by_time = self._chance(0.1)
        for seat in self._random.sample(SEATS, k=3 if by_time else 4):
            yield commands.SayDone(seat=seat)
        if by_time:
            deadline = declarations_deadline(self._table.match)
            assert deadline is not None
            self._table.at = max(self._table.at, deadline)
            yield commands.CloseDeclarations()

    def _declarations(self, seat: Seat) -> Iterator[commands.DeclareCard]:
        holdings = self._table.hand.holdings
        assert holdings is not None
        for card in cards_in(holdings[seat] & DECLARABLE):
            if self._chance(0.5):
                hidden = self._ruleset.hidden_declarations and self._chance(0.5)
                yield commands.DeclareCard(
                    seat=seat,
                    card=name_of(card, self._ruleset.decks),
                    level="hidden" if hidden else "open",
                    opening=Secret(self._random.randbytes(OPENING_BYTES)) if hidden else None,
                )

    def _play(self) -> Iterator[commands.Command]:
        """One play of whoever's turn it is; now and then a seat is handed over or taken back first."""
        match, turn = self._table.match, self._table.hand.turn
        assert turn is not None
        if self._chance(0.01):
            yield (
                commands.TakeBackSeat(seat=turn)
                if match.autopilot[turn]
                else commands.HandOverSeat(seat=turn)
            )
        play = self._random.choice(legal_plays(self._ruleset, self._table.hand, turn))
        names = names_of(cards_in(play), self._ruleset.decks)
        by: By = "autopilot" if self._table.match.autopilot[turn] else "player"
        yield commands.PlayCards(seat=turn, cards=names, by=by)
