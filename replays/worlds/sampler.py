"""Worlds drawn from an information set, each exactly as likely as any other, and how many there are."""

from functools import cached_property
from itertools import repeat

from domain.cards import Cards, cards_in
from domain.seats import SEATS, BySeat
from replays.worlds.choices import Choice
from replays.worlds.classes import Grouped, Grouping, choices_face_down
from replays.worlds.information import DECK, InformationSet, NoWorld, World
from replays.worlds.kinds import next_kind, packed
from replays.worlds.numbers import Numbers
from replays.worlds.shares import CardClass, Shares


class Case:
    """The worlds in which just these cards lie face down: all others by class, and the ways to share them out."""

    def __init__(self, face_down: BySeat[Cards], grouped: Grouped, shares: Shares) -> None:
        self.face_down = face_down
        self.shares = shares
        self._grouped = grouped

    @property
    def cards(self) -> list[Cards]:
        """The cards of each class, or the first copies of its kinds."""
        kinds, cards = self._grouped.kinds, self._grouped.cards
        return [kinds[of.pairs] if of.pairs else cards[of.seats] for of in self.shares.classes]

    @cached_property
    def single(self) -> list[list[Cards]]:
        """The same, each card as a set of one."""
        return [[1 << card for card in cards_in(cards)] for cards in self.cards]


class Sampler:
    """Draws worlds from an information set. `count` is how many there are. Raises `NoWorld` where there is none.

    Two draws from equal generators are equal, and a draw takes up no more numbers than it needs.
    """

    def __init__(self, information: InformationSet) -> None:
        self.information = information
        self.cases = _cases(information)
        if not self.cases.total:
            raise NoWorld(f"no deal fits what {_who(information)} has seen: the record breaks the rules")
        self.count = self.cases.total

    def draw(self, numbers: Numbers) -> World:
        """One world, uniformly."""
        case = self.cases.pick(numbers)
        hands = [shown | down for shown, down in zip(self.information.shown, case.face_down, strict=True)]
        room = case.shares.room
        for place, (of, cards) in enumerate(zip(case.shares.classes, case.single, strict=True)):
            share = case.shares.choice(place, room).pick(numbers)
            room -= share
            if of.pairs:
                _lay_kinds(hands, cards, of.pairs, share, numbers)
            else:
                _lay_cards(hands, cards, share, numbers)
        first, second, third, fourth = hands
        down = tuple(map(int.__or__, case.face_down, self.information.shown_face_down))
        return World((first, second, third, fourth), (down[0], down[1], down[2], down[3]))

    def draws(self, times: int, numbers: Numbers) -> list[World]:
        """So many worlds, each drawn independently of the others."""
        return [self.draw(numbers) for _ in repeat(None, times)]


def _who(information: InformationSet) -> str:
    return "a spectator" if information.knower == "spectator" else f"seat {information.knower}"


def _cases(information: InformationSet) -> Choice[Case]:
    """Each choice of what lies face down that some deal fits, by the number of deals; like classes are counted once."""
    grouping = Grouping(information)
    room = packed([information.capacities[seat] - information.face_down_counts[seat] for seat in SEATS])
    known: dict[tuple[CardClass, ...], Shares] = {}
    cases, weights = [], []
    for face_down in choices_face_down(information):
        grouped = grouping.of(face_down)
        if grouped is None:
            continue
        classes = grouped.classes()
        shares = known.get(classes) or known.setdefault(classes, Shares(classes, room))
        if shares.count:
            cases.append(Case(face_down, grouped, shares))
            weights.append(shares.count)
    return Choice(cases, weights)


def _lay_cards(hands: list[Cards], cards: list[Cards], share: int, numbers: Numbers) -> None:
    """Shares out the cards of a class: each owner but the last gets his number, drawn without putting back."""
    owners = [(share >> 8 * seat & 255, seat) for seat in SEATS if share >> 8 * seat & 255]
    left, cards = len(cards), cards.copy()
    for number, seat in owners[:-1]:
        drawn = 0
        for _ in repeat(None, number):
            place = numbers.below(left)
            left -= 1
            drawn |= cards[place]
            cards[place] = cards[left]
        hands[seat] |= drawn
    hands[owners[-1][1]] |= sum(cards[:left])


def _lay_kinds(hands: list[Cards], kinds: list[Cards], pairs: int, share: int, numbers: Numbers) -> None:
    """Shares out both copies of each kind of a class."""
    for left, kind in zip(range(len(kinds), 0, -1), kinds, strict=True):
        first, second = next_kind(pairs, left, share).pick(numbers)
        hands[first] |= kind
        hands[second] |= kind << DECK
        share -= (1 << 8 * first) + (1 << 8 * second)
