"""Declarations (亮牌): which cards are declared, by whom, at which level, and which are held back (rules.md §3–§4)."""

import hashlib
from collections.abc import Iterable
from typing import Final

import msgspec

from domain.cards import (
    DECLARABLE,
    FIRST_COPIES,
    SUIT_CARDS,
    Card,
    Cards,
    cards_in,
)
from domain.rulesets import Level, Ruleset
from domain.seats import Seat

OPENING_BYTES: Final = 32
_COMMITMENT_LABEL: Final = b"gongzhu/declaration/1"


class Declaration(msgspec.Struct, frozen=True):
    """One declaration as the match knows it; `card` is None where it is hidden from this reader.

    `public`: everyone knows the card, because it was declared open or has been played.
    """

    seat: Seat
    level: Level
    card: Card | None
    automatic: bool = False
    commitment: str | None = None
    opening: bytes | None = None
    public: bool = False

    def __repr__(self) -> str:
        return f"Declaration(seat={self.seat}, level={self.level!r}, public={self.public})"


def declared_cards(declarations: Iterable[Declaration]) -> Cards:
    """The declared cards whose identity is known here."""
    mask = 0
    for declaration in declarations:
        if declaration.card is not None:
            mask |= 1 << declaration.card
    return mask


def levels_by_card(declarations: Iterable[Declaration]) -> dict[Card, Level]:
    """The level of each declared card whose identity is known here."""
    return {
        declaration.card: declaration.level for declaration in declarations if declaration.card is not None
    }


def held_back(declared: Cards, suits_led: Cards) -> Cards:
    """The declared cards whose suit no completed trick has been led in. `suits_led` holds whole suits."""
    return declared & ~suits_led


def led_suits(suits: Iterable[int]) -> Cards:
    """All cards of these suits, as `held_back` wants them."""
    mask = 0
    for suit in suits:
        mask |= SUIT_CARDS[suit]
    return mask


def automatic_fourth(ruleset: Ruleset, declared: Cards) -> Card | None:
    """The one card that is declared for its holder when the window closes, if the ruleset has that (rules.md §2)."""
    if not ruleset.automatic_fourth or declared.bit_count() != 3:
        return None
    return next(cards_in(DECLARABLE & FIRST_COPIES & ~declared))


def commitment_of(match: bytes, hand_no: int, seat: Seat, card_name: str, opening: bytes) -> str:
    """The hex commitment of a hidden declaration: SHA-256 of match, hand, seat, card text and opening."""
    message = b"".join(
        [
            _COMMITMENT_LABEL,
            match,
            hand_no.to_bytes(4, "big"),
            bytes([seat]),
            card_name.encode(),
            b"\0",
            opening,
        ]
    )
    return hashlib.sha256(message).hexdigest()


def is_declarable(card: Card) -> bool:
    """Whether this is one of ♠Q ♦J ♣10 ♥A."""
    return bool(DECLARABLE >> card & 1)
