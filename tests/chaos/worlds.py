"""`./dev chaos worlds`: many pairs of worlds that differ in what may not be known, seen over HTTP and sockets.

Every byte that a viewer gets in one world, and every time the service waits for, must be the same in the other until
the rules disclose the difference. The pairs come in portions of one ruleset and one difference, each with a seed of
its own, which is printed where a pair is told apart: `--only "blood-1 cards" --portion N` looks at that portion again.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from domain.rulesets import RULESETS
from tests.support.stages import stages
from tests.support.worlds import CASES, SHARES, Difference, pairs

PORTION: Final = 100
THOROUGH: Final = 50
"""Of so many pairs one is looked at everywhere."""
_SETTINGS: Final = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
"""Nothing is lost on purpose here, and nothing has to last."""
_TEMPLATE: Final = "template_for_worlds"


class Portion(NamedTuple):
    """Pairs of one kind, by their seed."""

    ruleset: str
    difference: Difference
    seed: str
    pairs: int


class Look(NamedTuple):
    """A portion, and where to look at it: a server's URL, and a folder for keys."""

    portion: Portion
    server_url: str
    folder: Path


def portions(count: int, seed: int) -> list[Portion]:
    """Portions that come to at least so many pairs, every case in its share."""
    whole = sum(SHARES[difference] for _, difference in CASES)
    found = []
    for ruleset, difference in CASES:
        left = -(-count * SHARES[difference] // whole)
        for number in itertools.count():
            if left <= 0:
                break
            found.append(Portion(ruleset, difference, f"{seed}.{number}", min(left, PORTION)))
            left -= PORTION
    # Mixed, so that a run that is cut short has seen some of everything.
    random.Random(seed).shuffle(found)
    return found


def look(at: Look) -> list[str]:
    """What told pairs of a portion apart; empty where nothing did."""
    name = f"worlds_{multiprocessing.current_process().pid}"
    with tempfile.TemporaryDirectory(dir=at.folder) as folder:
        databases = [f"{name}_{which}" for which in ("first", "second")]
        urls = [at.server_url.replace("/postgres", f"/{database}") for database in databases]
        with psycopg.connect(at.server_url, autocommit=True) as connection:
            for database in databases:
                connection.execute(f"CREATE DATABASE {database} TEMPLATE {_TEMPLATE}".encode())
            try:
                return asyncio.run(_told(at.portion, urls, Path(folder)))
            finally:
                for database in databases:
                    connection.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())


async def _told(portion: Portion, urls: list[str], folder: Path) -> list[str]:
    ruleset, told = RULESETS[portion.ruleset], []
    async with stages(urls, folder) as both:
        for number, pair in enumerate(pairs(ruleset, portion.difference, portion.pairs, seed=portion.seed)):
            found = await both.told_apart(pair, thorough=number % THOROUGH == 0)
            if found is not None:
                told.append(
                    f"{portion.ruleset} {portion.difference}, portion {portion.seed}, pair {number}: {found}"
                )
                # What follows would only say the same again.
                break
    return told


def main(arguments: list[str]) -> int:
    """0 where nothing told any pair apart."""
    options = _options(arguments)
    wanted = portions(options.pairs, options.seed)
    if options.only:
        ruleset, _, difference = options.only.partition(" ")
        wanted = [Portion(ruleset, difference, options.portion, min(options.pairs, PORTION))]
    print(f"seed {options.seed}: {sum(portion.pairs for portion in wanted)} pairs", flush=True)
    began, seen = time.monotonic(), 0
    told: list[str] = []
    for portion, found in _looks(wanted, options.processes):
        seen, told = seen + portion.pairs, told + found
        for line in found:
            print(line, flush=True)
        rate = seen / (time.monotonic() - began)
        print(f"{seen} pairs, {rate:.1f} a second, {len(told)} told apart", file=sys.stderr, flush=True)
    print(f"{seen} pairs in {time.monotonic() - began:.0f} s, seed {options.seed}: {len(told)} told apart")
    return 1 if told else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev chaos worlds", description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="CASE", help='one portion of a case, such as "blood-1 second hand"')
    parser.add_argument("--portion", default="1.0", help="the portion's seed, as it was printed")
    return parser.parse_args(arguments)


def _looks(wanted: list[Portion], processes: int) -> Iterator[tuple[Portion, list[str]]]:
    """Every portion with what was found, as they are done."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-") as folder:
        server = PostgresServer(Path(folder) / "postgres", settings=_SETTINGS)
        try:
            server.start()
            url = server.url_of("postgres")
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {_TEMPLATE}".encode())
            migrate(server.url_of(_TEMPLATE))
            looks = [Look(portion, url, Path(folder)) for portion in wanted]
            with multiprocessing.get_context("spawn").Pool(processes) as pool:
                yield from pool.imap_unordered(_look, looks)
        finally:
            server.stop()


def _look(at: Look) -> tuple[Portion, list[str]]:
    return at.portion, look(at)
