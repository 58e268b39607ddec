"""`./dev chaos run`: bots play while services, relays, projections, NATS and PostgreSQL are killed and restarted.

At the end: the stream is the log, byte for byte, in order, each event once; every read model is what a rebuild from
scratch gives; no acknowledged command is missing; every match passes its audit; and no part ever called itself red.
"""

import argparse
import asyncio
import random
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from adapters import processes
from tests.support import whole_check
from tests.support.killed_parts import TARGETS, KilledParts

PACE_S: Final = 0.1
MOST_KILLS_APART_S: Final = 6.0
KILLED: Final = 0.75
"""The share of kills; the rest are restarts in good order."""
_ACKNOWLEDGED_BYTES: Final = 4_000
_PROGRESS_WITHIN_S: Final = 90.0
_QUIET_WITHIN_S: Final = 60.0
_CAUGHT_UP_WITHIN_S: Final = 180.0
_WRITING: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE '%log.append%' AND pid <> pg_backend_pid()
"""


class RunReport(msgspec.Struct, frozen=True):
    """What a run did, all of it checked. `caught_up_s`: how long until everything stood at the log's end."""

    seed: int
    kills: dict[str, int]
    restarts: dict[str, int]
    events: int
    acknowledged: int
    matches: int
    caught_up_s: float
    seconds: float


def targets(chance: random.Random) -> Iterator[tuple[str, bool]]:
    """Endless targets in random order, each once in a round, and whether it is killed; the first round kills all."""
    first = True
    while True:
        for target in chance.sample(TARGETS, k=len(TARGETS)):
            yield target, first or chance.random() < KILLED
        first = False


def run(*, folder: Path, kills: int, seconds: float, seed: int, pace_s: float = PACE_S) -> RunReport:
    """Plays for so long, with at least so many kills spread over it; then checks everything.

    `pace_s`: how long a bot waits before each play.
    """
    began, chance = time.monotonic(), random.Random(seed)
    with KilledParts(folder, pace_s) as parts:
        _break_things(parts, chance, kills=kills, seconds=seconds)
        parts.check_faults()
        parts.workers.pop("service").stop()
        caught_up_s = _catch_up(parts)
        parts.check_faults()
        for workers in parts.workers.values():
            workers.stop()
        events, matches = check(parts)
        check_kills(parts.kills, kills)
        return RunReport(
            seed=seed,
            kills=dict(parts.kills),
            restarts=dict(parts.restarts),
            events=events,
            acknowledged=len(parts.acks()),
            matches=matches,
            caught_up_s=round(caught_up_s, 2),
            seconds=round(time.monotonic() - began, 1),
        )


def check_kills(kills: dict[str, int], wanted: int) -> None:
    """A run that killed too little, or never killed a target, has shown nothing."""
    assert sum(kills.values()) >= wanted, f"{kills}: fewer than {wanted} kills"
    assert all(kills.get(target) for target in TARGETS), f"{kills}: a target was never killed"


def _break_things(parts: KilledParts, chance: random.Random, *, kills: int, seconds: float) -> None:
    """Kills and restarts one thing after another; each time something new has been acknowledged since the last."""
    began = time.monotonic()
    apart_s = min(MOST_KILLS_APART_S, seconds * KILLED / kills)
    for target, killed in targets(chance):
        if sum(parts.kills.values()) >= kills and time.monotonic() - began >= seconds:
            return
        _wait_for_acknowledgements(parts)
        # So that it falls anywhere in what the parts are doing.
        time.sleep(chance.random() * 2 * apart_s)
        if killed:
            parts.kill(target, chance)
        else:
            parts.restart(target, chance)


def _wait_for_acknowledgements(parts: KilledParts) -> None:
    before = parts.acknowledged_bytes()
    _wait(
        lambda: parts.acknowledged_bytes() >= before + _ACKNOWLEDGED_BYTES,
        _PROGRESS_WITHIN_S,
        "nothing is acknowledged any more",
    )


def _catch_up(parts: KilledParts) -> float:
    """Waits until everything stands at the log's last position; how long that took, in seconds."""
    began = time.monotonic()
    with psycopg.connect(parts.postgres.url, autocommit=True) as connection:
        _wait(lambda: _is_quiet(connection), _QUIET_WITHIN_S, "killed services still write")
        last = whole_check.last_position(connection)

        def stands() -> bool:
            return set(whole_check.positions_of_read_models(connection).values()) == {last}

        _wait(stands, _CAUGHT_UP_WITHIN_S, f"the read models do not come to position {last}")
    return time.monotonic() - began


def _is_quiet(connection: psycopg.Connection[tuple[int]]) -> bool:
    row = connection.execute(_WRITING).fetchone()
    return row is not None and row[0] == 0


def _wait(condition: Callable[[], bool], within_s: float, what: str) -> None:
    assert processes.wait_until(condition, within_s), f"{what}, after {within_s:.0f} s"


def check(parts: KilledParts) -> tuple[int, int]:
    """Everything agrees with everything; how many events and matches there are."""
    url = parts.postgres.url
    asyncio.run(whole_check.assert_stream_is_whole_log(url, parts.nats))
    with psycopg.connect(url, autocommit=True) as connection:
        whole_check.assert_acknowledged_is_kept(connection, parts.acks())
        whole_check.assert_read_models_are_rebuilt_ones(connection)
        return whole_check.last_position(connection), whole_check.audit_all(url)


def main(arguments: list[str]) -> int:
    """The command: a seed that is printed, and the report."""
    parser = argparse.ArgumentParser(prog="./dev chaos run", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--kills", type=int, default=30, help="at least so many (default 30)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 31))
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="gongzhu-chaos-") as folder:
        report = run(
            folder=Path(folder), kills=options.kills, seconds=options.minutes * 60, seed=options.seed
        )
    print(msgspec.json.format(msgspec.json.encode(report)).decode())
    return 0
