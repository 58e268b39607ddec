"""What a review is made with: fixed before it is made, and named with every number that comes out of it."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

EVALUATOR: Final = "review 1, policy rule"
"""The version of the evaluator: numbers of different versions are never mixed, and stored ones are made again."""

ENOUGH_WORLDS: Final = 1000
"""With fewer worlds nothing is called a mistake: at 64 worlds two runs agree on the best play 61 % of the time."""

ERRORS_APART: Final = 3.0
"""A cost is told from chance where it is so many standard errors."""


class ReviewSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How much is tried.

    `worlds` are drawn at each decision from what the player knew; `playouts` are played of the true cards. Where at
    most `exact_cards` cards are left in a hand, and few worlds are possible, endings are worked out instead. The same
    `seed` gives the same numbers.
    """

    worlds: Annotated[int, Meta(ge=2, le=100_000)] = ENOUGH_WORLDS
    playouts: Annotated[int, Meta(ge=2, le=100_000)] = 200
    exact_cards: Annotated[int, Meta(ge=0, le=5)] = 3
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
