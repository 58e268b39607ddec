"""`./dev chaos worlds`: many pairs of worlds that differ in what may not be known, seen over HTTP and sockets.

Every byte that a viewer gets in one world must be the same in the other until the rules disclose the difference.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psycopg

from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from domain.rulesets import RULESETS
from tests.support.observing import observed
from tests.support.worlds import Difference, first_difference, pairs

CASES: list[tuple[str, Difference]] = [
    (name, difference)
    for name, ruleset in RULESETS.items()
    for difference in ("cards", "leader", "declaration")
    if difference != "declaration" or ruleset.hidden_declarations
]


class Share(NamedTuple):
    """What one process looks at."""

    database_url: str
    folder: Path
    seed: int
    number: int


def look(share: Share) -> list[str]:
    """What told pairs of worlds apart; empty where nothing did."""
    told = []
    each = -(-share.number // len(CASES))
    for ruleset, difference in CASES:
        for nth, pair in enumerate(pairs(RULESETS[ruleset], difference, each, seed=share.seed)):
            worlds = [
                asyncio.run(observed(share.database_url, share.folder, pair, world))
                for world in (pair.first, pair.second)
            ]
            if found := first_difference(worlds[0], worlds[1]):
                told.append(f"{ruleset} {difference} seed {share.seed} number {nth}: {found}")
    return told


def main(arguments: list[str]) -> int:
    """0 where nothing told any pair apart."""
    parser = argparse.ArgumentParser(prog="./dev chaos worlds", description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gongzhu-") as folder:
        server = PostgresServer(Path(folder) / "postgres", settings={"fsync": "off"})
        try:
            server.start()
            shares = [_share(server, Path(folder), number, options) for number in range(options.processes)]
            with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
                told = list(itertools.chain.from_iterable(pool.map(look, shares)))
        finally:
            server.stop()
    for line in told[:10]:
        print(line)
    seen = sum(-(-share.number // len(CASES)) * len(CASES) for share in shares)
    print(f"{seen} pairs in {time.monotonic() - began:.0f} s: {len(told)} told apart")
    return 1 if told else 0


def _share(server: PostgresServer, folder: Path, number: int, options: argparse.Namespace) -> Share:
    """A database, a folder and a seed for one process."""
    name = f"worlds_{number}"
    with psycopg.connect(server.url_of("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    migrate(server.url_of(name))
    own = folder / name
    own.mkdir()
    return Share(
        server.url_of(name), own, options.seed * 1000 + number, -(-options.pairs // options.processes)
    )
