"""Information sets and true worlds of the steps of a match."""

from domain.errors import GongzhuError
from domain.hand import Hand
from domain.seats import SEATS
from domain.visibility import SPECTATOR
from replays.knowledge import NoHandThere
from replays.knowledge.facts import Knower
from replays.timeline import CardsNotPublic, Timeline
from replays.worlds.course import Course
from replays.worlds.information import InformationSet, World


def world_of(hand: Hand) -> World:
    """Where all cards of a hand truly lie now. Its deal must be known: check `hand.holdings` before."""
    if hand.holdings is None:
        raise GongzhuError(f"the cards of hand {hand.number} are not public; take a hand that has ended")
    first, second, third, fourth = (_face_down(hand, seat) for seat in SEATS)
    return World(hand.holdings, (first, second, third, fourth))


def _face_down(hand: Hand, seat: int) -> int:
    return sum(
        1 << declared.card
        for declared in hand.declarations
        if declared.seat == seat and not declared.public and declared.card is not None
    )


def information_at(timeline: Timeline, step: int, knower: Knower) -> InformationSet:
    """What a seat or a spectator could know after a step of a match.

    Raises `NoSuchStep`, `NoHandThere`, and for a seat `CardsNotPublic` of a hand that is not finished.
    """
    hand = timeline.state(step).hand
    if hand is None:
        raise NoHandThere(
            f"no hand is in progress at step {step}; take one between a deal and the hand's end"
        )
    course = Course(timeline.state(step).ruleset)
    for number in range(timeline.step_of(hand.number), step + 1):
        course.see(timeline.step(number).event)
    if knower == SPECTATOR:
        return course.information(knower)
    if hand.holdings is None:
        raise CardsNotPublic(step, hand.number)
    return course.information(knower, hand.holdings[knower], _face_down(hand, knower))
