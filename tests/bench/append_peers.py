"""One peer of the `append` benchmark in a process of its own: `python -m tests.bench.append_peers PEER URL SECONDS N`.

Prints one JSON object: commands done and the latency of one, in microseconds.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from psycopg.conninfo import conninfo_to_dict

from adapters.clock import SystemClock
from adapters.composition import Ports, match_service
from adapters.match_service import MatchService
from adapters.randomness import SystemRandomness
from domain.commands import OpenMatch, TakeSeat
from tests.support.services import next_command, opening

PAYLOAD = ["SQ"]


class Peer(msgspec.Struct, frozen=True):
    """What a peer did: commands, over how many seconds, and how long one took (microseconds)."""

    commands: int
    seconds: float
    p50_us: float
    p99_us: float


class Hand(Aggregate):
    """The aggregate of the stock library: one event a command, as JSON."""

    @event("CardsPlayed")
    def play(self, seat: int, cards: list[str], think_ms: int) -> None:
        """A play."""
        self.last = (seat, cards, think_ms)


def library_environment(url: str) -> dict[str, str]:
    """The stock library's settings for a database."""
    parts = conninfo_to_dict(url)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(parts["dbname"]),
        "POSTGRES_HOST": str(parts["host"]),
        "POSTGRES_PORT": str(parts["port"]),
        "POSTGRES_USER": str(parts["user"]),
        "POSTGRES_PASSWORD": str(parts["password"]),
    }


def library(url: str, seconds: float, _: int) -> Peer:
    """The stock library: JSON, one event a transaction."""
    app: Application[Any] = Application(env=library_environment(url))
    hand = Hand()
    app.save(hand)

    def command() -> None:
        hand.play(seat=1, cards=PAYLOAD, think_ms=812)
        app.save(hand)

    peer = _timed(command, seconds)
    app.close()
    return peer


def raw(url: str, seconds: float, _: int) -> Peer:
    """A single-row INSERT a transaction, without any lock."""
    match, version, body = uuid4(), 0, b"x" * 220
    with psycopg.connect(url, autocommit=True) as connection:

        def command() -> None:
            nonlocal version
            version += 1
            connection.execute(
                "INSERT INTO raw_events (match, version, tag, body) VALUES (%b, %b, %b, %b)",
                [match, version, "CardsPlayed.1", body],
            )

        return _timed(command, seconds)


def ours(url: str, seconds: float, in_flight: int) -> Peer:
    """Our full path: decide, seal, encode, commit, reply, with so many tables asking at once."""
    return asyncio.run(_ours(url, seconds, in_flight))


async def _ours(url: str, seconds: float, in_flight: int) -> Peer:
    took: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with match_service(url, Path(folder), Ports(SystemClock(), SystemRandomness())) as service:
            began = time.perf_counter()
            until = began + seconds
            await asyncio.gather(*[_table(service, number, until, took) for number in range(in_flight)])
            return _peer(took, time.perf_counter() - began)


async def _table(service: MatchService, number: int, until: float, took: list[float]) -> None:
    chance = random.Random(number)
    while time.perf_counter() < until:
        match = uuid4()
        asked: list[OpenMatch | TakeSeat] = [opening(match, hands=4, root=chance.randbytes(64))]
        asked += [TakeSeat(seat=seat, player=uuid4()) for seat in range(4)]
        state = None
        for command in asked:
            state = (await service.handle(match, command)).state
        while state is not None and not state.ended and time.perf_counter() < until:
            command_to_give = next_command(state, chance)
            before = time.perf_counter()
            state = (await service.handle(match, command_to_give)).state
            took.append(time.perf_counter() - before)


def _timed(command: Callable[[], None], seconds: float) -> Peer:
    took: list[float] = []
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        before = time.perf_counter()
        command()
        took.append(time.perf_counter() - before)
    return _peer(took, time.perf_counter() - began)


def _peer(took: list[float], seconds: float) -> Peer:
    took.sort()
    if not took:
        return Peer(0, seconds, 0.0, 0.0)
    return Peer(len(took), seconds, took[len(took) // 2] * 1e6, took[len(took) * 99 // 100] * 1e6)


if __name__ == "__main__":
    peer = {"library": library, "raw": raw, "ours": ours}[sys.argv[1]]
    print(msgspec.json.encode(peer(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))).decode())
