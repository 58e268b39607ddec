"""Whether the cards shown in a hand are those that its deal gave to the seats that show them.

Four hands written down one seat off are an easy slip, for people and for programs that count seats otherwise. It is
named as what it is, and where it first shows.
"""

from collections.abc import Sequence
from typing import Final

from domain.dealing import Deal
from domain.events import CardDeclared, CardsPlayed, Event
from domain.seats import SEATS, Seat
from replays.notation.course import CardKnown, Course, Known
from replays.notation.lexing import Cursor, NotationError, Token

_ENOUGH: Final = 4
"""Fewer cards played could be at home one seat off by chance."""


class Placing:
    """The cards shown in the hand in progress, against its deal."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._played: list[tuple[Seat, str]] = []
        self._deal: Deal | None = None
        self._first: tuple[Seat, str, Token] | None = None

    def note(self, event: Event, known: Known, token: Token, course: Course) -> None:
        """Takes note of the cards an event shows; `course` is where the match stood before it."""
        if isinstance(event, CardsPlayed | CardDeclared) and course.hand is not None:
            self._deal = course.hand.known.deal
            for card in _cards_of(event, known):
                if isinstance(event, CardsPlayed):
                    self._played.append((event.seat, card))
                if self._first is None and course.contradicts(event.seat, [card]):
                    self._first = (event.seat, card, token)

    def check(self) -> None:
        """Ends a hand. Raises `NotationError` where a seat showed a card that was dealt to another."""
        error = self.error()
        self._played, self._first = [], None
        if error is not None:
            raise error

    def error(self) -> NotationError | None:
        """What is wrong with the cards shown so far, None where nothing is."""
        if self._first is None or self._deal is None:
            return None
        seat, card, token = self._first
        turned = _rotation(self._deal, self._played)
        if turned is not None:
            return self._cursor.wrong(
                f"expected the cards dealt to seat {seat}, found {card}: the hands are rotated against the plays by "
                f"{turned}; what seat {seat} shows was dealt to seat {(seat + turned) % 4}, and so on round the table",
                token,
            )
        holder = next((other for other in SEATS if card in self._deal.hands[other]), None)
        return self._cursor.wrong(
            f"expected a card dealt to seat {seat}, found {card}, which was dealt to seat {holder}", token
        )


def _cards_of(event: CardsPlayed | CardDeclared, known: Known) -> Sequence[str]:
    if isinstance(event, CardsPlayed):
        return event.cards
    if isinstance(known, CardKnown):
        return (known.card,)
    return (event.card,) if event.card is not None else ()


def _rotation(deal: Deal, played: Sequence[tuple[Seat, str]]) -> int | None:
    """By how many seats the deal would have to be turned for every card played to be at home; None where by none."""
    if len(played) < _ENOUGH or len({seat for seat, _ in played}) < len(SEATS):
        return None
    for turn in SEATS[1:]:
        if all(card in deal.hands[(seat + turn) % 4] for seat, card in played):
            return turn
    return None
