"""What the public course of a hand tells of cards nobody has shown: facts, each with its reason.

A fact speaks of one seat's unplayed cards, and of nothing but them:

    holds       it holds all of `cards`
    lacks       it holds none of `cards`
    holds_some  it holds at least `count` of `cards`
    no_pair     of each of `cards` (first copies) it does not hold both copies
"""

from typing import Final, Literal

import msgspec

from domain.cards import Cards
from domain.seats import BySeat, Seat
from domain.visibility import SPECTATOR

Kind = Literal[
    "open_declaration",
    "hidden_declarations",
    "first_lead",
    "void",
    "ban_follow",
    "ban_lead",
    "no_pair",
    "counting",
    "cases",
]
"""Where a fact comes from; `counting` is what follows from the others and the numbers of cards, `cases` what follows
whichever cards lie face down."""

KINDS: Final[tuple[Kind, ...]] = (
    "open_declaration",
    "hidden_declarations",
    "first_lead",
    "void",
    "ban_follow",
    "ban_lead",
    "no_pair",
    "counting",
    "cases",
)

RULES: Final[dict[Kind, str]] = {
    "open_declaration": "rules §3",
    "hidden_declarations": "rules §3",
    "first_lead": "rules §3",
    "void": "rules §4",
    "ban_follow": "rules §4, ban",
    "ban_lead": "rules §4, ban",
    "no_pair": "rules §4, following a pair",
    "counting": "",
    "cases": "rules §3",
}
"""The clause of rules.md each kind rests on."""

Effect = Literal["holds", "lacks", "holds_some", "no_pair"]
Knower = Seat | Literal["spectator"]
"""Who knows: a seat, with its own cards, or someone who only sees what is public."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact: what of whom, the step (version of the event) and trick it comes from, and words (English, Chinese)."""

    kind: Kind
    seat: Seat
    effect: Effect
    cards: Cards
    count: int = 0
    step: int
    trick_no: int | None = None
    why: str
    why_zh: str

    @property
    def rule(self) -> str:
        """The clause of rules.md it rests on."""
        return RULES[self.kind]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A hand as one who knows no more than he may has seen it up to a step.

    `own`: the cards in his hand, none for a spectator. `played`: all cards played. `unseen`: all others, which the
    seats hold that are not his. `capacities`: how many of the unseen cards each seat holds, 0 for his own. `supposed`:
    the cards that are supposed, by seat, to lie face down as declarations, where one case of several is looked at.
    """

    knower: Knower
    step: int
    hand_no: int
    decks: int
    own: Cards
    played: Cards
    unseen: Cards
    capacities: BySeat[int]
    facts: tuple[Fact, ...]
    supposed: BySeat[Cards] = (0, 0, 0, 0)

    @property
    def others(self) -> tuple[Seat, ...]:
        """The seats whose cards are in question."""
        return tuple(seat for seat in range(4) if self.knower == SPECTATOR or seat != self.knower)
