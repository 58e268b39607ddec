"""A match step by step: the state after each of its events, as anyone who may see it sees it (design §7).

Step k is the match after its k-th event. A timeline takes full events or public forms and shows the same of both: what
is public, which is everything once a hand has ended. Where an event cannot follow, the steps before it stand, and
`failure` names the first that failed.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from domain.errors import BrokenLog, GongzhuError
from domain.events import DeclarationsClosed, Event, TrickTaken, public_form
from domain.match import Match, evolve
from domain.visibility import SPECTATOR, MatchView, Viewer, view
from replays.captions import Caption, caption
from replays.disclosure import disclosed_in
from replays.hand_spans import HandSpan, hand_spans
from replays.places import Place, place_of

_BEFORE_LEADS: Final = frozenset({DeclarationsClosed, TrickTaken})


class NoSuchStep(GongzhuError):
    """The timeline has no step of this number, hand or trick; the text says which there are."""


class CardsNotPublic(GongzhuError):
    """A seat's view, or everyone's cards, asked of a hand that is not finished; its spectator's view is open."""

    def __init__(self, step: int, hand_no: int) -> None:
        self.step = step
        self.hand_no = hand_no
        super().__init__(
            f"step {step} lies in hand {hand_no}, whose cards are not public: it is not finished, or was abandoned "
            "without its key; ask for the spectator's view"
        )


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The first event that cannot follow those before it: where it stands, and what is wrong with it."""

    place: Place
    what: str

    def describe(self) -> str:
        """One sentence: the place and what is wrong there."""
        return f"cannot go on at {self.place.describe()}: {self.what}"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step: its number (from 1), the event that led to it in its public form, and what it changed."""

    number: int
    event: Event
    caption: Caption


class HandSteps(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of one hand. `tricks[t - 1]` is the step at which trick t is about to be led.

    `public`: everyone's cards are, so that any viewer may look.
    """

    number: int
    first: int
    last: int
    tricks: tuple[int, ...]
    public: bool


class Timeline:
    """Every step of a match; `len` is the number of the last. Jumping anywhere costs the same."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Fold the events of one match, from its first, up to the first that cannot follow."""
        given, broken = _read(events)
        self._events = tuple(public_form(event) for event in given)
        self._states: list[Match] = []
        spans = hand_spans(self._events)
        failure = _fold(disclosed_in(self._events, spans), self._states)
        self.failure = failure or broken
        if failure is not None:
            spans = hand_spans(self._events[: len(self)])
        self.hands = tuple(self._hand_steps(span) for span in spans)

    def __len__(self) -> int:
        return len(self._states)

    def __iter__(self) -> Iterator[Step]:
        return (self.step(number) for number in range(1, len(self) + 1))

    def __reversed__(self) -> Iterator[Step]:
        return (self.step(number) for number in range(len(self), 0, -1))

    def step(self, number: int) -> Step:
        """The step of this number. Raises `NoSuchStep`."""
        self._check(number)
        event = self._events[number - 1]
        return Step(number=number, event=event, caption=caption(event))

    def state(self, number: int) -> Match:
        """The match at a step, as far as it is public. Raises `NoSuchStep`."""
        self._check(number)
        return self._states[number - 1]

    def view(self, number: int, viewer: Viewer) -> MatchView:
        """The match at a step as a viewer may see it. Raises `NoSuchStep`, `CardsNotPublic`."""
        match = self.state(number)
        if viewer != SPECTATOR and match.hand is not None and match.hand.holdings is None:
            raise CardsNotPublic(number, match.hand.number)
        return view(match, viewer)

    def step_of(self, hand_no: int, trick_no: int | None = None) -> int:
        """The step at which a hand is dealt, or one of its tricks is about to be led. Raises `NoSuchStep`."""
        hand = next((hand for hand in self.hands if hand.number == hand_no), None)
        if hand is None:
            raise NoSuchStep(f"there is no hand {hand_no}; hands dealt: {len(self.hands)}")
        if trick_no is None:
            return hand.first
        if not 1 <= trick_no <= len(hand.tricks):
            raise NoSuchStep(f"hand {hand_no} has no trick {trick_no}; tricks begun: {len(hand.tricks)}")
        return hand.tricks[trick_no - 1]

    def _check(self, number: int) -> None:
        if not 1 <= number <= len(self):
            raise NoSuchStep(f"there is no step {number}; steps go from 1 to {len(self)}")

    def _hand_steps(self, span: HandSpan) -> HandSteps:
        last_trick = self._states[0].ruleset.hand_size
        begun = [
            index + 1
            for index in range(span.first, span.end)
            if type(self._events[index]) in _BEFORE_LEADS
            and _leads_on(self._events[index], last_trick, self._states[index])
        ]
        hand = self._states[span.first].hand
        return HandSteps(
            number=span.number,
            first=span.first + 1,
            last=span.end,
            tricks=tuple(begun),
            public=hand is not None and hand.holdings is not None,
        )


def _read(events: Iterable[Event]) -> tuple[list[Event], Failure | None]:
    """The events up to where their reader stops, and why it does."""
    given: list[Event] = []
    try:
        for event in events:
            given.append(event)  # noqa: PERF402 - what was read stays when the reader stops
    except BrokenLog as broken:
        place = Place(
            match=given[0].match if given else None, version=broken.version, event=broken.tag or None
        )
        return given, Failure(place=place, what=broken.what)
    return given, None


def _fold(events: Iterable[Event], states: list[Match]) -> Failure | None:
    """Adds the state after each event, up to the first that cannot follow; gives that one."""
    match = None
    for event in events:
        try:
            match = evolve(match, event)
        except BrokenLog as broken:
            return Failure(place=place_of(event), what=broken.what)
        states.append(match)
    return None


def _leads_on(event: Event, cards_dealt: int, after: Match) -> bool:
    """Whether a trick is about to be led once this event has happened."""
    if isinstance(event, TrickTaken):
        return after.hand is not None and after.hand.cards_spent < cards_dealt
    return isinstance(event, DeclarationsClosed)
