"""Who knew what, when: what can be known of the cards of a hand at any step, and why (rules.md §3–§4).

`observe` reads the public course of a hand and puts down facts with their reasons; `conclude` says which seats can hold
each unseen card. `knowledge_at` does both at a step of a match, beside the truth where the hand is public. From a
knowledge, deals can be drawn that are consistent with all of it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from domain.cards import Cards
from domain.errors import GongzhuError
from domain.events import Event
from domain.rulesets import Ruleset
from domain.seats import BySeat
from domain.visibility import SPECTATOR
from replays.knowledge.cases import cases, known_to
from replays.knowledge.concluding import Exclusion, Knowledge, conclude
from replays.knowledge.facts import KINDS, Fact, Kind, Knower, Observation
from replays.knowledge.observing import observe
from replays.knowledge.telling import KnowledgeTold, told
from replays.timeline import CardsNotPublic, Timeline


class NoHandThere(GongzhuError):
    """A step at which no hand is in progress: there are no cards to know of."""


class _Reader(NamedTuple):
    """What one who knows no more than he may has read of a hand up to a step."""

    ruleset: Ruleset
    events: list[Event]
    knower: Knower
    own: Cards
    truth: BySeat[Cards] | None


def knowledge_at(timeline: Timeline, step: int, knower: Knower) -> Knowledge:
    """What a seat or a spectator could know after a step, beside the truth where it is public.

    Raises `NoSuchStep`, `NoHandThere`, and for a seat `CardsNotPublic` of a hand that is not finished.
    """
    read = _read(timeline, step, knower)
    return replace(known_to(read.ruleset, read.events, knower, read.own), truth=read.truth)


def cases_at(timeline: Timeline, step: int, knower: Knower) -> Iterator[Knowledge]:
    """The same, once for every choice of cards that can lie face down as others' declarations (`seen.supposed`).

    Each case is exact where the whole is not: what a held-back card tells depends on which cards are declared. A deal
    may be admitted in several cases. Raises as `knowledge_at`.
    """
    read = _read(timeline, step, knower)
    for known in cases(read.ruleset, read.events, knower, read.own):
        yield replace(known, truth=read.truth)


def _read(timeline: Timeline, step: int, knower: Knower) -> _Reader:
    match = timeline.state(step)
    if match.hand is None:
        raise NoHandThere(
            f"no hand is in progress at step {step}; take one between a deal and the hand's end"
        )
    own: Cards = 0
    if knower != SPECTATOR:
        if match.hand.holdings is None:
            raise CardsNotPublic(step, match.hand.number)
        own = match.hand.holdings[knower]
    first = timeline.step_of(match.hand.number)
    events = [timeline.step(number).event for number in range(first, step + 1)]
    return _Reader(match.ruleset, events, knower, own, match.hand.holdings)


__all__ = [
    "KINDS",
    "Exclusion",
    "Fact",
    "Kind",
    "Knower",
    "Knowledge",
    "KnowledgeTold",
    "NoHandThere",
    "Observation",
    "cases",
    "cases_at",
    "conclude",
    "knowledge_at",
    "known_to",
    "observe",
    "told",
]
