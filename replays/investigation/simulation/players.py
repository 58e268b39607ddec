"""Kinds of simulated player: how each thinks, what it looks at that it should not, and whom it favours."""

from typing import Final, Literal

import msgspec

from replays.rollouts import CHANCE, OTHER, RULE, Policy

Sees = Literal["own", "all", "mate"]
ALWAYS: Final = 256
"""All decisions of 256."""


class PlayerType(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of player.

    It plays by `policy` alone where `worlds` is 0, else by what its plays are worth on average in so many worlds, each
    played out once by `policy`. `reads`: worlds are weighed by what others have played. In `cheats` of 256 decisions it
    looks at the cards of its mate or of all; `signals`: it knows what its mate's declarations mean by agreement.
    `favours` is what an unit of its mate's result is worth to it, `own` what its own is.
    """

    name: str
    policy: Policy = RULE
    worlds: int = 0
    reads: bool = False
    sees: Sees = "own"
    cheats: int = 0
    signals: bool = False
    favours: float = 0.0
    own: float = 1.0

    @property
    def honest(self) -> bool:
        """Whether it plays for itself, by what it may know."""
        return not self.cheats and not self.signals and not self.favours and self.own == 1.0


_WEAK: Final = Policy(name="weak", slips=64, leads=RULE.leads, discards=RULE.discards, gifts=RULE.gifts)
HONEST: Final = {
    kind.name: kind
    for kind in (
        PlayerType(name="weak", policy=_WEAK),
        PlayerType(name="plain"),
        PlayerType(name="strong", worlds=50),
        PlayerType(name="reader", worlds=50, reads=True),
    )
}
"""Honest players, weakest first; the card reader is the hardest to tell from one who sees cards."""

CHEATS: Final = {
    kind.name: kind
    for kind in (
        PlayerType(name="all-seeing", worlds=50, sees="all", cheats=ALWAYS),
        PlayerType(name="half-seeing", worlds=50, sees="all", cheats=ALWAYS // 2),
        PlayerType(name="quarter-seeing", worlds=50, sees="all", cheats=ALWAYS // 4),
        PlayerType(name="tenth-seeing", worlds=50, sees="all", cheats=ALWAYS // 10),
        PlayerType(name="pair", worlds=50, sees="mate", cheats=ALWAYS),
        PlayerType(name="signalling", worlds=50, signals=True),
        PlayerType(name="soft", worlds=50, favours=1.0),
        PlayerType(name="dumping", worlds=50, favours=1.0, own=-0.5),
        PlayerType(name="all-seeing, unlike", policy=OTHER, worlds=50, sees="all", cheats=ALWAYS),
        PlayerType(name="all-seeing, by chance", policy=CHANCE, worlds=50, sees="all", cheats=ALWAYS),
        PlayerType(name="pair, unlike", policy=OTHER, worlds=50, sees="mate", cheats=ALWAYS),
    )
}
"""Planted cheats. Those unlike think by a policy that the battery does not know, one by its contrast alone."""

TYPES: Final = HONEST | CHEATS
"""All kinds of player by name."""
