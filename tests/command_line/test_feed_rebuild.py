"""`gongzhu feed rebuild`: from a stream that is not the log to a new one, while projections go on."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import psycopg
import pytest

from adapters.command_line import feed
from adapters.feed import PROJECTIONS, run_feed
from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream, configuration
from adapters.randomness import SystemRandomness
from tests.support.feeds import assert_stream_is_log, stream_content
from tests.support.read_models import folded, stored
from tests.support.read_models_built import command
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(91, matches=3)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, EVENTS)
        yield connection


def catch_up(database_url: str, nats: NatsServer) -> None:
    work = run_feed(
        database_url, nats.relay_url, nats.projections_url, SystemRandomness(), until_caught_up=True
    )
    asyncio.run(work)


async def _publish_foreign(nats: NatsServer) -> None:
    async with connected(nats.relay_url, "test") as connection:
        await connection.client.request(
            "gongzhu.v1.0.CardsPlayed", b"{}", headers={"ce-rowdigest": "00"}, timeout=5
        )


async def _purge(nats: NatsServer) -> None:
    """Leaves the stream as a purge would, which it refuses: no messages, and their numbers are not used again."""
    async with (
        connected(nats.operator_url, "operator") as operator,
        connected(nats.relay_url, "relay") as relay,
    ):
        await FeedStream(operator, "main").delete()
        left = {**configuration("main", "abcd", 1), "first_seq": len(EVENTS) + 1}
        await relay.ask("STREAM.CREATE.GONGZHU", left, dict)


@pytest.mark.parametrize("harm", [_publish_foreign, _purge])
def test_what_is_not_the_log_is_red_until_the_feed_is_rebuilt(
    harm: Callable[[NatsServer], Coroutine[Any, Any, None]],
    database_url: str,
    log: Log,
    nats_server: NatsServer,
) -> None:
    catch_up(database_url, nats_server)
    asyncio.run(harm(nats_server))
    red = command(database_url, feed, "feed", "status", "--json", nats=nats_server)
    assert red.exit_code == 1
    assert "run `gongzhu feed rebuild`" in red.stderr
    before = json.loads(red.stdout)
    made = json.loads(command(database_url, feed, "feed", "rebuild", "--json", nats=nats_server).stdout)
    assert made["epoch"] != before["epoch"]
    assert made["last"] == len(EVENTS)
    green = command(database_url, feed, "feed", "status", nats=nats_server)
    assert green.exit_code == 0, green.output
    append(log, season(92, matches=1))
    catch_up(database_url, nats_server)
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))
    for projection in PROJECTIONS:
        assert stored(log, projection) == folded(projection, log_messages(log)), projection.name


def test_rebuilding_makes_a_stream_where_there_is_none(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    made = command(database_url, feed, "feed", "rebuild", nats=nats_server)
    assert made.exit_code == 0, made.output
    assert f"last sequence {len(EVENTS)}" in made.stdout
    assert len(log_messages(log)) == len(EVENTS)
