"""Pairs of worlds that differ only in what a viewer may not know (design P2).

Both worlds have the same ids, times, nonces, root and anchor; the cards in hand, the order of the deal and its seed,
who leads, or the card of a hidden declaration differ, and the same commands are admitted in both. Until the rules
disclose the difference, everything in clear must be byte-identical, and what is sealed must be equally long.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import Random
from typing import Final, Literal, NamedTuple
from uuid import UUID

from domain.cards import TWOS_OF_CLUBS, Card, cards_in, name_of, names_of, suit_of
from domain.commands import DealHand, DeclareCard, OpenMatch, PlayCards, SayDone
from domain.dealing import first_dealt
from domain.decisions import decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.errors import CommandRefused
from domain.events import Event, public_form
from domain.match import Match
from domain.rulesets import RULESETS, Ruleset
from domain.secret import Secret
from tests.support.courses import Course, World, declarable, opening_commands, shuffled, some_plays
from tests.support.in_clear import masked
from tests.support.services import START

OTHER_SEED: Final = b"\x33" * 64

Difference = Literal["cards", "leader", "declaration", "order", "second hand"]
"""Two seats' cards are exchanged; ♣2 lies elsewhere; another card is declared face down; every seat holds the same,
dealt in another order from another seed; two seats' cards are exchanged in the second hand."""

CASES: Final[list[tuple[str, Difference]]] = [
    (name, difference)
    for name, ruleset in RULESETS.items()
    for difference in ("cards", "leader", "declaration", "order", "second hand")
    if difference != "declaration" or ruleset.hidden_declarations
]
"""Every ruleset with every difference it admits."""
SHARES: Final[dict[Difference, int]] = {
    "cards": 8,
    "leader": 4,
    "declaration": 6,
    "order": 6,
    "second hand": 4,
}
"""How often each difference is looked at, next to the others."""


