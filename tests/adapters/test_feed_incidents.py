"""What happens to servers behind the feed's back: it goes on right within 30 s, or stops, red, without a wrong row."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from adapters.feed import PROJECTIONS, Feed
from adapters.health import Patience
from adapters.nats.connection import NatsConnection, connected
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream, configuration
from adapters.randomness import SystemRandomness
from tests.support.feeds import assert_stream_is_log, eventually, reached, running, stream_content
from tests.support.read_models import folded, stored
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(47, matches=6)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def feed(database_url: str, nats_server: NatsServer) -> Feed:
    return Feed(database_url, nats_server.relay_url, nats_server.projections_url, SystemRandomness())


class _Config(msgspec.Struct):
    opt_start_seq: int = 0


class _Consumer(msgspec.Struct):
    name: str
    config: _Config


class _Consumers(msgspec.Struct):
    consumers: list[_Consumer] | None = None


async def consumers(operator: NatsConnection) -> list[_Consumer]:
    """The stream's consumers; `config.opt_start_seq` is where one was to begin."""
    found = await operator.ask("CONSUMER.LIST.GONGZHU", None, _Consumers)
    return found.consumers or []


async def all_reached(feed: Feed, position: int) -> None:
    """Every part works at a position, within 30 s."""
    for health in feed.healths:
        await reached(health, position)


def assert_all_is_the_log(database_url: str, log: Log, server: NatsServer) -> None:
    messages = log_messages(log)
    for projection in PROJECTIONS:
        assert stored(log, projection) == folded(projection, messages), projection.name
    assert_stream_is_log(database_url, asyncio.run(stream_content(server)))


@pytest.mark.parametrize("grown", [True, False], ids=["log grown since", "log as it was"])
def test_an_older_copy_of_the_nats_store_put_back_is_filled_up_again(
    database_url: str, log: Log, nats_server: NatsServer, feed: Feed, tmp_path: Path, grown: bool
) -> None:
    store, copy = tmp_path / "nats-server" / "store", tmp_path / "copy"

    async def work() -> None:
        async with running(feed.run()):
            last = await asyncio.to_thread(append, log, EVENTS[:400])
            await all_reached(feed, last)
            nats_server.stop()
            shutil.copytree(store, copy)
            nats_server.start()
            last = await asyncio.to_thread(append, log, EVENTS[400:700])
            await all_reached(feed, last)
            nats_server.kill()
            shutil.rmtree(store)
            copy.rename(store)
            if grown:
                last = await asyncio.to_thread(append, log, EVENTS[700:])
            nats_server.start()
            await stream_has(nats_server, last)
            await all_reached(feed, last)

    asyncio.run(work())
    assert_all_is_the_log(database_url, log, nats_server)


def test_a_stream_deleted_while_nothing_happens_is_made_anew(
    database_url: str, log: Log, nats_server: NatsServer, feed: Feed
) -> None:
    async def work() -> None:
        last = append(log, EVENTS[:300])
        async with running(feed.run()), connected(nats_server.operator_url, "operator") as operator:
            await all_reached(feed, last)
            await FeedStream(operator, "main").delete()
            await stream_has(nats_server, last)
            await all_reached(feed, last)

    asyncio.run(work())
    assert_all_is_the_log(database_url, log, nats_server)


async def stream_has(server: NatsServer, position: int) -> None:
    """Waits until the stream is filled up to a position."""
    async with connected(server.operator_url, "operator") as operator:
        stream, patience = FeedStream(operator, "main"), Patience(30)
        while (state := await stream.state()) is None or state.last < position:
            await patience.wait(AssertionError(f"the stream stands at {state}, not at {position}"))


def test_a_purged_stream_turns_everything_red_and_changes_no_row(
    log: Log, nats_server: NatsServer, feed: Feed
) -> None:
    async def work() -> None:
        last = append(log, EVENTS[:500])
        await feed.catch_up()
        async with (
            connected(nats_server.operator_url, "operator") as operator,
            connected(nats_server.relay_url, "relay") as relay,
        ):
            # As a purge leaves it, which the stream itself refuses: no messages, and their numbers are not used again.
            await FeedStream(operator, "main").delete()
            left = {**configuration("main", "abcd", 1), "first_seq": last + 1}
            await relay.ask("STREAM.CREATE.GONGZHU", left, dict)
        before = [stored(log, projection) for projection in PROJECTIONS]
        append(log, EVENTS[500:600])
        async with running(feed.run()):
            for health in feed.healths:
                await eventually(lambda health=health: health.state == "red", what=f"{health}")  # type: ignore[misc]
                assert "gongzhu feed rebuild" in health.error
        assert [stored(log, projection) for projection in PROJECTIONS] == before

    asyncio.run(work())


def test_idle_projections_go_on_after_their_consumers_are_gone_without_reading_from_one_again(
    database_url: str, log: Log, nats_server: NatsServer, feed: Feed
) -> None:
    async def work() -> None:
        async with running(feed.run()), connected(nats_server.operator_url, "operator") as operator:
            last = await asyncio.to_thread(append, log, EVENTS[:400])
            await all_reached(feed, last)
            for consumer in await consumers(operator):
                await operator.ask(f"CONSUMER.DELETE.GONGZHU.{consumer.name}", None, dict)
            await assert_goes_on(operator, last, EVENTS[400:500])

    async def assert_goes_on(operator: NatsConnection, stood: int, events: Any) -> None:
        last = await asyncio.to_thread(append, log, events)
        await all_reached(feed, last)
        made = await consumers(operator)
        assert made
        assert all(consumer.config.opt_start_seq > stood for consumer in made)

    asyncio.run(work())
    assert_all_is_the_log(database_url, log, nats_server)


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "restarted"])
def test_idle_projections_go_on_after_nats_is_back_without_reading_from_one_again(
    database_url: str, log: Log, nats_server: NatsServer, feed: Feed, killed: bool
) -> None:
    async def work() -> None:
        async with running(feed.run()):
            last = await asyncio.to_thread(append, log, EVENTS[:400])
            await all_reached(feed, last)
            for first in (400, 500):
                stood = last
                (nats_server.kill if killed else nats_server.stop)()
                nats_server.start()
                last = await asyncio.to_thread(append, log, EVENTS[first : first + 100])
                await all_reached(feed, last)
                async with connected(nats_server.operator_url, "operator") as operator:
                    made = await consumers(operator)
                assert made
                assert all(consumer.config.opt_start_seq > stood for consumer in made)

    asyncio.run(work())
    assert_all_is_the_log(database_url, log, nats_server)
