"""Simulated players at the tables of real matches: so that the whole path, from commands to evidence, can be tried."""

from collections.abc import Sequence

from domain.cards import Cards, cards_in, name_of, names_of
from domain.events import CardDeclared, Event, HandDealt
from domain.match import Hand, Match
from domain.rulesets import Level
from domain.seats import SEATS, BySeat, Seat
from domain.streams import stream_of
from replays.investigation.moments import Moment
from replays.investigation.simulation.choosing import Chosen, Sight, chosen_play
from replays.investigation.simulation.declaring import declarations_of
from replays.investigation.simulation.players import HONEST, TYPES, PlayerType
from replays.investigation.simulation.seasons import SeasonTable, cheat_season
from replays.rollouts import position_of
from replays.worlds import Course, Numbers, world_of

Declared = tuple[tuple[str, Level], ...]


class SeatedPlayers:
    """Four simulated players of one match, from its first event on.

    They are shown the match as its service has it, all cards included: who cheats looks at them. The same deals and
    numbers give the same plays.
    """

    def __init__(self, kinds: BySeat[PlayerType], mates: BySeat[Seat | None], seed: int, number: int) -> None:
        self._kinds, self._mates, self._seeds = kinds, mates, (seed, number)
        self._course: Course | None = None
        self._numbers = Numbers(0)
        self._before: list[Chosen] = []
        self._declared_by: frozenset[Seat] = frozenset()
        self._wanted: dict[Seat, Declared] = {}

    def hear(self, match: Match, events: Sequence[Event]) -> None:
        """Takes in what happened, which led to this match."""
        for event in events:
            if isinstance(event, HandDealt):
                self._course = Course(match.ruleset)
                self._numbers = Numbers(stream_of(*self._seeds, event.hand_no))
                self._before, self._declared_by, self._wanted = [], frozenset(), {}
            if isinstance(event, CardDeclared):
                self._declared_by |= {event.seat}
            if self._course is not None:
                self._course.see(event)

    def declarations(self, match: Match, seat: Seat) -> Declared:
        """All that a seat declares in this hand, as card and level."""
        if seat not in self._wanted:
            world = world_of(_hand(match))
            made = declarations_of(match.ruleset, self._kinds[seat], seat, world, self._numbers)
            decks = match.ruleset.decks
            self._wanted[seat] = tuple((name_of(card, decks), level) for card, level in made.items())
        return self._wanted[seat]

    def play(self, match: Match, seat: Seat) -> tuple[str, ...]:
        """The play of the seat whose turn it is."""
        assert self._course is not None, "a hand was dealt before it is played"
        position, world = position_of(match), world_of(_hand(match))
        legal = position.legal_plays(world)
        cards = legal[0]
        if len(legal) > 1:
            information = self._course.information(seat, world.hands[seat], world.face_down[seat])
            moment = Moment(len(self._before) + 1, seat, position, world, information, 0)
            sight = Sight(self._mates[seat], self._declared_by, self._before)
            cards = chosen_play(self._kinds[seat], moment, legal, sight, self._numbers)
        self._before.append(Chosen(position, seat, cards))
        return _names(cards, match)


def _hand(match: Match) -> Hand:
    assert match.hand is not None, "players are asked in the middle of a hand"
    return match.hand


def _names(cards: Cards, match: Match) -> tuple[str, ...]:
    return names_of(cards_in(cards), match.ruleset.decks)


def kinds_at(kind: str) -> tuple[str, ...]:
    """The kinds of the four players of a table at which this one is planted. Raises `UnknownPlayers`."""
    return tuple(HONEST) if kind == "honest" else _planted(kind).kinds


def _planted(kind: str) -> SeasonTable:
    return cheat_season(kind, "", 1, 1, 0).tables[0]


def seated_players(kind: str, seed: int, number: int) -> tuple[BySeat[int], SeatedPlayers]:
    """Who sits where at the table of this number, as places 0 to 3 by seat, and how they play.

    `honest`: one of each honest kind. Else the one of that kind has place 0 and his mate, if he has one, place 1. They
    move a seat on from table to table. Raises `UnknownPlayers`.
    """
    kinds = kinds_at(kind)
    mates = (None, None, None, None) if kind == "honest" else _planted(kind).mates
    first, second, third, fourth = ((seat + number) % 4 for seat in SEATS)
    places = (first, second, third, fourth)
    of = [TYPES[kinds[place]] for place in places]
    seats = [None if mates[place] is None else places.index(mates[place] or 0) for place in places]
    return places, SeatedPlayers(
        (of[0], of[1], of[2], of[3]), (seats[0], seats[1], seats[2], seats[3]), seed, number
    )
