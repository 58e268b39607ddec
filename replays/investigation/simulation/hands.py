"""One simulated deal, from the cards to the last trick, on sets of cards alone."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.cards import SUIT_CARDS, Card, Cards, cards_in, deck, suit_of
from domain.declarations import automatic_fourth
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, TURNS_FROM, BySeat, Seat, replaced
from domain.streams import stream_of
from domain.tricks import highest_card, highest_pair_play
from replays.investigation.moments import Moment
from replays.investigation.simulation.choosing import Chosen, Sight, chosen_play
from replays.investigation.simulation.declaring import declarations_of
from replays.investigation.simulation.players import PlayerType
from replays.rollouts import Position
from replays.worlds import Course, Numbers, World

_NO_CARDS: BySeat[Cards] = (0, 0, 0, 0)
_SECOND_HAND = 2  # not a match's first, whose lead tells who holds ♣2


class Simulated(NamedTuple):
    """A deal that was played: its decisions in order, and the raw cards each seat took."""

    number: int
    moments: tuple[Moment, ...]
    taken: BySeat[Cards]


def simulate(
    ruleset: Ruleset,
    types: BySeat[PlayerType],
    seed: int,
    number: int,
    mates: BySeat[Seat | None] | None = None,
) -> Simulated:
    """The deal of this number between these players; `mates` says who shares with whom, by seat."""
    game = _Game(ruleset, types, mates or (None, None, None, None), Numbers(stream_of(seed, number)))
    game.declare(number % 4)
    while any(game.world.hands):
        game.play_trick()
    return Simulated(number, tuple(game.moments), game.position.taken)


class _Game:
    """A deal in progress."""

    def __init__(
        self, ruleset: Ruleset, types: BySeat[PlayerType], mates: BySeat[Seat | None], numbers: Numbers
    ) -> None:
        self.types, self.mates, self.numbers = types, mates, numbers
        self.course = Course(ruleset, _SECOND_HAND)
        self.world = World(_dealt(ruleset.decks, numbers), _NO_CARDS)
        self.position = Position(ruleset=ruleset, leader=None)
        self.moments: list[Moment] = []
        self.before: list[Chosen] = []
        self.declared_by: frozenset[Seat] = frozenset()

    def declare(self, leader: Seat) -> None:
        """Everyone declares by his own cards; who sees more by those."""
        levels: dict[Card, Level] = {}
        hidden = list(_NO_CARDS)
        for seat in SEATS:
            made = declarations_of(self.position.ruleset, self.types[seat], seat, self.world, self.numbers)
            self.declared_by |= {seat} if made else set()
            for card, level in made.items():
                if level == "open":
                    levels[card] = level
                else:
                    hidden[seat] |= 1 << card
                self.course.declare(seat, 1 << card if level == "open" else 0)
        self._declare_fourth(levels)
        self.world = World(self.world.hands, (hidden[0], hidden[1], hidden[2], hidden[3]))
        self.course.close(leader)
        self.position = Position(
            ruleset=self.position.ruleset, leader=leader, levels=tuple(sorted(levels.items()))
        )
        self.moments += [self._moment(4 * seat - 16, seat, 0) for seat in SEATS]

    def _declare_fourth(self, levels: dict[Card, Level]) -> None:
        fourth = automatic_fourth(self.position.ruleset, sum(1 << card for card in levels))
        if fourth is not None:
            levels[fourth] = "open"
            holder = next(seat for seat in SEATS if self.world.hands[seat] >> fourth & 1)
            self.course.declare(holder, 1 << fourth)

    def play_trick(self) -> None:
        """Four plays, and who takes them."""
        leader = self.position.leader
        assert leader is not None, "it is set when the declarations are closed"
        for seat in TURNS_FROM[leader]:
            self._play(seat)
        plays, ruleset = self.position.plays, self.position.ruleset
        suit = suit_of(plays[0].bit_length() - 1)
        single = plays[0].bit_count() == 1
        place = highest_card(plays, suit) if single else highest_pair_play(plays, suit, ruleset.pair_tricks)
        taker = TURNS_FROM[leader][place]
        taken = self.position.taken
        self.position = Position(
            ruleset=ruleset,
            leader=taker,
            levels=self.position.levels,
            suits_led=self.position.suits_led | SUIT_CARDS[suit],
            taken=replaced(taken, taker, taken[taker] | sum(plays)),
        )

    def _play(self, seat: Seat) -> None:
        moment = self._moment(len(self.before) + 1, seat, 0)
        legal = self.position.legal_plays(self.world)
        cards = legal[0]
        if len(legal) > 1:
            sight = Sight(self.mates[seat], self.declared_by, self.before)
            cards = chosen_play(self.types[seat], moment, legal, sight, self.numbers)
        self.moments.append(moment._replace(played=cards))
        self.before.append(Chosen(self.position, seat, cards))
        self._lay(seat, cards)

    def _lay(self, seat: Seat, cards: Cards) -> None:
        opened = cards & self.world.face_down[seat]
        self.course.play(seat, cards, suit_of(cards.bit_length() - 1), opened)
        hands = replaced(self.world.hands, seat, self.world.hands[seat] ^ cards)
        down = replaced(self.world.face_down, seat, self.world.face_down[seat] ^ opened)
        self.world = World(hands, down)
        shown: list[tuple[Card, Level]] = [(card, "hidden") for card in cards_in(opened)]
        position = self.position
        self.position = Position(
            ruleset=position.ruleset,
            leader=position.leader,
            plays=(*position.plays, cards),
            levels=tuple(sorted((*position.levels, *shown))) if shown else position.levels,
            suits_led=position.suits_led,
            taken=position.taken,
        )

    def _moment(self, step: int, seat: Seat, played: Cards) -> Moment:
        own, down = self.world.hands[seat], self.world.face_down[seat]
        information = self.course.information(seat, own, down)
        return Moment(step, seat, self.position, self.world, information, played)


def _dealt(decks: int, numbers: Numbers) -> BySeat[Cards]:
    """A deal, each as likely as any other."""
    cards: Sequence[Card] = deck(decks)
    left = list(cards)
    hands = [0, 0, 0, 0]
    for place in range(len(left), 0, -1):
        at = numbers.below(place)
        hands[place % 4] |= 1 << left[at]
        left[at] = left[place - 1]
    return (hands[0], hands[1], hands[2], hands[3])
