"""The feed as lines: byte for byte, from any position, and never on into a stream of another epoch."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import msgspec
import psycopg
import pytest

from adapters.feed_status import FeedStatus, feed_status
from adapters.nats.connection import connected
from adapters.nats.feed_lines import FeedLine, FeedLines, NewEpoch
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedBroken, FeedStream
from adapters.postgres.log_reader import LogReader
from adapters.serialization import decode_row
from tests.support.feeds import relay_of, relayed
from tests.support.stored_matches import append, season, stored_rows

EVENTS = season(7, matches=8)
Reading = Callable[[FeedLines], AsyncGenerator[list[FeedLine], None]]


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


async def _read(
    server: NatsServer, reading: Reading, count: int | None = None, **options: Any
) -> list[FeedLine]:
    """What reading gives, or the first `count` lines of it."""
    found: list[FeedLine] = []
    async with (
        asyncio.timeout(30),
        connected(server.reader_url, "test") as connection,
        aclosing(reading(FeedLines(connection, "main", **options))) as batches,
    ):
        async for batch in batches:
            found += batch
            if count is not None and len(found) >= count:
                break
    return found


@pytest.mark.parametrize("first", [1, 2, 501, 1300])
def test_lines_are_the_logs_bytes_from_any_position(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer, first: int
) -> None:
    last = append(log, EVENTS)
    asyncio.run(relayed(database_url, nats_server, last))
    lines = asyncio.run(_read(nats_server, lambda lines: lines.caught_up(first)))
    rows = stored_rows(log, first)
    assert [line.body for line in lines] == [row.public for row in rows]
    assert [line.position for line in lines] == list(range(first, last + 1))
    told = msgspec.json.decode(msgspec.json.encode(lines[0]))
    assert told == {"position": first, "epoch": lines[0].epoch, "event": msgspec.json.decode(rows[0].public)}


def test_catching_up_with_nothing_new_gives_nothing(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:10])
    asyncio.run(relayed(database_url, nats_server, last))
    assert asyncio.run(_read(nats_server, lambda lines: lines.caught_up(last + 1))) == []


def test_following_goes_on_as_events_come(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> list[FeedLine]:
        await relayed(database_url, nats_server, await asyncio.to_thread(append, log, EVENTS[:100]))
        reading = asyncio.ensure_future(_read(nats_server, lambda lines: lines.for_ever(91), 110))
        for start in range(100, 200, 20):
            last = await asyncio.to_thread(append, log, EVENTS[start : start + 20])
            await relayed(database_url, nats_server, last)
        return await reading

    assert [line.position for line in asyncio.run(work())][:110] == list(range(91, 201))


def test_following_survives_a_killed_server(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    troubles: list[str] = []

    async def work() -> list[FeedLine]:
        await relayed(database_url, nats_server, await asyncio.to_thread(append, log, EVENTS[:100]))
        seen = asyncio.Event()

        async def follow() -> list[FeedLine]:
            found: list[FeedLine] = []
            async with connected(nats_server.reader_url, "test") as connection:
                lines = FeedLines(connection, "main", on_trouble=troubles.append)
                async with aclosing(lines.for_ever(1)) as batches:
                    async for batch in batches:
                        found += batch
                        seen.set()
                        if len(found) >= 150:
                            return found
            raise AssertionError

        following = asyncio.ensure_future(follow())
        await seen.wait()
        nats_server.kill()
        nats_server.start()
        last = await asyncio.to_thread(append, log, EVENTS[100:150])
        await relayed(database_url, nats_server, last)
        async with asyncio.timeout(30):
            return await following

    assert [line.position for line in asyncio.run(work())] == list(range(1, 151))


def test_stream_of_another_epoch_is_not_read_on(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> None:
        last = await asyncio.to_thread(append, log, EVENTS[:100])
        await relayed(database_url, nats_server, last)
        seen = asyncio.Event()
        async with connected(nats_server.reader_url, "test") as connection:
            lines = FeedLines(connection, "main")

            async def follow() -> None:
                async with aclosing(lines.for_ever(1)) as batches:
                    async for _ in batches:
                        seen.set()

            following = asyncio.ensure_future(follow())
            await seen.wait()
            await _replace_stream(database_url, nats_server, last)
            async with asyncio.timeout(30):
                await following

    with pytest.raises(NewEpoch, match="begin again at position 1"):
        asyncio.run(work())


async def _replace_stream(database_url: str, server: NatsServer, last: int) -> None:
    async with (
        connected(server.operator_url, "operator") as operator,
        connected(server.relay_url, "relay") as relay,
    ):
        await FeedStream(operator, "main").delete()
        await relay_of(database_url, relay).run(last)


def test_epoch_that_was_expected_is_asked_for(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    asyncio.run(relayed(database_url, nats_server, append(log, EVENTS[:10])))
    lines = asyncio.run(_read(nats_server, lambda lines: lines.caught_up(1)))
    again = asyncio.run(_read(nats_server, lambda lines: lines.caught_up(1), epoch=lines[0].epoch))
    assert again == lines
    with pytest.raises(NewEpoch, match=f"epoch {lines[0].epoch}, it was 00ff"):
        asyncio.run(_read(nats_server, lambda lines: lines.caught_up(1), epoch="00ff"))


def test_no_stream_is_one_clear_line(nats_server: NatsServer) -> None:
    with pytest.raises(FeedBroken, match="there is no stream GONGZHU yet"):
        asyncio.run(_read(nats_server, lambda lines: lines.caught_up(1)))


def test_foreign_message_is_not_shown_as_an_event(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    asyncio.run(relayed(database_url, nats_server, append(log, EVENTS[:10])))
    asyncio.run(_publish_foreign(nats_server))
    with pytest.raises(FeedBroken, match="message 11 of the stream is not of a feed"):
        asyncio.run(_read(nats_server, lambda lines: lines.caught_up(1)))


async def _publish_foreign(server: NatsServer) -> None:
    async with connected(server.relay_url, "test") as relay:
        await relay.client.request("gongzhu.v1.0.CardsPlayed", b"{}", timeout=5)


def _status(database_url: str, server: NatsServer, log: psycopg.Connection[Any], late_s: float) -> FeedStatus:
    """The status, `late_s` seconds after the last event."""
    rows = stored_rows(log)

    async def ask() -> FeedStatus:
        async with connected(server.reader_url, "test") as connection, LogReader(database_url) as reader:
            now = decode_row(rows[-1]).at + timedelta(seconds=late_s)
            return await feed_status(connection, reader, "main", now)

    return asyncio.run(ask())


def test_status_tells_log_and_stream_apart(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:10])
    none = _status(database_url, nats_server, log, 5)
    assert (none.standing, none.lag, none.epoch, none.last, none.log_last) == ("no stream", 10, None, 0, 10)
    asyncio.run(relayed(database_url, nats_server, 10))
    level = _status(database_url, nats_server, log, 5)
    assert (level.standing, level.lag, level.lag_s, level.last) == ("in step", 0, 0, 10)
    append(log, EVENTS[10:11])
    behind = _status(database_url, nats_server, log, 5)
    assert (behind.standing, behind.lag, behind.lag_s) == ("behind", 1, 5)
    assert behind.epoch == level.epoch
    log.execute("DELETE FROM log.events WHERE position > 8")
    shorter = _status(database_url, nats_server, log, 5)
    assert (shorter.standing, shorter.lag) == ("broken", 0)


def test_message_that_is_another_than_the_logs_shows_in_the_status(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:11])
    asyncio.run(relayed(database_url, nats_server, 11))
    log.execute("DELETE FROM log.events WHERE position = 11")
    append(log, season(8, matches=1)[:1])
    assert _status(database_url, nats_server, log, 0).standing == "broken"
