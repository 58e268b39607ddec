"""What becomes public when a hidden declaration is played, and when a hand is over (rules.md §3)."""

from typing import Any

from domain.cards import name_of
from domain.dealing import Deal, deal_of
from domain.declarations import Declaration
from domain.errors import DealUnavailable
from domain.events import PublishedDeclaration
from domain.match import Hand


def published(declaration: Declaration, decks: int) -> PublishedDeclaration:
    """A declaration as it is published. Raises `DealUnavailable` where its card is sealed from this process."""
    if declaration.card is None:
        raise DealUnavailable
    return PublishedDeclaration(
        seat=declaration.seat,
        card=name_of(declaration.card, decks),
        level=declaration.level,
        automatic=declaration.automatic,
        opening=declaration.opening.hex() if declaration.opening is not None else None,
    )


def disclosed(hand: Hand, decks: int) -> dict[str, Any]:
    """What becomes public when a hand is over."""
    return {
        "deal": _deal(hand, decks),
        "seed": hand.seed.hex() if hand.seed is not None else None,
        "declarations": tuple(published(declaration, decks) for declaration in hand.declarations),
    }


def _deal(hand: Hand, decks: int) -> Deal:
    if hand.order is None:
        raise DealUnavailable
    return deal_of(hand.order, decks, known=hand.order_known)
