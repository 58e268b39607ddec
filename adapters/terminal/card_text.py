"""Cards and seats as coloured text. No markup is ever read from a name, and colour is never the only sign."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from domain.cards import SUITS, card_key
from domain.seats import BySeat, Seat

SUIT_SIGNS: Final = dict(zip(SUITS, "♠♥♦♣", strict=True))
SUIT_STYLES: Final = {"S": "bold", "H": "red", "D": "bright_blue", "C": "green"}
DECLARABLE: Final = ("SQ", "DJ", "CT", "HA")

Names = BySeat[str]
"""What the players are called, by seat; shown beside the seat."""


def rank_text(card: str) -> str:
    """The rank as people write it, with the copy where there is one: `10`, `Qa`."""
    return card[1].replace("T", "10") + card[2:]


def card_text(card: str) -> Text:
    """One card, as in ♠Q; the four that can be declared stand out."""
    style = SUIT_STYLES[card[0]] + (" underline" if card_key(card) in DECLARABLE else "")
    return Text(SUIT_SIGNS[card[0]] + rank_text(card), style=style)


def cards_text(cards: Iterable[str]) -> Text:
    """Cards in their order, with a space between."""
    return Text(" ").join(card_text(card) for card in cards)


def hand_lines(cards: Iterable[str]) -> list[Text]:
    """A hand, a line a suit from spades to clubs, highest card first: `♠ K 7 2`. Suits not held are left out."""
    held = sorted(cards, key=lambda card: (-"23456789TJQKA".index(card[1]), card))
    lines = []
    for suit, sign in SUIT_SIGNS.items():
        ranks = " ".join(rank_text(card) for card in held if card[0] == suit)
        if ranks:
            lines.append(Text(f"{sign} {ranks}", style=SUIT_STYLES[suit]))
    return lines


def seat_text(seat: Seat, names: Names | None = None) -> Text:
    """A seat by its number, with the player's name where it is known."""
    return Text.assemble((f"seat {seat}", "bold"), f" {names[seat]}" if names else "")


def number_text(number: int) -> Text:
    """A score with its sign, red where it is below 0."""
    return Text(f"{number:+d}" if number else "0", style="red" if number < 0 else "")
