"""The decisions of a hand with all that was open to the player then: plays, and declarations card by card."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from domain.cards import DECLARABLE, Card, Cards, cards_in, name_of, names_of, parse_card, parse_cards, set_of
from domain.declarations import automatic_fourth
from domain.events import By, CardDeclared, CardsPlayed, DeclarationDone, DeclarationsClosed, Event
from domain.match import Match
from domain.rulesets import Level
from domain.seats import SEATS, Seat, replaced
from replays.review.judging import Option
from replays.rollouts import Position, position_of
from replays.timeline import CardsNotPublic, Timeline
from replays.worlds import Course, InformationSet, World, world_of

Kind = Literal["play", "declaration"]

_LEVELS: Final[tuple[Level | None, ...]] = (None, "hidden", "open")


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a seat: what it could know, where the cards lay, its options and the place of the one it chose.

    `step` is that of the event by which it was made. `labels` name the options: cards, or `none`, `hidden`, `open` for
    the declaration of `card`.
    """

    kind: Kind
    step: int
    seat: Seat
    trick_no: int | None = None
    card: str | None = None
    by: By = "player"
    information: InformationSet
    truth: World
    options: Sequence[Option]
    labels: tuple[str, ...]
    chosen: int


def decisions_of(timeline: Timeline, hand_no: int) -> Iterator[Decision]:
    """Every decision of a finished hand in order. Raises `NoSuchStep`, and `CardsNotPublic` where its cards are not."""
    first = timeline.step_of(hand_no)
    hand = next(hand for hand in timeline.hands if hand.number == hand_no)
    if not hand.public:
        raise CardsNotPublic(hand.last, hand_no)
    course = Course(timeline.state(first).ruleset)
    window = _Window()
    for step in range(first, hand.last + 1):
        event, before = timeline.step(step).event, timeline.state(step - 1)
        if isinstance(event, CardsPlayed):
            yield _play(course, event, before)
        else:
            yield from window.decided_by(event, course, before, timeline.state(step))
        course.see(event)


def _play(course: Course, event: CardsPlayed, before: Match) -> Decision:
    position, truth = position_of(before), _truth(before)
    plays = position.legal_plays(truth)
    decks = course.ruleset.decks
    return Decision(
        kind="play",
        step=event.version,
        seat=event.seat,
        trick_no=event.trick_no,
        by=event.by,
        information=course.information(event.seat, truth.hands[event.seat], truth.face_down[event.seat]),
        truth=truth,
        options=[Option(position, play) for play in plays],
        labels=tuple(" ".join(names_of(cards_in(play), decks)) for play in plays),
        chosen=plays.index(set_of(parse_cards(event.cards, decks))),
    )


def _truth(match: Match) -> World:
    assert match.hand is not None
    return world_of(match.hand)


class _Window:
    """The declaration window: a card is decided on when it is declared, or when its seat has done with declaring."""

    def __init__(self) -> None:
        self._decided: Cards = 0
        self._done: set[Seat] = set()

    def decided_by(self, event: Event, course: Course, before: Match, after: Match) -> Iterator[Decision]:
        """The decisions that an event tells of."""
        if isinstance(event, CardDeclared) and not event.automatic:
            card = _card_declared(event, before, after)
            self._decided |= 1 << card
            yield _declaration(course, event, event.seat, card, event.level, before)
        elif isinstance(event, DeclarationDone):
            self._done.add(event.seat)
            yield from self._undeclared(event, event.seat, course, before)
        elif isinstance(event, DeclarationsClosed):
            for seat in SEATS:
                if seat not in self._done:
                    yield from self._undeclared(event, seat, course, before)

    def _undeclared(self, event: Event, seat: Seat, course: Course, before: Match) -> Iterator[Decision]:
        declared = _declared(before)
        for card in cards_in(_truth(before).hands[seat] & DECLARABLE & ~self._decided & ~declared):
            yield _declaration(course, event, seat, card, None, before)


def _declared(match: Match) -> Cards:
    assert match.hand is not None
    return set_of(told.card for told in match.hand.declarations if told.card is not None)


def _card_declared(event: CardDeclared, before: Match, after: Match) -> Card:
    """The card of a declaration, told by the state where it lies face down."""
    if event.card is not None:
        return parse_card(event.card, before.ruleset.decks)
    return next(cards_in(_declared(after) & ~_declared(before)))


def _declaration(
    course: Course, event: Event, seat: Seat, card: Card, level: Level | None, before: Match
) -> Decision:
    position, truth = position_of(before), _truth(before)
    levels = _LEVELS if course.ruleset.hidden_declarations else (None, "open")
    return Decision(
        kind="declaration",
        step=event.version,
        seat=seat,
        card=name_of(card, course.ruleset.decks),
        information=course.information(seat, truth.hands[seat], truth.face_down[seat]),
        truth=truth,
        options=[declaring(position, seat, card, choice) for choice in levels],
        labels=tuple(choice or "none" for choice in levels),
        chosen=levels.index(level),
    )


def declaring(position: Position, seat: Seat, card: Card, level: Level | None) -> Option:
    """What comes of a card declared at this level, or not, if nobody declares anything more."""
    if level == "hidden":
        return Option(position, 0, lambda world: _face_down(world, seat, card))
    declared = position.levels if level is None else (*position.levels, (card, level))
    fourth = automatic_fourth(position.ruleset, set_of(one for one, _ in declared))
    if fourth is not None:
        declared = (*declared, (fourth, "open"))
    return Option(replace(position, levels=tuple(sorted(declared))))


def _face_down(world: World, seat: Seat, card: Card) -> World:
    return world._replace(face_down=replaced(world.face_down, seat, world.face_down[seat] | 1 << card))
