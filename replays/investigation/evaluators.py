"""What cards are compared by: fixed before anyone is looked at, and named with every number that comes out of it."""

from typing import Final

import msgspec

from replays.rollouts import CHANCE, RULE, Policy

VERSION: Final = 2
"""Of the battery; numbers of different versions are never added up."""


class Evaluator(msgspec.Struct, frozen=True, kw_only=True):
    """The battery's parameters.

    Ranks are taken twice, with everyone playing on by `policy` and by `contrast`, and mixed: the second counts
    `contrast_share`. Who values cards otherwise than the one is seen by the other. Values are those of `policy`.
    `worlds` are drawn beside the true one for a rank, `rollouts` played out in each after each play. For a leak,
    `leak_bases` hands of the other seat are compared with the true one, the rest drawn `leak_fills` times for each.
    `spread`: how many points of expected value make a choice e times as likely, for softness.
    """

    policy: Policy = RULE
    contrast: Policy = CHANCE
    contrast_share: float = 0.3
    worlds: int = 15
    rollouts: int = 4
    leak_bases: int = 7
    leak_fills: int = 2
    spread: float = 20.0
    seed: int = 1

    def mixed(self, rank: float, contrast: float) -> float:
        """One rank of those by the two policies."""
        return (1 - self.contrast_share) * rank + self.contrast_share * contrast

    @property
    def name(self) -> str:
        """Version and parameters in one line."""
        parts = [
            f"battery {VERSION}", f"policy {self.policy.name}", f"slips {self.policy.slips}",
            f"contrast {self.contrast.name} {self.contrast_share:g}", f"worlds {self.worlds}",
            f"rollouts {self.rollouts}", f"leaks {self.leak_bases}x{self.leak_fills}", f"spread {self.spread:g}",
            f"seed {self.seed}",
        ]  # fmt: skip
        return ", ".join(parts)
