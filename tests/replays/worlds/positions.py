"""Positions to draw worlds in, from hands played at random, and every world of a small one by trying them all."""

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from domain.cards import DECLARABLE, DIAMONDS, SPADES, SUIT_CARDS, TWOS_OF_CLUBS
from domain.rulesets import Ruleset
from domain.seats import SEATS
from replays.knowledge import Knower, knowledge_at
from replays.timeline import Timeline
from replays.worlds import InformationSet, World, information_at, world_of
from tests.replays.consistent_deals import Course as CourseByRules
from tests.replays.consistent_deals import consistent_worlds
from tests.replays.matches import hoarding_events
from tests.support.random_play import random_events

KNOWERS: Final[tuple[Knower, ...]] = (0, 1, 2, 3, "spectator")


class Position(NamedTuple):
    """A step of a hand as someone sees it."""

    timeline: Timeline
    step: int
    knower: Knower

    @property
    def information(self) -> InformationSet:
        """What he can know."""
        return information_at(self.timeline, self.step, self.knower)

    @property
    def truth(self) -> World:
        """Where all cards lie."""
        hand = self.timeline.state(self.step).hand
        assert hand is not None
        return world_of(hand)

    def every_world(self) -> set[World]:
        """Every world that the course of the hand admits, by the rules alone."""
        ruleset, first = self.timeline.state(1).ruleset, self.timeline.hands[0].first
        events = [self.timeline.step(number).event for number in range(first, self.step + 1)]
        seen = knowledge_at(self.timeline, self.step, self.knower).seen
        seat = None if self.knower == "spectator" else self.knower
        shares = consistent_worlds(
            CourseByRules(ruleset, events), seen.unseen, seen.capacities, seen.own, seat
        )
        information = self.information
        return {_world(information, share, down) for share, down in shares}


def _world(information: InformationSet, share: tuple[int, ...], down: int) -> World:
    hands = [information.shown[seat] | share[seat] for seat in SEATS]
    face_down = [information.shown_face_down[seat] | share[seat] & down for seat in SEATS]
    return World(
        (hands[0], hands[1], hands[2], hands[3]),
        (face_down[0], face_down[1], face_down[2], face_down[3]),
    )


def doubtful_hand(ruleset: Ruleset, random: Random) -> Timeline:
    """A hand in which what makes cards doubtful is kept to the end: specials, ♣2, a suit, pairs; or a random hand."""
    if random.random() < 0.1:
        return Timeline(random_events(ruleset, random, hands=1))
    kept = DECLARABLE | random.choice([0, TWOS_OF_CLUBS, SUIT_CARDS[SPADES], SUIT_CARDS[DIAMONDS]])
    pairs_too = ruleset.decks == 2 and random.random() < 0.8
    return Timeline(hoarding_events(ruleset, random, kept=kept, pairs_too=pairs_too))


def small_positions(timeline: Timeline, random: Random, *, times: int, unseen: int) -> Iterator[Position]:
    """Some steps near the end of the first hand, with at most so many cards unseen by whoever looks."""
    knower = random.choice(KNOWERS)
    hand = timeline.hands[0]
    steps = [step for step in range(hand.first, hand.last) if 2 <= _unseen(timeline, step, knower) <= unseen]
    for step in random.sample(steps, k=min(times, len(steps))):
        yield Position(timeline, step, knower)


def _unseen(timeline: Timeline, step: int, knower: Knower) -> int:
    hand = timeline.state(step).hand
    assert hand is not None
    assert hand.holdings is not None
    return sum(cards.bit_count() for seat, cards in enumerate(hand.holdings) if seat != knower)