class Pair(NamedTuple):
    """Two worlds that a spectator, and the seats not named in `concerned`, cannot tell apart.

    `telling`: cards of concerned seats that would tell the worlds apart.
    """

    first: World
    second: World
    concerned: frozenset[int]
    telling: tuple[str, ...] = ()

    @property
    def match(self) -> UUID:
        """The match, the same in both worlds."""
        return self.first.match

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset, the same in both worlds."""
        opened = self.first.commands[0]
        assert isinstance(opened, OpenMatch)
        return opened.ruleset


def pairs(ruleset: Ruleset, difference: Difference, count: int, seed: int | str = 1) -> Iterator[Pair]:
    """`count` pairs of worlds that differ in one way, each a match of its own."""
    chance, found = Random(f"{seed}/{ruleset.name}/{difference}"), 0
    while found < count:
        pair = _MAKERS[difference](ruleset, chance)
        if pair is not None:
            found += 1
            yield pair


# --- what differs ---------------------------------------------------------------------------------------------------


def _cards_differ(ruleset: Ruleset, chance: Random) -> Pair | None:
    course = Course(ruleset, [shuffled(ruleset, chance)], chance)
    course.declare()
    course.play(some_plays(ruleset, chance))
    return _exchanged(course, chance)


def _second_hands_differ(ruleset: Ruleset, chance: Random) -> Pair | None:
    course = Course(ruleset, [shuffled(ruleset, chance), shuffled(ruleset, chance)], chance)
    course.declare()
    course.play()
    if course.match.ended:
        return None
    course.give(DealHand())
    if chance.random() < 0.8:
        course.declare()
        course.play(chance.randrange(12))
    return _exchanged(course, chance)


def _exchanged(course: Course, chance: Random) -> Pair | None:
    """Cards not yet seen are exchanged between two seats, mostly of one suit: one, or several."""
    holdings = course.hand.holdings
    assert holdings is not None
    declared = {declaration.card for declaration in course.hand.declarations}
    one, other = chance.sample(range(4), 2)
    mine = [card for card in cards_in(holdings[one]) if card not in declared]
    theirs = [card for card in cards_in(holdings[other]) if card not in declared]
    any_suit = chance.random() < 0.25
    swaps = [(a, b) for a in mine for b in theirs if any_suit or suit_of(a) == suit_of(b)]
    exchanged: dict[Card, Card] = {}
    for first, second in chance.sample(swaps, min(len(swaps), chance.choice((1, 1, 2, 4)))):
        if first not in exchanged and second not in exchanged:
            exchanged |= {first: second, second: first}
    if not exchanged:
        return None
    order = tuple(exchanged.get(card, card) for card in course.orders[-1])
    telling = names_of(exchanged, course.ruleset.decks)
    other_world = course.world((*course.orders[:-1], order))
    return _checked(course.world(), other_world, frozenset((one, other)), telling)


def _orders_differ(ruleset: Ruleset, chance: Random) -> Pair | None:
    """Every seat is dealt the same cards one after another in another order, from another seed."""
    order = shuffled(ruleset, chance)
    course = Course(ruleset, [order], chance)
    course.declare()
    course.play(some_plays(ruleset, chance))
    other = list(order)
    for seat in range(4):
        cards = list(order[seat::4])
        chance.shuffle(cards)
        other[seat::4] = cards
    if first_dealt(tuple(other), TWOS_OF_CLUBS) != first_dealt(order, TWOS_OF_CLUBS):
        return None
    second = course.world((tuple(other),))._replace(seed=OTHER_SEED)
    return _checked(course.world(), second, frozenset())


def _leaders_differ(ruleset: Ruleset, chance: Random) -> Pair | None:
    """♣2 lies in two different hands; nobody but the holders may know before the window closes."""
    order = shuffled(ruleset, chance)
    done = [SayDone(seat=seat) for seat in chance.sample(range(4), chance.choice((1, 2, 3, 3)))]
    commands = [*opening_commands(ruleset, chance), *done]
    clubs = [card for card in cards_in(TWOS_OF_CLUBS) if card in order]
    holder = first_dealt(order, TWOS_OF_CLUBS)
    other = chance.choice([seat for seat in range(4) if seat != holder])
    place = {card: index for index, card in enumerate(order)}
    exchange = chance.choice(
        [card for card in order[other::4] if suit_of(card) == suit_of(clubs[0])] or [None]
    )
    if exchange is None or exchange in clubs:
        return None
    mine = next(card for card in clubs if place[card] % 4 == holder)
    exchanged = {mine: exchange, exchange: mine}
    second = tuple(exchanged.get(card, card) for card in order)
    if first_dealt(second, TWOS_OF_CLUBS) == holder:
        return None
    telling = names_of(exchanged, ruleset.decks)
    worlds = [World((dealt,), tuple(commands)) for dealt in (order, second)]
    return _checked(worlds[0], worlds[1], frozenset((holder, other)), telling)


def _declarations_differ(ruleset: Ruleset, chance: Random) -> Pair | None:
    """A seat that holds two declarable cards declares one or the other of them face down, and plays neither."""
    order, opening = shuffled(ruleset, chance), opening_commands(ruleset, chance)
    seat = chance.randrange(4)
    held = [card for card in order[seat::4] if declarable(ruleset) >> card & 1]
    if len(held) < 2:
        return None
    telling = chance.sample(held, 2)
    courses = []
    for card in telling:
        course = Course(ruleset, [order], chance, opening)
        name, secret = name_of(card, ruleset.decks), Secret(bytes([card]) * 32)
        declaration = DeclareCard(seat=seat, card=name, level="hidden", opening=secret)
        for command in (declaration, *(SayDone(seat=done) for done in range(4))):
            course.give(command)
        courses.append(course)
    one, other = courses
    for _ in range(chance.choice((0, chance.randrange(20)))):
        _play_in_both(one, other, telling, chance)
    return _checked(one.world(), other.world(), frozenset((seat,)), names_of(telling, ruleset.decks))


def _play_in_both(one: Course, other: Course, telling: Sequence[Card], chance: Random) -> None:
    """The same play in both worlds, where there is one that shows neither card."""
    turn, decks = one.hand.turn, one.ruleset.decks
    assert turn is not None
    possible = set(legal_plays(one.ruleset, one.hand, turn)) & set(legal_plays(one.ruleset, other.hand, turn))
    plays = sorted(play for play in possible if not any(play >> card & 1 for card in telling))
    if plays and one.hand.turn == other.hand.turn:
        cards = names_of(cards_in(chance.choice(plays)), decks)
        for course in (one, other):
            course.give(PlayCards(seat=turn, cards=cards))


def _checked(
    first: World, second: World, concerned: frozenset[int], telling: tuple[str, ...] = ()
) -> Pair | None:
    """The pair, if both worlds admit their commands and the rules disclose no difference yet."""
    try:
        one, other = _events(first), _events(second)
    except CommandRefused:
        return None
    told = [[masked(repr(public_form(event))) for event in events] for events in (one, other)]
    return Pair(first, second, concerned, telling) if told[0] == told[1] else None


def _events(world: World) -> list[Event]:
    """The events of a world. Raises `CommandRefused` where it does not admit its commands."""
    match: Match | None = None
    events: list[Event] = []
    for number, command in enumerate(world.commands):
        decision = decide_and_evolve(match, command, START + timedelta(seconds=number), world.dealer())
        match, events = decision.match, [*events, *decision.events]
    return events


_MAKERS: Final = {
    "cards": _cards_differ,
    "leader": _leaders_differ,
    "declaration": _declarations_differ,
    "order": _orders_differ,
    "second hand": _second_hands_differ,
}
