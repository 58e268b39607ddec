"""A short seeded run of the whole chaos in every run of the suite."""

import asyncio
import tempfile
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random

import psycopg
import pytest

from adapters.feed import Feed
from adapters.nats.launcher import NatsServer
from adapters.randomness import SystemRandomness
from adapters.serialization import encode_public
from tests.chaos.run import check_kills, run, targets
from tests.chaos.run_worker import Ack
from tests.support import whole_check
from tests.support.killed_parts import TARGETS
from tests.support.stored_matches import append, season


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


def test_the_checks_find_what_is_missing_or_another(database_url: str, nats_server: NatsServer) -> None:
    events = season(7, matches=1)[:80]
    with psycopg.connect(database_url, autocommit=True) as log:
        append(log, events)
        feed = Feed(database_url, nats_server.relay_url, nats_server.projections_url, SystemRandomness())
        asyncio.run(feed.catch_up())
        digests = tuple(sha256(encode_public(event)).hexdigest() for event in events[2:4])
        ack = Ack(events[2].match, events[2].version, digests)
        whole_check.assert_acknowledged_is_kept(log, [ack])
        whole_check.assert_read_models_are_rebuilt_ones(log)
        asyncio.run(whole_check.assert_stream_is_whole_log(database_url, nats_server))
        log.execute("DELETE FROM log.events WHERE position >= 4")
        with pytest.raises(AssertionError, match="is missing"):
            whole_check.assert_acknowledged_is_kept(log, [ack])
        with pytest.raises(AssertionError, match="is not what a rebuild gives"):
            whole_check.assert_read_models_are_rebuilt_ones(log)
        with pytest.raises(AssertionError):
            asyncio.run(whole_check.assert_stream_is_whole_log(database_url, nats_server))
