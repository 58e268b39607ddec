"""An information set: every world that someone cannot tell from the true one, and what one world is."""

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from domain.cards import FIRST_COPIES, TWOS_OF_CLUBS, Cards, pairs_in
from domain.errors import GongzhuError
from domain.seats import SEATS, BySeat, Seat, replaced
from replays.knowledge.facts import Knower

DECK: int = 64
"""How far apart the two copies of a card lie in a set."""


class NoWorld(GongzhuError):
    """No deal at all fits what was seen: the record breaks the rules."""


class World(NamedTuple):
    """One way in which all cards may lie, by seat: the cards in hand, and which of them lie face down as declared."""

    hands: BySeat[Cards]
    face_down: BySeat[Cards]


class InformationSet(msgspec.Struct, frozen=True, kw_only=True):
    """What can be known at one moment of a hand of the cards nobody has shown, in masks.

    `shown`: the hands that are known, by seat (the knower's own, none for a spectator), of which `shown_face_down` lie
    face down. `unseen`: all cards that are neither played nor shown, of which each seat holds `capacities`.

    A card can lie in a seat's hand in two ways: declared face down, as one of `face_down`, of which the seat has
    exactly `face_down_counts`; or else as one of `plain`. Of no kind in `apart` (first copies) does the seat hold both
    copies, and of no kind in `apart_plain` both as plain ones. `has_a_two`: the seat that holds a ♣2, for it leads the
    match.
    """

    knower: Knower
    decks: int
    shown: BySeat[Cards]
    shown_face_down: BySeat[Cards]
    unseen: Cards
    capacities: BySeat[int]
    plain: BySeat[Cards]
    face_down: BySeat[Cards]
    face_down_counts: BySeat[int]
    apart: BySeat[Cards]
    apart_plain: BySeat[Cards]
    has_a_two: Seat | None

    def admits(self, world: World) -> bool:
        """Whether this is one of the worlds."""
        together = 0
        for seat in SEATS:
            drawn = world.hands[seat] & ~self.shown[seat]
            if self.shown[seat] & ~world.hands[seat] or not self._admits_at(
                seat, drawn, world.face_down[seat]
            ):
                return False
            together |= drawn
        leads = self.has_a_two is None or world.hands[self.has_a_two] & TWOS_OF_CLUBS
        return together == self.unseen and bool(leads)

    def _admits_at(self, seat: Seat, drawn: Cards, face_down: Cards) -> bool:
        if self.shown[seat]:
            return not drawn and face_down == self.shown_face_down[seat]
        plain = drawn & ~face_down
        return (
            drawn.bit_count() == self.capacities[seat]
            and face_down.bit_count() == self.face_down_counts[seat]
            and not face_down & ~(drawn & self.face_down[seat])
            and not plain & ~self.plain[seat]
            and not pairs_in(drawn) & self.apart[seat]
            and not pairs_in(plain) & self.apart_plain[seat]
        )

    def showing(self, seat: Seat, cards: Cards, face_down: Cards = 0) -> "InformationSet":
        """The worlds in which this seat holds just these cards, of which `face_down` lie so.

        For the question whose hand leaked: with the true hand of one seat shown, the others' are drawn.
        """
        nothing = dict.fromkeys(
            ("capacities", "plain", "face_down", "face_down_counts", "apart", "apart_plain"), 0
        )
        changed = {name: replaced(getattr(self, name), seat, value) for name, value in nothing.items()}
        others_two = self.has_a_two if self.has_a_two != seat else None
        return replace(
            self,
            **changed,
            shown=replaced(self.shown, seat, cards),
            shown_face_down=replaced(self.shown_face_down, seat, face_down),
            unseen=self.unseen & ~cards,
            has_a_two=others_two,
        )

    def kinds_unseen(self) -> Cards:
        """The kinds (first copies) of which both copies are unseen."""
        return self.unseen & self.unseen >> DECK & FIRST_COPIES
