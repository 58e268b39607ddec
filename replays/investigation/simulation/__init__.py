"""Simulated deals: honest players of every strength and planted cheats, to calibrate the tests and to try them.

`simulate(ruleset, types, seed, number)` plays one deal between four kinds of player and gives its decisions as
`Moment`s, just as those of a recorded hand come out of `moments_of`; the battery takes either. A deal is a function of
its seed, its number and who plays. `players.HONEST` and `players.CHEATS` name the kinds of player there are.
"""

from replays.investigation.simulation.hands import Simulated, simulate
from replays.investigation.simulation.players import CHEATS, HONEST, TYPES, PlayerType

__all__ = ["CHEATS", "HONEST", "TYPES", "PlayerType", "Simulated", "simulate"]
