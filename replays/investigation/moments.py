"""The decisions of a hand: what was played, where the cards truly lay, and all that the player could know of that."""

from collections.abc import Iterator
from typing import NamedTuple

from domain.cards import Cards, parse_cards, set_of
from domain.events import CardsPlayed, DeclarationsClosed
from domain.match import Match
from domain.seats import SEATS, Seat
from replays.rollouts import Position, position_of
from replays.timeline import CardsNotPublic, Timeline
from replays.worlds import Course, InformationSet, World, world_of


class Moment(NamedTuple):
    """One decision of a seat at a position.

    `played` is what it played, or 0 at the close of the declarations, when the decision is what it has declared by
    then. `own`: by the player himself, not the autopilot. `think_ms`: None where it is not known.
    `step` numbers it within its deal.
    """

    step: int
    seat: Seat
    position: Position
    world: World
    information: InformationSet
    played: Cards
    own: bool = True
    think_ms: int | None = None


def moments_of(timeline: Timeline, hand_no: int) -> Iterator[Moment]:
    """Every decision of a finished hand in order: declarations first, one a seat, then the plays.

    Raises `CardsNotPublic` of a hand whose cards are not, `NoSuchStep` where there is no such hand.
    """
    first, last = timeline.step_of(hand_no), timeline.hands[hand_no - 1].last
    if not timeline.hands[hand_no - 1].public:
        raise CardsNotPublic(last, hand_no)
    course = Course(timeline.state(first).ruleset)
    for number in range(first, last + 1):
        event = timeline.step(number).event
        if isinstance(event, CardsPlayed):
            cards = set_of(parse_cards(event.cards, course.ruleset.decks))
            moment = _moment(number - first, timeline.state(number - 1), course, event.seat, cards)
            yield moment._replace(own=event.by == "player", think_ms=event.think_ms)
        course.see(event)
        if isinstance(event, DeclarationsClosed):
            for seat in SEATS:
                yield _moment(4 * seat - 16, timeline.state(number), course, seat, 0)


def _moment(step: int, match: Match, course: Course, seat: Seat, played: Cards) -> Moment:
    assert match.hand is not None
    world = world_of(match.hand)
    return Moment(
        step=step,
        seat=seat,
        position=position_of(match),
        world=world,
        information=course.information(seat, world.hands[seat], world.face_down[seat]),
        played=played,
    )
