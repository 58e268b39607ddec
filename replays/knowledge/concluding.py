"""What follows from the facts of a hand: who can hold which card, and why not the others.

Only what is certain is concluded. Facts take owners away from cards; then whatever follows from the numbers of cards
is taken away too, until nothing more does.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import msgspec

from domain.cards import FIRST_COPIES, Cards, cards_in
from domain.seats import SEATS, BySeat, Seat
from replays.knowledge.facts import Fact, Kind, Observation

_DECK: Final = 64


class Exclusion(msgspec.Struct, frozen=True, kw_only=True):
    """Cards a seat cannot hold, with the reason: its kind, the step it comes from, and in words (English, Chinese).

    `step` is None for `counting` and `cases`, which rest on several.
    """

    seat: Seat
    cards: Cards
    kind: Kind
    step: int | None
    why: str
    why_zh: str


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """Where the unseen cards of a hand can lie, for one who knows no more than he may.

    A deal is consistent with it where each seat gets `capacities[seat]` of the unseen cards, all of them in
    `possible[seat]`; of no kind in `no_pairs[seat]` (first copies) both copies; and as many of the cards of each
    `holds_some` fact as it says. `truth`, where the hand is public, is what the seats held.
    """

    seen: Observation
    possible: BySeat[Cards]
    no_pairs: BySeat[Cards]
    at_least: tuple[Fact, ...]
    exclusions: tuple[Exclusion, ...]
    truth: BySeat[Cards] | None = None

    def owners(self, card: int) -> tuple[Seat, ...]:
        """The seats that can hold an unseen card."""
        return tuple(seat for seat in SEATS if self.possible[seat] >> card & 1)

    def surely(self, seat: Seat) -> Cards:
        """The unseen cards that this seat holds for certain."""
        elsewhere = 0
        for other in SEATS:
            elsewhere |= self.possible[other] if other != seat else 0
        return self.possible[seat] & ~elsewhere

    def admits(self, hands: Sequence[Cards]) -> bool:
        """Whether the unseen cards may lie so, by seat; whoever they are not in question of holds none of them."""
        everywhere = 0
        for seat, cards in enumerate(hands):
            if cards & ~self.possible[seat] or cards.bit_count() != self.seen.capacities[seat]:
                return False
            if cards & cards >> _DECK & self.no_pairs[seat]:
                return False
            everywhere |= cards
        enough = all((hands[fact.seat] & fact.cards).bit_count() >= fact.count for fact in self.at_least)
        return enough and everywhere == self.seen.unseen

    @property
    def contradictory(self) -> bool:
        """Whether no deal at all is consistent; then the record breaks the rules."""
        held = self.possible[0] | self.possible[1] | self.possible[2] | self.possible[3]
        too_few = any(
            self.possible[seat].bit_count() < self.seen.capacities[seat]
            or self.surely(seat).bit_count() > self.seen.capacities[seat]
            for seat in SEATS
        )
        return too_few or held != self.seen.unseen


def conclude(seen: Observation, facts: Sequence[Fact] | None = None) -> Knowledge:
    """What follows from an observation; from some of its facts only, where these are given."""
    reasoning = _Reasoning(seen, seen.facts if facts is None else facts)
    reasoning.run()
    return Knowledge(
        seen=seen,
        possible=_four(reasoning.possible),
        no_pairs=_four([reasoning.no_pairs(seat) for seat in SEATS]),
        at_least=tuple(fact for fact in reasoning.facts if fact.effect == "holds_some"),
        exclusions=tuple(reasoning.exclusions),
    )


def _four(values: Sequence[Cards]) -> BySeat[Cards]:
    return (values[0], values[1], values[2], values[3])


class _Reasoning:
    """Takes owners away until nothing more follows."""

    def __init__(self, seen: Observation, facts: Sequence[Fact]) -> None:
        self.seen = seen
        self.facts = facts
        self.others = seen.others
        self.possible = [seen.unseen if seat in self.others else 0 for seat in SEATS]
        self.exclusions: list[Exclusion] = []

    def run(self) -> None:
        """Applies every fact once, then what follows from several, over and over."""
        for fact in self.facts:
            if fact.effect == "lacks":
                self._exclude([fact.seat], fact.cards, fact)
            elif fact.effect == "holds":
                self._give(fact.seat, fact.cards, fact)
        before = -1
        while before != len(self.exclusions):
            before = len(self.exclusions)
            for fact in self.facts:
                if fact.effect == "holds_some":
                    self._some(fact)
                elif fact.effect == "no_pair":
                    self._copies(fact)
            self._count()

    def no_pairs(self, seat: Seat) -> Cards:
        """The kinds of which this seat can hold either copy and does not hold both."""
        kinds = 0
        for fact in self.facts:
            if fact.effect == "no_pair" and fact.seat == seat:
                kinds |= fact.cards
        return kinds & self.possible[seat] & self.possible[seat] >> _DECK & FIRST_COPIES

    def surely(self, seat: Seat) -> Cards:
        """The cards this seat holds for certain."""
        return self.possible[seat] & ~self._held_outside([seat])

    def _held_outside(self, seats: Sequence[Seat]) -> Cards:
        """The cards that some seat not among these can hold."""
        held = 0
        for seat in self.others:
            held |= self.possible[seat] if seat not in seats else 0
        return held

    def _exclude(self, seats: Sequence[Seat], cards: Cards, fact: Fact) -> None:
        for seat in seats:
            if gone := self._taken_away(seat, cards):
                self.exclusions.append(
                    Exclusion(
                        seat=seat,
                        cards=gone,
                        kind=fact.kind,
                        step=fact.step,
                        why=fact.why,
                        why_zh=fact.why_zh,
                    )
                )

    def _taken_away(self, seat: Seat, cards: Cards) -> Cards:
        """The cards among these that the seat could hold until now."""
        gone = self.possible[seat] & cards
        self.possible[seat] &= ~cards
        return gone

    def _give(self, seat: Seat, cards: Cards, fact: Fact) -> None:
        """Cards that this seat holds, the others do not."""
        self._exclude([other for other in self.others if other != seat], cards, fact)

    def _some(self, fact: Fact) -> None:
        """Where only so many cards are left, the seat holds them; where they fill its hand, it holds nothing else."""
        cards = fact.cards & self.possible[fact.seat]
        if cards.bit_count() == fact.count:
            self._give(fact.seat, cards, fact)
        surely = self.surely(fact.seat)
        needed = fact.count - (surely & cards).bit_count()
        if needed > 0 and needed == self.seen.capacities[fact.seat] - surely.bit_count():
            self._exclude([fact.seat], ~(surely | cards), fact)

    def _copies(self, fact: Fact) -> None:
        """The seat lacks the copy of each card of these kinds that it holds for certain."""
        surely = self.surely(fact.seat)
        for kind in cards_in(fact.cards & (surely | surely >> _DECK) & FIRST_COPIES):
            pair = 1 << kind | 1 << kind + _DECK
            self._exclude([fact.seat], pair & ~surely, fact)

    def _count(self) -> None:
        """Seats that have just room for the cards that nobody else can hold, hold nothing else."""
        for seats in _groups(self.others):
            theirs = self.seen.unseen & ~self._held_outside(seats)
            if theirs.bit_count() == sum(self.seen.capacities[seat] for seat in seats):
                for seat in seats:
                    if gone := self._taken_away(seat, ~theirs):
                        self.exclusions.append(_by_counting(seat, gone, seats))


def _by_counting(seat: Seat, gone: Cards, seats: Sequence[Seat]) -> Exclusion:
    """The words name no numbers, so that a reason stays the same reason while cards are played."""
    named = " and ".join(str(one) for one in seats)
    verb = "s {} hold" if len(seats) > 1 else " {} holds"
    return Exclusion(
        seat=seat,
        cards=gone,
        kind="counting",
        step=None,
        why=f"seat{verb.format(named)} just as many cards as can lie nowhere else",
        why_zh=f"{'、'.join(str(one) for one in seats)} 号座位的牌数正好是不可能在别处的牌数",
    )


def _groups(seats: Sequence[Seat]) -> Iterator[tuple[Seat, ...]]:
    """Every group of these seats but all of them, smaller ones first."""
    for size in range(1, len(seats)):
        yield from combinations(seats, size)
