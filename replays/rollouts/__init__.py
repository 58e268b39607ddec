"""Playouts: how a hand ends from a moment on, in each of many worlds, after each of several plays.

    position = position_of(match)                     # what is public; or Position(...) on masks alone
    plays = position.legal_plays(world)               # masks of one or two cards
    outcomes = evaluate(position, worlds, plays, seed=7, policy=RULE)
    outcomes.expected(seat)                           # of each play (mean value, standard error)
    outcomes.value(world, play, seat)                 # of one play in one world, to any seat
    outcomes.raw(world, play)                         # the mean raw scores by seat behind it

    exact_ending(position, world)                     # the last few tricks, all cards known, everyone at his best

Worlds are those of `replays.worlds`: hands by seat as masks, and what lies face down. `value` is own raw score less the
mean of the other three, with partners own side less the other. Policies say how everyone plays on: `RULE` is a plain,
sound player, `CHANCE` any legal play; `replace(RULE, slips=64)` errs in 64 of 256 choices.

With `gongzhu[fast]` the work is compiled, bit for bit the same; `WorldRows` of `replays.worlds` go in as they are.

What holds: the rules are those of `domain`. A playout is a function of the position, the world, the play, the seed, the
world's number and the rollout's: not of what else is asked for, in which order, in how many calls.
"""

from replays.rollouts.endings import Ending, TooLong, exact_ending
from replays.rollouts.evaluation import NotCompiled, evaluate
from replays.rollouts.outcomes import Outcomes, value_of
from replays.rollouts.policies import CHANCE, OTHER, RULE, Policy
from replays.rollouts.positions import NoPlayThere, PlayNotHeld, Position, position_of

__all__ = [
    "CHANCE",
    "OTHER",
    "RULE",
    "Ending",
    "NoPlayThere",
    "NotCompiled",
    "Outcomes",
    "PlayNotHeld",
    "Policy",
    "Position",
    "TooLong",
    "evaluate",
    "exact_ending",
    "position_of",
    "value_of",
]
