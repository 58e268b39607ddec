"""Readers that share a consumer each get every message once and in order, at whatever pace they go."""

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest

from adapters.nats.connection import connected
from adapters.nats.launcher import NatsServer
from adapters.nats.shared_reading import FeedReader, SharedFeed
from projections.messages import Message
from tests.support.feeds import relayed
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(61, matches=10)


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


async def read(reader: FeedReader, start: int, until: int, limits: Random) -> list[Message]:
    """Reads as a worker does, pausing now and then while it applies what it got."""
    found: list[Message] = []
    async with asyncio.timeout(30):
        while start + len(found) < until:
            found += await reader.after(start + len(found), limits.choice([1, 20, 100, 400]), 0.5)
            if limits.random() < 0.3:
                await asyncio.sleep(limits.random() / 100)
    return found


@pytest.mark.parametrize("most_kept", [450, 1000, 100_000])
@pytest.mark.parametrize("starts", [(0, 0, 0), (0, 0, 700), (900, 0, 450), (5, 6, 7)])
def test_each_reader_gets_every_message_once_and_in_order(
    database_url: str,
    log: psycopg.Connection[Any],
    nats_server: NatsServer,
    most_kept: int,
    starts: tuple[int, ...],
) -> None:
    last = append(log, EVENTS)
    expected = [m.digest for m in log_messages(log)]

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            shared = SharedFeed(connection, "main", most_kept=most_kept)
            readers = [shared.reader() for _ in starts]
            all_found = await asyncio.gather(
                *[
                    read(reader, start, last, Random(number))
                    for number, (reader, start) in enumerate(zip(readers, starts, strict=True))
                ]
            )
            for start, found in zip(starts, all_found, strict=True):
                assert [m.position for m in found] == list(range(start + 1, last + 1))
                assert [m.digest for m in found] == expected[start:]
            for reader in readers:
                await reader.close()
            await shared.close()

    asyncio.run(work())


def test_one_that_stands_still_does_not_stop_the_others(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS)

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            shared = SharedFeed(connection, "main", most_kept=500)
            still, moving = shared.reader(), shared.reader()
            first = await still.after(0, 10, 5)
            found = await read(moving, 0, last, Random(1))
            assert len(found) == last
            rest = await read(still, len(first), last, Random(2))
            assert [m.position for m in [*first, *rest]] == list(range(1, last + 1))
            await still.close()
            await moving.close()
            await shared.close()

    asyncio.run(work())


def test_the_last_reader_left_may_go_anywhere(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:300])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.projections_url, "test") as connection:
            shared = SharedFeed(connection, "main")
            gone, left = shared.reader(), shared.reader()
            await read(gone, 250, last, Random(1))
            await gone.close()
            assert len(await read(left, 0, last, Random(2))) == last
            await left.close()
            await shared.close()

    asyncio.run(work())
