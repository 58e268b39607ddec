"""The unseen cards of an information set in classes, for each choice of cards that lie face down.

Cards that the same seats can hold are one class, whatever they are. In two decks a kind of which both copies are unseen
is looked at as a whole where a seat may not hold both, or must hold one; kinds that may lie alike are one class too.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from domain.cards import DECLARABLE, TWOS_OF_CLUBS, Cards, cards_in, kind_of, set_of
from domain.seats import SEATS, BySeat, Seat
from replays.worlds.information import DECK, InformationSet
from replays.worlds.shares import CardClass


class Grouped(NamedTuple):
    """Cards by the mask of seats that can hold them, and kinds (first copies) by the pairs of seats they may lie at."""

    cards: dict[int, Cards]
    kinds: dict[int, Cards]

    def classes(self) -> tuple[CardClass, ...]:
        """The classes with their sizes, in an order that depends on nothing else."""
        cards = [CardClass(seats, cards.bit_count()) for seats, cards in sorted(self.cards.items())]
        kinds = [
            CardClass(_seats_of(pairs), kinds.bit_count(), pairs)
            for pairs, kinds in sorted(self.kinds.items())
        ]
        return (*cards, *kinds)


def _seats_of(pairs: int) -> int:
    """The seats that appear in a set of pairs of them."""
    seats = 0
    for first in SEATS:
        if pairs >> 4 * first & 15:
            seats |= 1 << first | pairs >> 4 * first & 15
    return seats


class Grouping:
    """Groups the unseen cards of an information set, those that may lie face down anew for each choice."""

    def __init__(self, information: InformationSet) -> None:
        self._information = information
        hidden = any(information.face_down_counts)
        self._open_question = _both_copies(DECLARABLE) & information.unseen if hidden else 0
        self._apart = [information.apart[seat] | information.apart_plain[seat] for seat in SEATS]
        self._settled = self._group(information.unseen & ~self._open_question, information.plain)

    def of(self, face_down: BySeat[Cards]) -> Grouped | None:
        """All cards but those that lie face down, grouped; None where these cannot lie so."""
        if not self._open_question:
            return self._settled if _all_have_owners(self._settled) else None
        plain = list(self._information.plain)
        chosen = 0
        for seat, cards in enumerate(face_down):
            apart = self._information.apart[seat]
            if cards & cards >> DECK & apart:
                return None
            plain[seat] &= ~_both_copies(apart & (cards | cards >> DECK))
            chosen |= cards
        grouped = _together(self._settled, self._group(self._open_question & ~chosen, plain))
        return grouped if _all_have_owners(grouped) else None

    def _group(self, cards: Cards, plain: BySeat[Cards] | list[Cards]) -> Grouped:
        as_kinds: dict[int, Cards] = {}
        for kind in cards_in(self._bound(cards, plain)):
            pairs = self._pairs(kind, plain)
            as_kinds[pairs] = as_kinds.get(pairs, 0) | 1 << kind
            cards &= ~_both_copies(1 << kind)
        return Grouped(_by_owners(cards, self._owners(cards, plain)), as_kinds)

    def _bound(self, cards: Cards, plain: BySeat[Cards] | list[Cards]) -> Cards:
        """The kinds whose copies do not lie independently."""
        doubles = cards & cards >> DECK
        bound = 0
        for seat in SEATS:
            bound |= doubles & self._apart[seat] & plain[seat] & plain[seat] >> DECK
        return bound if self._information.has_a_two is None else bound | doubles & TWOS_OF_CLUBS

    def _pairs(self, kind: int, plain: BySeat[Cards] | list[Cards]) -> int:
        leads = self._information.has_a_two if TWOS_OF_CLUBS >> kind & 1 else None
        pairs = 0
        for first in SEATS:
            for second in SEATS:
                if plain[first] >> kind & 1 and plain[second] >> (kind + DECK) & 1:
                    together = first == second and self._apart[first] >> kind & 1
                    if not together and leads in (None, first, second):
                        pairs |= 1 << (4 * first + second)
        return pairs

    def _owners(self, cards: Cards, plain: BySeat[Cards] | list[Cards]) -> list[Cards]:
        """By seat, the cards among these that it can hold; a single ♣2 that the leader must have is his."""
        owners = [cards & plain[seat] for seat in SEATS]
        leads = self._information.has_a_two
        if leads is not None and (two := cards & TWOS_OF_CLUBS):
            owners = [held if seat == leads else held & ~two for seat, held in enumerate(owners)]
        return owners


def _by_owners(cards: Cards, owners: list[Cards]) -> dict[int, Cards]:
    """The cards by the mask of their possible owners; what nobody can hold stands under 0."""
    parts = {0: cards}
    for seat, held in enumerate(owners):
        split: dict[int, Cards] = {}
        for seats, part in parts.items():
            if theirs := part & held:
                split[seats | 1 << seat] = theirs
            if others := part & ~held:
                split[seats] = others
        parts = split
    return parts


def _all_have_owners(grouped: Grouped) -> bool:
    return 0 not in grouped.cards and 0 not in grouped.kinds


def _together(some: Grouped, more: Grouped) -> Grouped:
    return Grouped(_united(some.cards, more.cards), _united(some.kinds, more.kinds))


def _united(some: dict[int, Cards], more: dict[int, Cards]) -> dict[int, Cards]:
    united = dict(some)
    for key, cards in more.items():
        united[key] = united.get(key, 0) | cards
    return united


def _both_copies(cards: Cards) -> Cards:
    return set_of(kind_of(card) for card in cards_in(cards)) * (1 + (1 << DECK))


def choices_face_down(information: InformationSet) -> Iterator[BySeat[Cards]]:
    """Every choice of as many cards for each seat as it has face down, none for two seats."""

    def of_rest(seats: tuple[Seat, ...], taken: Cards) -> Iterator[tuple[Cards, ...]]:
        if not seats:
            yield ()
            return
        seat = seats[0]
        can_be = information.face_down[seat] & ~taken
        for chosen in combinations(cards_in(can_be), information.face_down_counts[seat]):
            cards = set_of(chosen)
            for others in of_rest(seats[1:], taken | cards):
                yield (cards, *others)

    for cards in of_rest(SEATS, 0):
        yield (cards[0], cards[1], cards[2], cards[3])
