"""`gongzhu status`: how everything stands, and what is red with what to do."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from adapters.command_line import status
from adapters.feed import PROJECTIONS, run_feed
from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream
from adapters.randomness import SystemRandomness
from tests.support.read_models_built import command
from tests.support.stored_matches import append, season

EVENTS = season(101, matches=3)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str, nats_server: NatsServer) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, EVENTS)
        work = run_feed(
            database_url,
            nats_server.relay_url,
            nats_server.projections_url,
            SystemRandomness(),
            until_caught_up=True,
        )
        asyncio.run(work)
        yield connection


def told(database_url: str, nats: NatsServer, exit_code: int) -> Any:
    found = command(database_url, status, "status", "--json", nats=nats)
    assert found.exit_code == exit_code, found.output
    return json.loads(found.stdout)


def test_all_is_well_and_lags_are_told_in_events_and_seconds(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    found = told(database_url, nats_server, 0)
    assert (found["log_last"], found["feed"]["last"], found["red"]) == (len(EVENTS), len(EVENTS), [])
    assert (found["served"], found["relay"]) == (False, "not running")
    assert [one["behind"] for one in found["projections"]] == [0] * len(PROJECTIONS)
    assert {one["epoch"] for one in found["projections"]} == {found["feed"]["epoch"]}
    last = append(log, season(102, matches=1))
    found = told(database_url, nats_server, 0)
    assert found["feed"]["lag"] == last - len(EVENTS)
    assert {one["behind"] for one in found["projections"]} == {last - len(EVENTS)}
    assert all(one["behind_s"] >= 0 for one in found["projections"])


def test_stuck_projection_is_red_with_its_event(database_url: str, log: Log, nats_server: NatsServer) -> None:
    append(log, season(102, matches=1))
    next_position = len(EVENTS) + 1
    log.execute("UPDATE log.events SET tag = 'Nonsense.1' WHERE position = %s", [next_position])
    found = told(database_url, nats_server, 1)
    assert len(found["red"]) == len(PROJECTIONS)
    assert all(f"position {next_position}" in wrong and "Nonsense.1" in wrong for wrong in found["red"])


def test_log_put_back_is_red_for_relay_and_projections(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    log.execute("DELETE FROM log.events WHERE position > 20")
    found = told(database_url, nats_server, 1)
    assert found["relay"] == "red"
    assert "gongzhu feed rebuild" in found["red"][0]
    assert len(found["red"]) == 1 + len(PROJECTIONS)


def test_stream_that_is_gone_is_told_and_not_red(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def delete() -> None:
        async with connected(nats_server.operator_url, "test") as connection:
            await FeedStream(connection, "main").delete()

    asyncio.run(delete())
    assert told(database_url, nats_server, 0)["feed"]["standing"] == "no stream"
    shown = command(database_url, status, "status", nats=nats_server)
    assert "no stream" in shown.stdout
    assert log.closed is False
