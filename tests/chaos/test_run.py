"""A short seeded run of the whole chaos in every run of the suite."""

import tempfile
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.chaos.run import check_kills, run, targets
from tests.support.killed_parts import TARGETS


def test_nothing_is_lost_doubled_or_misplaced_while_everything_is_killed() -> None:
    # Not pytest's folder: the account that runs PostgreSQL must be able to reach it.
    with tempfile.TemporaryDirectory(prefix="gongzhu-chaos-") as folder:
        report = run(folder=Path(folder), kills=6, seconds=8, seed=20261130, pace_s=0.02)
    assert sum(report.kills.values()) >= 6
    assert report.events > report.acknowledged > 0


def test_a_seed_gives_the_same_targets_and_each_is_killed_in_the_first_round() -> None:
    chosen = list(islice(targets(Random(5)), 20))
    assert chosen == list(islice(targets(Random(5)), 20))
    assert set(chosen[: len(TARGETS)]) == {(target, True) for target in TARGETS}


@pytest.mark.parametrize(
    ("kills", "what"),
    [
        (dict.fromkeys(TARGETS, 1), "fewer than 6"),
        (dict.fromkeys(TARGETS[1:], 2), "never killed"),
    ],
)
def test_a_run_that_killed_too_little_fails(kills: dict[str, int], what: str) -> None:
    with pytest.raises(AssertionError, match=what):
        check_kills(kills, 6)
