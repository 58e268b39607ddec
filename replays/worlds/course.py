"""The public course of a hand, put down as what each seat can still hold: O(1) a play, for every knower at once.

The facts are those of `replays.knowledge`, as masks without their reasons. A card that lies face down escapes some of
them (it may have been held back), so cards that are face down and plain ones are kept apart, which makes all choices
of what lies face down exact at once.
"""

from typing import Final

from domain.cards import (
    ALL_CARDS,
    DECLARABLE,
    FIRST_COPIES,
    SUIT_CARDS,
    TWOS_OF_CLUBS,
    Cards,
    Suit,
    pairs_in,
    parse_card,
    parse_cards,
    set_of,
    suit_of,
)
from domain.events import CardDeclared, CardsPlayed, DeclarationsClosed, Event, HandDealt
from domain.rulesets import Ruleset
from domain.seats import SEATS, BySeat, Seat
from domain.visibility import SPECTATOR
from replays.knowledge.facts import Knower
from replays.worlds.information import DECK, InformationSet

_NOBODY: Final = (0, 0, 0, 0)


class Course:
    """What everyone has seen of a hand so far.

    By seat: `played` cards; `declared` cards that everyone knows, played or not; how many lie `face_down`; what it
    `lacks`, and `lacks_plain` (unless it lies face down); the kinds of which it does not hold both copies (`apart`), or
    not both as plain cards (`apart_plain`).
    """

    __slots__ = (
        "_led", "_plays", "apart", "apart_plain", "declared", "face_down", "hand_no", "lacks", "lacks_plain",
        "leader", "played", "ruleset", "suits_led",
    )  # fmt: skip

    def __init__(self, ruleset: Ruleset, hand_no: int = 1) -> None:
        self.ruleset = ruleset
        self.hand_no = hand_no
        self.leader: Seat | None = None
        self.suits_led = 0
        self._led: tuple[Suit, int] | None = None
        self._plays = 0
        self.played = [0, 0, 0, 0]
        self.declared = [0, 0, 0, 0]
        self.face_down = [0, 0, 0, 0]
        self.lacks = [0, 0, 0, 0]
        self.lacks_plain = [0, 0, 0, 0]
        self.apart = [0, 0, 0, 0]
        self.apart_plain = [0, 0, 0, 0]

    def see(self, event: Event) -> None:
        """One more event of the hand; of it nothing is read but what is public while the hand is played."""
        decks = self.ruleset.decks
        match event:
            case HandDealt():
                self.hand_no = event.hand_no
            case CardDeclared():
                self.declare(event.seat, 1 << parse_card(event.card, decks) if event.card is not None else 0)
            case DeclarationsClosed():
                self.close(event.leader)
            case CardsPlayed():
                opened = set_of(parse_card(opening.card, decks) for opening in event.openings)
                cards = parse_cards(event.cards, decks)
                self.play(event.seat, set_of(cards), suit_of(cards[0]), opened)

    def declare(self, seat: Seat, card: Cards) -> None:
        """A seat declares this card (a set of one) open, or one face down (0)."""
        self.declared[seat] |= card
        self.face_down[seat] += not card

    def close(self, leader: Seat) -> None:
        """The window is closed, and this seat leads."""
        self.leader = leader

    def play(self, seat: Seat, cards: Cards, suit: Suit, opened: Cards = 0) -> None:
        """A seat plays these cards, of which `opened` lay face down; `suit` is that of a leader's."""
        self.declared[seat] |= opened
        self.face_down[seat] -= opened.bit_count()
        self.played[seat] |= cards
        leads = self._led is None
        self._led = self._led or (suit, cards.bit_count())
        self._learn(seat, cards, leads=leads)
        self._plays += 1
        if self._plays == len(SEATS):
            self.suits_led |= SUIT_CARDS[self._led[0]]
            self._plays, self._led = 0, None

    def _learn(self, seat: Seat, cards: Cards, *, leads: bool) -> None:
        """What a play tells of its seat (rules.md §4)."""
        assert self._led is not None
        suit, owed = self._led
        of_suit = SUIT_CARDS[suit]
        declared = self.declared[seat] & of_suit
        held_back = declared & ~self.suits_led
        if (cards & of_suit).bit_count() < owed:
            self.lacks[seat] |= of_suit
        elif cards & held_back and (not leads or self.ruleset.ban_when_leading):
            self.lacks_plain[seat] |= of_suit & ~declared
        if self.ruleset.decks == 2:
            if not leads and owed == 2 and not cards & ~of_suit and not pairs_in(cards & ~held_back):
                self._has_no_pair(seat, of_suit & FIRST_COPIES & ~_kinds(held_back))
            self._lacks_copies(seat, cards)

    def _has_no_pair(self, seat: Seat, kinds: Cards) -> None:
        """Who did not follow a pair with a pair had none: but one with a card held back would not have counted."""
        if kinds & self.suits_led:
            self.apart[seat] |= kinds
        else:
            self.apart_plain[seat] |= kinds

    def _lacks_copies(self, seat: Seat, cards: Cards) -> None:
        """Where it cannot have held both, a seat lacks the copy of what it plays."""
        self.lacks[seat] |= _copies(cards & _both(self.apart[seat]))
        self.lacks_plain[seat] |= _copies(cards & ~self.declared[seat] & _both(self.apart_plain[seat]))

    def information(self, knower: Knower, own: Cards = 0, own_face_down: Cards = 0) -> InformationSet:
        """What `knower` can know now, whose hand is `own`; of that `own_face_down` are declared so."""
        everything = self.played[0] | self.played[1] | self.played[2] | self.played[3]
        unseen = ALL_CARDS[self.ruleset.decks - 1] & ~everything & ~own
        declared = self.declared[0] | self.declared[1] | self.declared[2] | self.declared[3]
        others = [seat for seat in SEATS if knower == SPECTATOR or seat != knower]
        return InformationSet(
            knower=knower,
            decks=self.ruleset.decks,
            shown=_at(knower, own),
            shown_face_down=_at(knower, own_face_down),
            unseen=unseen,
            capacities=_by_seat({s: self.ruleset.hand_size - self.played[s].bit_count() for s in others}),
            plain=_by_seat({seat: self._plain(seat, unseen, declared) for seat in others}),
            face_down=_by_seat(
                {s: unseen & DECLARABLE & ~declared & ~self.lacks[s] for s in others if self.face_down[s]}
            ),
            face_down_counts=_by_seat({seat: self.face_down[seat] for seat in others}),
            apart=_by_seat({seat: self.apart[seat] for seat in others}),
            apart_plain=_by_seat({seat: self.apart_plain[seat] for seat in others}),
            has_a_two=self._has_a_two(knower),
        )

    def _plain(self, seat: Seat, unseen: Cards, declared: Cards) -> Cards:
        elsewhere = declared & ~self.declared[seat]
        return unseen & ~self.lacks[seat] & ~self.lacks_plain[seat] & ~elsewhere

    def _has_a_two(self, knower: Knower) -> Seat | None:
        """The leader of a match's first hand, until it has played a ♣2."""
        leader = self.leader
        if leader is None or leader == knower or self.hand_no != 1 or self.ruleset.first_lead == "as_given":
            return None
        return None if self.played[leader] & TWOS_OF_CLUBS else leader


def _by_seat(values: dict[Seat, int]) -> BySeat[int]:
    return (values.get(0, 0), values.get(1, 0), values.get(2, 0), values.get(3, 0))


def _at(knower: Knower, cards: Cards) -> BySeat[Cards]:
    return _NOBODY if knower == SPECTATOR else _by_seat({int(knower): cards})


def _kinds(cards: Cards) -> Cards:
    return (cards | cards >> DECK) & FIRST_COPIES


def _both(kinds: Cards) -> Cards:
    return kinds | kinds << DECK


def _copies(cards: Cards) -> Cards:
    """The other copies of these cards."""
    return cards >> DECK | (cards & FIRST_COPIES) << DECK
