"""What one deal says of one player: a few numbers, which are added up over many deals.

Decisions of one deal share its cards, so the deal is the unit that is counted, never the decision.
"""

from typing import Final, Literal
from uuid import UUID

import msgspec

from domain.seats import BySeat, Seat

Role = Literal["leads", "follows"]
"""Whether the seat led the hand's first trick; honest seats differ in it."""

Statistic = Literal["rank", "leak", "soft", "declaring"]
STATISTICS: Final[tuple[Statistic, ...]] = ("rank", "leak", "soft", "declaring")

MEANINGS: Final[dict[Statistic, str]] = {
    "rank": "plays fit the true cards better than cards the player could not tell from them",
    "leak": "plays fit one other player's true cards better than cards he might have held",
    "soft": "plays help one other player more than the player's own result explains",
    "declaring": "declarations fit the true cards better than cards the player could not tell from them",
}
"""What a high value of each says, in words."""


class DealScore(msgspec.Struct, frozen=True, kw_only=True):
    """One player's deal.

    `most` is the number of plays a seat makes in such a hand, `decisions` how many of them were a choice. `rank` is
    the sum over these of the centred rank (−½ to ½) of the play's advantage in the true world; `leaks[j]` the same
    where only seat j's cards are the true ones; `soft[j]` the sum of what the chosen plays did for seat j beyond what
    was to be expected; `declaring` the centred rank of what was declared. None where it was not measured.
    `chosen_ms` and `forced_ms` are the think times of the player's own plays, with a choice and without, where they
    are known; `autopilot` counts the plays that were not his own.
    """

    match: UUID
    hand_no: int
    seat: Seat
    player: UUID
    ruleset: str
    role: Role
    most: int
    decisions: int
    rank: float
    leaks: BySeat[float | None] = (None, None, None, None)
    soft: BySeat[float | None] = (None, None, None, None)
    declaring: float | None = None
    players: BySeat[UUID] | None = None
    chosen_ms: tuple[int, ...] = ()
    forced_ms: tuple[int, ...] = ()
    autopilot: int = 0

    @property
    def mean_think_ms(self) -> float | None:
        """Over all plays of the player himself; None where no think time is known."""
        thought = self.chosen_ms + self.forced_ms
        return sum(thought) / len(thought) if thought else None

    def value(self, statistic: Statistic, other: Seat | None = None) -> float | None:
        """The deal's value of a statistic; `other` names the seat for a leak or softness. None: not measured."""
        if statistic == "rank":
            return self.rank if self.decisions else None
        if statistic == "declaring":
            return self.declaring
        if other is None:
            raise ValueError(f"{statistic} is towards another seat: name it")
        return self.leaks[other] if statistic == "leak" else self.soft[other]
