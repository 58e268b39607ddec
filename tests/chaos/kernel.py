"""`./dev chaos kernel [--hands N] [--seed S]`: random hands of every ruleset, by the kernels and by `decide`."""

import argparse
import time
from random import Random

from domain.rulesets import RULESETS
from tests.replays.rollouts.hands_both_ways import KERNELS, compare_a_hand


def main(arguments: list[str]) -> int:
    """Compares hands until one differs; 0 where none did."""
    parser = argparse.ArgumentParser(prog="./dev chaos kernel", description=__doc__)
    parser.add_argument("--hands", type=int, default=10_000, help="hands of each ruleset")
    parser.add_argument("--seed", type=int, default=1, help="the first hand's seed; the others follow")
    asked = parser.parse_args(arguments)
    for ruleset in RULESETS.values():
        begun = time.perf_counter()
        for number in range(asked.seed, asked.seed + asked.hands):
            try:
                compare_a_hand(ruleset, Random(number))
            except Exception:
                print(f"{ruleset.name}: the hand of seed {number} differs", flush=True)
                raise
        spent = time.perf_counter() - begun
        print(
            f"{ruleset.name}: {asked.hands} hands, {len(KERNELS)} kernels agree with decide ({spent:.0f} s)",
            flush=True,
        )
    return 0
