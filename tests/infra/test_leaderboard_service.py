"""The example service as a process: each event counts once, whatever is killed, and a new stream is noticed."""

import asyncio
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest

from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream, configuration
from adapters.nats.user_file import UserFile
from domain.events import AnnulmentLifted, Event, HandCorrected, MatchAnnulled, MatchSettled
from domain.rulesets import RULESETS
from tests.support.feeds import relayed
from tests.support.stored_matches import append, played, season, side_by_side
from tests.support.waiting import eventually

SERVICE = Path(__file__).parents[2] / "infra" / "examples" / "leaderboard_service.py"
EVENTS = season(5, matches=12)
Board = dict[str, tuple[int, int]]
Publish = Callable[[Sequence[Event]], int]


def expected_board(events: Sequence[Event]) -> Board:
    """Points and matches by player, from the events themselves."""
    results: dict[UUID, dict[UUID, int]] = {}
    annulled: set[UUID] = set()
    for event in events:
        if isinstance(event, MatchSettled):
            results[event.match] = dict(zip(event.players, event.points, strict=True))
        elif isinstance(event, HandCorrected) and event.match_points is not None:
            results[event.match] = dict(zip(event.players, event.match_points, strict=True))
        elif isinstance(event, MatchAnnulled):
            annulled.add(event.match)
        elif isinstance(event, AnnulmentLifted):
            annulled.discard(event.match)
    sums: Board = defaultdict(lambda: (0, 0))
    for match, points in results.items():
        for player, amount in points.items() if match not in annulled else ():
            sums[str(player)] = (sums[str(player)][0] + amount, sums[str(player)][1] + 1)
    return dict(sums)


def many_short_matches(count: int) -> list[Event]:
    """Matches of one hand, side by side: a result every hundred events or so."""
    random = Random(9)
    return side_by_side([played(RULESETS["zero_sum-1"], random, hands=1) for _ in range(count)], random)


class Service:
    """The example, started and killed at will over one database file."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._file = folder / "board.db"
        self._said = folder / "said"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._said.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(SERVICE), self._url, str(self._file)], stdout=output, stderr=output
            )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    @property
    def said(self) -> str:
        return self._said.read_text(encoding="utf-8")

    @property
    def position(self) -> int:
        return int(self._rows("SELECT position FROM place", [[0]])[0][0])

    @property
    def results(self) -> int:
        return int(self._rows("SELECT count(*) FROM results", [[0]])[0][0])

    @property
    def board(self) -> Board:
        return {
            player: (points, matches) for player, points, matches in self._rows("SELECT * FROM board", [])
        }

    def comes_to(self, position: int) -> None:
        """Returns when it has applied everything up to a position."""

        def is_there_or_gone() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, self.said
            return self.position == position

        eventually(is_there_or_gone, what=f"position {position}")

    def _rows(self, query: str, otherwise: list[Any]) -> list[Any]:
        if not self._file.exists():
            return otherwise
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as db:
            try:
                return db.execute(query).fetchall() or otherwise
            except sqlite3.OperationalError:
                return otherwise


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def publish(database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer) -> Publish:
    """Appends events to the log and relays them; the last position."""

    def append_and_relay(events: Sequence[Event]) -> int:
        last = append(log, events)
        asyncio.run(relayed(database_url, nats_server, last))
        return last

    return append_and_relay


@pytest.fixture
def service(nats_server: NatsServer, tmp_path: Path) -> Iterator[Service]:
    password = UserFile(tmp_path / "nats-server").add_service("leaderboard")
    address = nats_server.reader_url.rpartition("@")[2]
    service = Service(f"nats://leaderboard:{password}@{address}", tmp_path)
    try:
        yield service
    finally:
        service.kill()


def test_service_backfills_and_goes_on_live(service: Service, publish: Publish) -> None:
    last = publish(EVENTS[:1000])
    service.start()
    service.comes_to(last)
    for start in range(1000, len(EVENTS), 300):
        service.comes_to(publish(EVENTS[start : start + 300]))
    assert service.board == expected_board(EVENTS)
    assert "looking again" not in service.said


def test_killed_service_counts_each_event_once(service: Service, publish: Publish) -> None:
    events = many_short_matches(40)
    last = publish(events)
    killed_at = [(0, 0)]
    while killed_at[-1][0] < last:
        # As soon as a result is there: were it stored without the position, it would be stored twice.
        service.start()
        eventually(lambda: service.results > killed_at[-1][1], what=f"progress; it said {service.said}")
        service.kill()
        killed_at.append((service.position, service.results))
    assert len([position for position, _ in killed_at if 0 < position < last]) >= 2, killed_at
    service.start()
    service.comes_to(last)
    assert service.board == expected_board(events)
    assert service.said.count("beginning at position 1") == 1


def test_killed_service_misses_nothing_that_was_published_meanwhile(
    service: Service, publish: Publish
) -> None:
    service.start()
    for start in range(0, len(EVENTS), 600):
        service.comes_to(publish(EVENTS[start : start + 300]))
        service.kill()
        last = publish(EVENTS[start + 300 : start + 600])
        service.start()
    service.comes_to(last)
    assert service.board == expected_board(EVENTS)


def test_service_begins_again_on_a_stream_of_a_new_epoch(
    service: Service, publish: Publish, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    service.start()
    service.comes_to(publish(EVENTS))
    asyncio.run(_delete_stream(nats_server))
    log.execute("TRUNCATE log.events")
    others = season(6, matches=4)
    service.comes_to(publish(others))
    assert service.board == expected_board(others)
    assert service.said.count("beginning at position 1") == 2


def test_service_begins_again_where_the_stream_holds_something_else_at_its_position(
    service: Service, publish: Publish, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    service.start()
    service.comes_to(publish(EVENTS[:500]))
    service.kill()
    asyncio.run(_restore_older_stream(nats_server))
    log.execute("TRUNCATE log.events")
    others = season(6, matches=4)
    last = publish(others)
    assert last > 500
    service.start()
    service.comes_to(last)
    assert service.board == expected_board(others)


def test_service_goes_on_after_a_killed_server_and_a_removed_consumer(
    service: Service, publish: Publish, nats_server: NatsServer
) -> None:
    service.start()
    service.comes_to(publish(EVENTS[:500]))
    nats_server.kill()
    nats_server.start()
    service.comes_to(publish(EVENTS[500:1000]))
    asyncio.run(_delete_consumers(nats_server))
    service.comes_to(publish(EVENTS[1000:]))
    assert service.board == expected_board(EVENTS)
    assert service.said.count("beginning at position 1") == 1
    assert "looking again" in service.said


async def _delete_stream(server: NatsServer) -> None:
    async with connected(server.operator_url, "test") as operator:
        await FeedStream(operator, "main").delete()


async def _restore_older_stream(server: NatsServer) -> None:
    """An empty stream of the same epoch, as an older copy of the server's files would be."""
    async with connected(server.operator_url, "test") as operator:
        stream = FeedStream(operator, "main")
        state = await stream.state()
        assert state is not None
        await stream.delete()
        created = configuration("main", state.epoch, 1)
        await operator.ask("STREAM.CREATE.GONGZHU", created, dict)


async def _delete_consumers(server: NatsServer) -> None:
    async with connected(server.operator_url, "test") as operator:
        names = (await operator.ask("CONSUMER.NAMES.GONGZHU", None, dict))["consumers"]
        assert names
        for name in names:
            await operator.ask(f"CONSUMER.DELETE.GONGZHU.{name}", None, dict)
