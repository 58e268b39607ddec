"""A reader gets every message once and in order from where it asks on, whatever happens to server or consumer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.nats import consumer as consumers
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection, connected
from adapters.nats.consumer import FeedConsumer
from adapters.nats.launcher import NatsServer
from adapters.nats.publishing import Publisher
from adapters.nats.stream import FeedBroken, FeedStream
from adapters.randomness import SystemRandomness
from adapters.serialization import Row
from domain.errors import BrokenLog
from projections.messages import Message
from tests.support.feeds import relayed
from tests.support.stored_matches import append, log_messages, season, stored_rows

EVENTS = season(31, matches=6)


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
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


async def read(consumer: FeedConsumer, after: int, until: int, limit: int = 500) -> list[Message]:
    """Messages from `after + 1` to `until`, patient with a server that is away for a moment."""
    found: list[Message] = []
    async with asyncio.timeout(30):
        while after + len(found) < until:
            try:
                found += await consumer.after(after + len(found), limit, 1)
            except (NatsAway, JetStreamRefused):
                await asyncio.sleep(0.02)
    return found


def same_as_log(messages: list[Message], log: psycopg.Connection[Any], first: int = 1) -> bool:
    expected = log_messages(log, first)[: len(messages)]
    plain = [(m.position, m.sequence, m.match, m.version, m.tag, m.digest, m.event) for m in messages]
    return plain == [(m.position, m.sequence, m.match, m.version, m.tag, m.digest, m.event) for m in expected]


@pytest.mark.parametrize("limit", [1, 7, 5000])
@pytest.mark.parametrize("pull", [3, 1000])
def test_messages_come_once_in_order_and_decoded_like_the_log(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer, limit: int, pull: int
) -> None:
    last = append(log, EVENTS[:400])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main", pull=pull)
            messages = await read(consumer, 0, last, limit)
            assert same_as_log(messages, log)
            assert len({m.epoch for m in messages}) == 1
            assert await consumer.after(last, 10, 0.05) == []
            assert consumer.created == 1
            await consumer.close()

    asyncio.run(work())


def test_a_reader_may_begin_anywhere_and_go_back(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:300])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            for start in (200, 0, 299, 150, 300):
                found = await consumer.after(start, 50, 0.3)
                assert [m.position for m in found] == list(range(start + 1, start + 1 + len(found)))
                assert bool(found) == (start < last)
            await consumer.close()

    asyncio.run(work())


def test_what_is_published_while_it_waits_comes_at_once(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:10])

    async def work() -> None:
        await relayed(database_url, nats_server, 10)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            assert await consumer.after(10, 10, 0.05) == []
            waiting = asyncio.ensure_future(consumer.after(10, 10, 3600))
            await asyncio.to_thread(append, log, EVENTS[10:20])
            await relayed(database_url, nats_server, 20)
            async with asyncio.timeout(10):
                assert (await waiting)[0].position == 11
            await consumer.close()

    asyncio.run(work())


async def _only_consumer(connection: NatsConnection) -> str:
    names = await connection.ask("CONSUMER.NAMES.GONGZHU", None, dict)
    (name,) = names["consumers"]
    return str(name)


def test_a_deleted_consumer_is_made_anew_where_the_reader_stands(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:300])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with (
            connected(nats_server.projections_url, "test") as connection,
            connected(nats_server.operator_url, "operator") as operator,
        ):
            consumer = FeedConsumer(connection, "main", pull=40)
            first = await read(consumer, 0, 100, 20)
            name = await _only_consumer(operator)
            await operator.ask(f"CONSUMER.DELETE.GONGZHU.{name}", None, dict)
            rest = await read(consumer, len(first), last, 20)
            assert same_as_log(first + rest, log)
            # Also when nothing is left to read: it does not stay deaf.
            name = await _only_consumer(operator)
            await operator.ask(f"CONSUMER.DELETE.GONGZHU.{name}", None, dict)
            waiting = asyncio.ensure_future(read(consumer, last, last + 50))
            await asyncio.to_thread(append, log, EVENTS[300:350])
            await relayed(database_url, nats_server, last + 50)
            assert same_as_log(await waiting, log, last + 1)
            assert consumer.created == 3
            await consumer.close()

    asyncio.run(work())


@pytest.mark.parametrize("idle", [True, False])
def test_a_killed_server_is_read_on_from_where_the_reader_stands(
    database_url: str, log: psycopg.Connection[Any], fixed: NatsServer, idle: bool
) -> None:
    last = append(log, EVENTS[:300])

    async def work() -> None:
        await relayed(database_url, fixed, last)
        async with connected(fixed.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main", pull=40)
            found = await read(consumer, 0, last if idle else 120, 20)
            for part in range(3):
                fixed.kill()
                fixed.start()
                await asyncio.to_thread(append, log, EVENTS[300 + 40 * part : 340 + 40 * part])
                await relayed(database_url, fixed, 340 + 40 * part)
                found += await read(consumer, len(found), 340 + 40 * part, 20)
            assert same_as_log(found, log)
            await consumer.close()

    asyncio.run(work())


def test_a_consumer_that_falls_silent_is_made_anew(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "_SILENCE_S", 0.2)
    monkeypatch.setattr(consumers, "_HEARTBEAT_S", 0.1)
    last = append(log, EVENTS[:20])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            await read(consumer, 0, last)
            receive = consumer._receive
            monkeypatch.setattr(consumer, "_receive", lambda _: None)
            with pytest.raises(NatsAway, match="does not last: no heartbeat"):
                await consumer.after(last, 10, 5)
            assert consumer.created > 1
            monkeypatch.setattr(consumer, "_receive", receive)
            await asyncio.to_thread(append, log, EVENTS[20:40])
            await relayed(database_url, nats_server, 40)
            assert same_as_log(await read(consumer, last, 40), log, last + 1)
            await consumer.close()

    asyncio.run(work())


def test_a_lost_delivery_is_a_gap_and_read_again(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = append(log, EVENTS[:200])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            receive, lost = consumer._receive, {50, 51, 120}

            def losing(message: Any) -> None:
                if message.data and message.metadata.sequence.stream in lost:
                    lost.discard(message.metadata.sequence.stream)
                    return
                receive(message)

            monkeypatch.setattr(consumer, "_receive", losing)
            assert same_as_log(await read(consumer, 0, last, 30), log)
            assert not lost
            assert consumer.created > 1
            await consumer.close()

    asyncio.run(work())


def test_a_stream_without_the_next_message_is_broken_and_not_skipped_over(
    log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:50])
    rows = stored_rows(log)

    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            stream = FeedStream(connection, "main")
            await connection.ask(
                f"STREAM.CREATE.{stream.name}", {**stream._configuration("abcd"), "first_seq": 41}, dict
            )
            async with Publisher(connection, stream.name, "main") as publisher:
                await publisher.publish(rows[40:], "abcd")
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            with pytest.raises(FeedBroken, match="lacks message 11; run `gongzhu feed rebuild`"):
                await consumer.after(10, 100, 5)
            assert [m.position for m in await consumer.after(40, 100, 5)] == list(range(41, 51))
            await consumer.close()

    asyncio.run(work())


def test_a_foreign_message_is_shown_as_what_it_is(
    log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:3])
    rows: list[Row] = stored_rows(log)

    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            stream = FeedStream(connection, "main")
            state = await stream.create(SystemRandomness())
            async with Publisher(connection, stream.name, "main") as publisher:
                await publisher.publish(rows, state.epoch)
            await connection.client.request("gongzhu.v1.x.CardsPlayed", b"hello", timeout=5)
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            messages = await read(consumer, 0, 4)
            assert [m.sequence for m in messages] == [1, 2, 3, 0]
            assert isinstance(messages[3].event, BrokenLog)
            await consumer.close()

    asyncio.run(work())


def test_no_stream_is_worth_waiting_for(nats_server: NatsServer) -> None:
    async def work() -> None:
        async with connected(nats_server.projections_url, "test") as connection:
            consumer = FeedConsumer(connection, "main")
            with pytest.raises(JetStreamRefused, match="stream not found"):
                await consumer.after(0, 10, 1)

    asyncio.run(work())
