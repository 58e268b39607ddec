"""A service that is killed in the middle of hands: nothing acknowledged is lost, and nothing is played twice."""

import asyncio
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import httpx
import psycopg
import pytest

from adapters.clock import SystemClock
from adapters.composition import keys_path, match_log, system_ports
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.keys import load_keys
from adapters.postgres.match_rows import rows_of_match
from adapters.randomness import SystemRandomness
from adapters.serialization import decode_row
from adapters.socket_bots.seat import BotSeat, OnPlay
from adapters.socket_bots.tables import BotTables, Order, OwnPasses
from domain.events import CardsPlayed, DeclarationsClosed, Event, MatchSettled
from replays.audit import audit

ROOT = Path(__file__).parents[3]


class Service:
    """The API as a process on one port, which can be killed and started again."""

    def __init__(self, database_url: str, data: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._arguments = [
            sys.executable,
            "-m",
            "tests.support.serving",
            database_url,
            str(data),
            str(self.port),
        ]
        self.process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def ready(self) -> None:
        """Returns when it answers."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == self.url

    def kill(self) -> None:
        """Kill -9, and until it is gone."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def start_again(self) -> None:
        """Starts it anew on the same port."""
        self.process = self._started()
        self.ready()


@contextmanager
def service(database_url: str, data: Path) -> Iterator[Service]:
    running = Service(database_url, data)
    try:
        running.ready()
        yield running
    finally:
        running.kill()


def public_events(database_url: str, match: UUID, data: Path) -> list[Event]:
    with match_log(database_url, load_keys(keys_path(data)), system_ports()) as log:
        return [decode_row(row) for row in rows_of_match(log.pool, match)]


class Acknowledged:
    """The plays that were acknowledged: match, seat, number."""

    def __init__(self) -> None:
        self.plays: list[tuple[UUID, int, int]] = []
        self._goal = 0
        self._reached = asyncio.Event()

    def hearing(self, match: UUID) -> OnPlay:
        """What the bots of a match tell of their plays."""

        def hear(seat: int, number: int, acknowledged: bool) -> None:
            if acknowledged:
                self.plays.append((match, seat, number))
                if len(self.plays) >= self._goal:
                    self._reached.set()

        return hear

    async def more(self, count: int) -> None:
        """Returns when so many more plays were acknowledged."""
        self._goal = len(self.plays) + count
        self._reached.clear()
        await self._reached.wait()


def test_killed_service_loses_no_acknowledged_play_and_plays_no_card_twice(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.socket_bots.seat._RETRY_S", 0.05)
    monkeypatch.setattr("adapters.socket_bots.seat._MOST_RETRIES", 1_000)

    async def run() -> Acknowledged:
        acknowledged, chance = Acknowledged(), random.Random(4)
        with service(database_url, tmp_path) as running:
            seats = await seated_bots(running, tmp_path, acknowledged)
            async with asyncio.TaskGroup() as tasks:
                for seat in seats:
                    tasks.create_task(seat.play())
                for _ in range(4):
                    await acknowledged.more(chance.randrange(20, 60))
                    await asyncio.to_thread(running.kill)
                    await asyncio.to_thread(running.start_again)
        return acknowledged

    assert_all_stands(asyncio.run(run()), database_url, tmp_path)


def test_tables_whose_seats_are_at_two_services_outlive_either(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.socket_bots.seat._RETRY_S", 0.05)
    monkeypatch.setattr("adapters.socket_bots.seat._MOST_RETRIES", 1_000)

    async def run() -> Acknowledged:
        acknowledged = Acknowledged()
        with service(database_url, tmp_path) as one, service(database_url, tmp_path) as other:
            seats = await seated_bots(one, tmp_path, acknowledged, other)
            async with asyncio.TaskGroup() as tasks:
                for seat in seats:
                    tasks.create_task(seat.play())
                for running in (one, other):
                    await acknowledged.more(60)
                    await asyncio.to_thread(running.kill)
                    await asyncio.to_thread(running.start_again)
        return acknowledged

    assert_all_stands(asyncio.run(run()), database_url, tmp_path)


def test_service_whose_database_connections_are_cut_goes_on_without_refusing_anyone(
    database_url: str, tmp_path: Path
) -> None:
    async def run() -> Acknowledged:
        acknowledged = Acknowledged()
        with service(database_url, tmp_path) as running:
            seats = await seated_bots(running, tmp_path, acknowledged)
            async with asyncio.TaskGroup() as tasks:
                for seat in seats:
                    tasks.create_task(seat.play())
                for _ in range(6):
                    await acknowledged.more(40)
                    await asyncio.to_thread(cut_connections, database_url)
        assert sum(seat.refusals for seat in seats) == 0
        return acknowledged

    assert_all_stands(asyncio.run(run()), database_url, tmp_path)


def cut_connections(database_url: str) -> None:
    """Ends every connection to this database but its own."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )


def assert_all_stands(acknowledged: Acknowledged, database_url: str, tmp_path: Path) -> None:
    """Every acknowledged play stands in the log; the matches were played to their end, all of it by the rules."""
    for match in {match for match, _, _ in acknowledged.plays}:
        events = public_events(database_url, match, tmp_path)
        by_version = {event.version: event for event in events}
        for seat, number in [(seat, number) for of, seat, number in acknowledged.plays if of == match]:
            # The last event of the command; its play is that event, or one of those it brought with it.
            near = [by_version[version] for version in range(max(1, number - 3), number + 1)]
            assert any(isinstance(event, CardsPlayed) and event.seat == seat for event in near)
        # The audit decides every step anew: a card played twice, or out of turn, would be its first difference.
        assert isinstance(events[-1], MatchSettled)
        assert audit(events).first_difference is None


async def seated_bots(
    running: Service, data: Path, acknowledged: Acknowledged, other: Service | None = None
) -> list[BotSeat]:
    """The bots of three tables, who tell of their acknowledged plays; every second one is at the other service."""
    bearers = Bearers(ensure_token_keys(data, SystemRandomness()), SystemClock())
    passes = OwnPasses(bearers, SystemRandomness())
    seats: list[BotSeat] = []
    urls = (running.url, (other or running).url)
    async with httpx.AsyncClient(base_url=running.url, trust_env=False) as client:
        order = Order(ruleset="zero_sum-1", hands=3, clocks={"pause_s": 0})
        for _ in range(3):
            tokens = [await passes.player() for _ in range(4)]
            match = await BotTables(running.url, client, passes, order).open(tokens)
            hearing = acknowledged.hearing(match)
            seats += [
                BotSeat(urls[seat % 2], match, seat, token, pace_s=0.002, on_play=hearing)
                for seat, token in enumerate(tokens)
            ]
    return seats


def test_clocks_go_on_after_a_service_was_killed(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        with service(database_url, tmp_path) as running:
            bearers = Bearers(ensure_token_keys(tmp_path, SystemRandomness()), SystemClock())
            async with httpx.AsyncClient(base_url=running.url, trust_env=False) as client:
                passes = OwnPasses(bearers, SystemRandomness())
                clocks = {"declare_s": 1, "play_s": 1, "grace_s": 1}
                order = Order(ruleset="blood-1", clocks=clocks)
                tables = BotTables(running.url, client, passes, order)
                match = await tables.open([await passes.player() for _ in range(4)])
            await asyncio.to_thread(running.kill)
            await asyncio.to_thread(running.start_again)
            await asyncio.to_thread(until_autopilot_plays, database_url, match, tmp_path)

    asyncio.run(run())


def until_autopilot_plays(database_url: str, match: UUID, data: Path) -> None:
    """Waits for the log to grow, by its notifications."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("LISTEN gongzhu_log")
        for _ in connection.notifies(timeout=30):
            events = public_events(database_url, match, data)
            if isinstance(events[-1], CardsPlayed):
                break
    assert [type(event) for event in events[-2:]] == [DeclarationsClosed, CardsPlayed]
    assert isinstance(events[-1], CardsPlayed)
    assert events[-1].by == "autopilot"
