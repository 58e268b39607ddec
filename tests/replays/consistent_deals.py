"""Every way in which the unseen cards of a hand can lie, by trying them all: slow, and knows nothing but the rules.

A deal is consistent with what someone has seen where every declaration and every play so far was possible in it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import msgspec

from domain.cards import (
    DECLARABLE,
    SUIT_CARDS,
    TWOS_OF_CLUBS,
    Cards,
    cards_in,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from domain.events import CardDeclared, CardsPlayed, DeclarationsClosed, Event, TrickTaken, public_form
from domain.plays import follow_refusal, lead_refusal
from domain.rulesets import Ruleset
from domain.seats import SEATS, Seat


class Course(msgspec.Struct):
    """What everyone has seen of a hand: its public events up to a step."""

    ruleset: Ruleset
    events: Sequence[Event]

    def played_by(self, seat: Seat) -> Cards:
        """The cards a seat has played."""
        return set_of(
            card
            for event in self.events
            if isinstance(event, CardsPlayed) and event.seat == seat
            for card in parse_cards(event.cards, self.ruleset.decks)
        )

    def shown_declared(self) -> list[Cards]:
        """By seat, the declared cards that everyone knows."""
        shown = [0, 0, 0, 0]
        for event in map(public_form, self.events):
            if isinstance(event, CardDeclared) and event.card is not None:
                shown[event.seat] |= 1 << parse_card(event.card, self.ruleset.decks)
            if isinstance(event, CardsPlayed):
                for opening in event.openings:
                    shown[opening.seat] |= 1 << parse_card(opening.card, self.ruleset.decks)
        return shown

    def face_down(self, seat: Seat) -> int:
        """How many declarations of a seat nobody else knows."""
        made = sum(isinstance(event, CardDeclared) and event.seat == seat for event in self.events)
        return made - self.shown_declared()[seat].bit_count()


def consistent_worlds(
    course: Course, unseen: Cards, capacities: Sequence[int], own: Cards, knower: Seat | None
) -> Iterator[tuple[tuple[Cards, ...], Cards]]:
    """Every share of the unseen cards that the course admits, by seat, with those of them that lie face down."""
    for share in shares(unseen, capacities):
        held = tuple(own if seat == knower else share[seat] for seat in SEATS)
        shown = course.shown_declared()
        known = shown[0] | shown[1] | shown[2] | shown[3] | own
        for declared in _declared(course, held):
            if _possible(course, held, declared):
                yield share, declared & ~known


def shares(unseen: Cards, capacities: Sequence[int]) -> Iterator[tuple[Cards, ...]]:
    """Every share of these cards that gives each seat its number."""

    def of_rest(rest: Cards, seats: Sequence[Seat]) -> Iterator[tuple[Cards, ...]]:
        if not seats:
            yield ()
            return
        for chosen in combinations(cards_in(rest), capacities[seats[0]]):
            hand = set_of(chosen)
            for others in of_rest(rest & ~hand, seats[1:]):
                yield (hand, *others)

    yield from of_rest(unseen, SEATS)


def _declared(course: Course, held: Sequence[Cards]) -> Iterator[Cards]:
    """All declared cards, for each way the ones that lie face down can be among the cards held."""
    shown = course.shown_declared()
    everyone = shown[0] | shown[1] | shown[2] | shown[3]
    choices = [
        list(combinations(cards_in(held[seat] & DECLARABLE & ~everyone), course.face_down(seat)))
        for seat in SEATS
    ]
    for chosen in product(*choices):
        yield everyone | set_of(card for cards in chosen for card in cards)


def _possible(course: Course, held: Sequence[Cards], declared: Cards) -> bool:
    """Whether every step so far was possible with these cards left, and these declared."""
    ruleset = course.ruleset
    hands = [held[seat] | course.played_by(seat) for seat in SEATS]
    suits_led, trick = 0, list[Cards]()
    first = True
    for event in course.events:
        if isinstance(event, DeclarationsClosed) and ruleset.first_lead != "as_given" and event.hand_no == 1:
            if not hands[event.leader] & TWOS_OF_CLUBS:
                return False
        elif isinstance(event, CardDeclared) and event.card is not None:
            if not hands[event.seat] >> parse_card(event.card, ruleset.decks) & 1:
                return False
        elif isinstance(event, CardsPlayed):
            cards = parse_cards(event.cards, ruleset.decks)
            hand, back = hands[event.seat], declared & ~suits_led
            if not trick:
                refusal = lead_refusal(
                    hand,
                    back,
                    cards,
                    decks=ruleset.decks,
                    ban=ruleset.ban_when_leading,
                    must_lead_two_of_clubs=first
                    and event.hand_no == 1
                    and ruleset.first_lead == "two_of_clubs_leads_it",
                    seat=event.seat,
                )
            else:
                led = next(cards_in(trick[0]))
                refusal = follow_refusal(
                    hand,
                    suit_of(led),
                    trick[0].bit_count(),
                    back,
                    cards,
                    decks=ruleset.decks,
                    seat=event.seat,
                )
            if refusal is not None:
                return False
            first = False
            trick.append(set_of(cards))
            hands[event.seat] &= ~set_of(cards)
        elif isinstance(event, TrickTaken):
            suits_led |= SUIT_CARDS[suit_of(next(cards_in(trick[0])))]
            trick.clear()
    return True
