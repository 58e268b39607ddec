"""Relay and projections together: every read model equals a fold of the log, or its part is red and says what to do."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.errors import ServersUnavailable
from adapters.feed import PROJECTIONS, Feed, feed_is_running, run_feed
from adapters.health import Health
from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedBroken, FeedStream
from adapters.postgres.generations import schema_of
from adapters.randomness import SystemRandomness
from projections.runner import CannotApply, ProjectionStopped
from tests.support import waiting
from tests.support.feeds import (
    assert_stream_is_log,
    eventually,
    reached,
    relay_of,
    relayed,
    running,
    stream_content,
)
from tests.support.read_models import folded, stored
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(41, matches=8)
SIZE = len(EVENTS)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def fixed(tmp_path: Path, nats_server: NatsServer) -> Iterator[NatsServer]:
    """A server that comes back at the same address."""
    server = NatsServer(tmp_path / "fixed", port=nats_server.port)
    nats_server.stop()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def feed_of(database_url: str, server: NatsServer, **options: Any) -> Feed:
    return Feed(database_url, server.relay_url, server.projections_url, SystemRandomness(), **options)


def assert_read_models_are_folds(log: Log, upto: int | None = None) -> None:
    messages = log_messages(log)[:upto]
    for projection in PROJECTIONS:
        assert stored(log, projection) == folded(projection, messages), projection.name


async def all_reached(feed: Feed, position: int) -> None:
    for health in feed.healths:
        await reached(health, position)


async def red(health: Health) -> str:
    await eventually(lambda: health.state == "red", what=f"{health} turns red")
    return health.error


def part(feed: Feed, name: str) -> Health:
    return next(health for health in feed.healths if health.name == name)


def with_feed(
    database_url: str, server: NatsServer, work: Callable[[Feed], Coroutine[Any, Any, None]]
) -> None:
    """Does `work` while a feed is kept going."""

    async def beside() -> None:
        feed = feed_of(database_url, server)
        async with running(feed.run()):
            await work(feed)

    asyncio.run(beside())


def test_catching_up_publishes_and_projects_all_there_is(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    told: list[tuple[str, int, int]] = []
    for first in range(0, SIZE, 500):
        last = append(log, EVENTS[first : first + 500])
        asyncio.run(feed_of(database_url, nats_server).catch_up(lambda *p: told.append(p)))
        assert_read_models_are_folds(log)
        assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))
        assert {(name, last, last) for name in ("relay", "tables", "leaderboards", "hand_replays")} <= set(
            told
        )


def test_catching_up_on_an_empty_log_is_done_at_once(database_url: str, nats_server: NatsServer) -> None:
    feed = feed_of(database_url, nats_server)
    assert asyncio.run(feed.catch_up()) == 0
    assert [health.state for health in feed.healths] == ["working"] * (1 + len(PROJECTIONS))


def test_several_feeds_at_once_do_no_harm(database_url: str, log: Log, nats_server: NatsServer) -> None:
    async def work() -> None:
        kept = [feed_of(database_url, nats_server) for _ in range(2)]
        async with running(kept[0].run()), running(kept[1].run()):
            for first in range(0, SIZE, 400):
                last = await asyncio.to_thread(append, log, EVENTS[first : first + 400], size=50)
                await feed_of(database_url, nats_server).catch_up()
            for feed in kept:
                for health in feed.healths[1:]:
                    await reached(health, last)

    asyncio.run(work())
    assert_read_models_are_folds(log)
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_others_can_tell_whether_a_feed_is_kept_going(database_url: str, nats_server: NatsServer) -> None:
    assert not feed_is_running(database_url)

    async def work(feed: Feed) -> None:
        await all_reached(feed, 0)
        assert await asyncio.to_thread(feed_is_running, database_url)
        # Whoever asks does not stand in the way of another.
        async with running(feed_of(database_url, nats_server).run()):
            await asyncio.sleep(0)
            assert await asyncio.to_thread(feed_is_running, database_url)

    with_feed(database_url, nats_server, work)
    waiting.eventually(lambda: not feed_is_running(database_url), what="its sessions end")


def test_a_killed_nats_server_loses_nothing_for_busy_and_idle_projections(
    database_url: str, log: Log, fixed: NatsServer
) -> None:
    async def work(feed: Feed) -> None:
        last = 0
        for first in range(0, SIZE, 400):
            if first % 800:
                await all_reached(feed, last)
            fixed.kill()
            last = await asyncio.to_thread(append, log, EVENTS[first : first + 400])
            fixed.start()
        await all_reached(feed, last)

    with_feed(database_url, fixed, work)
    assert_read_models_are_folds(log)
    assert_stream_is_log(database_url, asyncio.run(stream_content(fixed)))


def test_database_sessions_that_end_lose_nothing(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def work(feed: Feed) -> None:
        for first in range(0, SIZE, 300):
            last = await asyncio.to_thread(append, log, EVENTS[first : first + 300])
            log.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await all_reached(feed, last)

    with_feed(database_url, nats_server, work)
    assert_read_models_are_folds(log)


def test_a_deleted_stream_is_made_anew_and_projections_go_on_where_they_stand(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def work(feed: Feed) -> None:
        async with connected(nats_server.operator_url, "operator") as operator:
            stream = FeedStream(operator, "main")
            last = await asyncio.to_thread(append, log, EVENTS[:600])
            await all_reached(feed, last)
            await stream.delete()
            last = await asyncio.to_thread(append, log, EVENTS[600:700])
            await all_reached(feed, last)
            await stream.delete()
            last = await asyncio.to_thread(append, log, EVENTS[700:])
            await all_reached(feed, last)

    with_feed(database_url, nats_server, work)
    assert_read_models_are_folds(log)
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def _tables(projections: Sequence[Any]) -> list[str]:
    return [f"{schema_of(p.name, 1)}.{table.name}" for p in projections for table in p.tables]


def test_a_read_database_restored_to_an_older_backup_is_brought_up_to_date(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    tables = ["projections.checkpoints", *_tables(PROJECTIONS)]

    def back_up() -> None:
        log.execute("CREATE SCHEMA backup")
        for name in tables:
            log.execute(f'CREATE TABLE backup."{name}" AS SELECT * FROM {name}'.encode())  # noqa: S608

    def restore() -> None:
        with log.transaction():
            for name in tables:
                log.execute(f"DELETE FROM {name}".encode())  # noqa: S608
                log.execute(f'INSERT INTO {name} SELECT * FROM backup."{name}"'.encode())  # noqa: S608

    async def work(feed: Feed) -> None:
        last = await asyncio.to_thread(append, log, EVENTS[:500])
        await all_reached(feed, last)
        await asyncio.to_thread(back_up)
        last = await asyncio.to_thread(append, log, EVENTS[500:900])
        await all_reached(feed, last)
        await asyncio.to_thread(restore)
        last = await asyncio.to_thread(append, log, EVENTS[900:])
        await all_reached(feed, last)

    with_feed(database_url, nats_server, work)
    assert_read_models_are_folds(log)


@pytest.mark.parametrize("kept_going", [True, False])
def test_a_log_restored_to_an_older_backup_turns_everything_red_and_changes_no_row(
    database_url: str, log: Log, nats_server: NatsServer, kept_going: bool
) -> None:
    def restore() -> None:
        with log.transaction():
            log.execute("DELETE FROM log.events WHERE position > 300")
            append(log, season(99, matches=1)[:50])

    async def work(feed: Feed) -> None:
        last = await asyncio.to_thread(append, log, EVENTS[:500])
        if kept_going:
            await all_reached(feed, last)
        else:
            await feed_of(database_url, nats_server).catch_up()
        before = [await asyncio.to_thread(stored, log, projection) for projection in PROJECTIONS]
        await asyncio.to_thread(restore)
        async with running(feed.run()):
            assert "gongzhu feed rebuild" in await red(part(feed, "relay"))
            for projection in PROJECTIONS:
                error = await red(part(feed, projection.name))
                assert f"gongzhu projections rebuild {projection.name}" in error
                assert "position 500" in error
        assert [stored(log, projection) for projection in PROJECTIONS] == before

    if kept_going:
        with_feed(database_url, nats_server, work)
    else:
        asyncio.run(work(feed_of(database_url, nats_server)))


def test_what_the_stream_has_beyond_the_log_is_not_applied(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    """The log and the read models were restored together, to before what the stream has."""

    async def work() -> None:
        append(log, EVENTS[:400])
        await feed_of(database_url, nats_server).catch_up()
        append(log, EVENTS[400:500])
        await relayed(database_url, nats_server, 500)
        log.execute("DELETE FROM log.events WHERE position > 400")
        feed = feed_of(database_url, nats_server)
        async with running(feed.run()):
            for health in feed.healths:
                assert "gongzhu feed rebuild" in await red(health)

    asyncio.run(work())
    assert_read_models_are_folds(log)


def test_a_foreign_message_stops_every_projection_before_it(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def work() -> None:
        append(log, EVENTS[:200])
        feed = feed_of(database_url, nats_server)
        await feed.catch_up()
        async with connected(nats_server.relay_url, "foreign") as connection:
            await connection.client.request("gongzhu.v1.x.CardsPlayed", b"{}", timeout=5)
        append(log, EVENTS[200:300])
        with pytest.raises((FeedBroken, ProjectionStopped), match="gongzhu feed rebuild"):
            await feed.catch_up()

    asyncio.run(work())
    assert_read_models_are_folds(log, 200)


def test_another_message_at_the_checkpoint_stops_the_projection(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def work() -> None:
        append(log, EVENTS[:200])
        feed = feed_of(database_url, nats_server)
        await feed.catch_up()
        async with connected(nats_server.operator_url, "operator") as operator:
            await FeedStream(operator, "main").delete()
        with log.transaction():
            # A stream of another history, and the log as it was.
            log.execute("CREATE TEMP TABLE kept AS SELECT * FROM log.events")
            log.execute("DELETE FROM log.events")
            other = append(log, season(98, matches=4))
            assert other > 200
        async with connected(nats_server.relay_url, "relay") as connection:
            await relay_of(database_url, connection).run(other)
        with log.transaction():
            log.execute("DELETE FROM log.events")
            log.execute("INSERT INTO log.events SELECT * FROM kept")
        async with running(feed.run()):
            for health in feed.healths[1:]:
                error = await red(health)
                assert "has another message 200" in error
                assert "gongzhu feed rebuild" in error

    asyncio.run(work())
    assert_read_models_are_folds(log, 200)


def test_a_projection_that_stops_leaves_the_others_running_and_goes_on_once_put_right(
    database_url: str, log: Log, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.feed._AGAIN_S", 0.1)
    rated = {"fails": True}
    rate = __import__("projections.leaderboards.ratings", fromlist=["rate"]).rate

    def failing(*arguments: Any) -> None:
        if rated["fails"]:
            raise ZeroDivisionError("not today")
        rate(*arguments)

    monkeypatch.setattr("projections.leaderboards.ratings.rate", failing)

    async def work(feed: Feed) -> None:
        last = await asyncio.to_thread(append, log, EVENTS)
        error = await red(part(feed, "leaderboards"))
        assert "ZeroDivisionError: not today" in error
        assert "MatchSettled.1" in error
        for name in ("relay", "tables", "hand_replays"):
            await reached(part(feed, name), last)
        rated["fails"] = False
        await eventually(lambda: part(feed, "leaderboards").state == "working", what="it goes on")
        await all_reached(feed, last)

    with_feed(database_url, nats_server, work)
    assert_read_models_are_folds(log)


def test_an_event_nobody_knows_stops_catching_up_with_its_place(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    append(log, EVENTS[:100])
    log.execute("UPDATE log.events SET tag = 'MatchPostponed.7' WHERE position = 60")
    feed = feed_of(database_url, nats_server)
    with pytest.raises(CannotApply, match=r"position 60: match .*MatchPostponed\.7: unknown tag"):
        asyncio.run(feed.catch_up())
    assert "red" in {health.state for health in feed.healths[1:]}


def test_servers_that_are_away_are_one_clear_line(
    database_url: str, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.nats.connection._REFUSED_WITHIN_S", 0.1)
    monkeypatch.setattr("adapters.feed._DATABASE_WITHIN_S", 0.1)
    url, nats_url = database_url, nats_server.relay_url
    nats_server.stop()
    away = "postgresql://nobody@127.0.0.1:1/none"
    for until in (True, False):
        with pytest.raises(ServersUnavailable, match="NATS at"):
            asyncio.run(run_feed(url, nats_url, nats_url, SystemRandomness(), until_caught_up=until))
        with pytest.raises(ServersUnavailable, match="PostgreSQL is away"):
            asyncio.run(run_feed(away, nats_url, nats_url, SystemRandomness(), until_caught_up=until))
    with pytest.raises(ServersUnavailable, match="PostgreSQL cannot be reached") as refused:
        feed_is_running(away)
    assert "\n" not in str(refused.value)
