"""Relays and streams as tests drive them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any, TypeVar

import psycopg

from adapters import processes
from adapters.health import Health
from adapters.nats.connection import NatsConnection, connected
from adapters.nats.launcher import NatsServer
from adapters.nats.relay import Relay
from adapters.nats.stream import FeedStream, StoredMessage
from adapters.randomness import SystemRandomness
from tests.support.stored_matches import stored_rows

T = TypeVar("T")


async def eventually(look: Callable[[], T], *, within_s: float = 30, what: str = "") -> T:
    """What `look` gives as soon as that is true, without blocking the loop; fails if it is not so in time."""
    last: list[T] = []
    deadline = asyncio.get_running_loop().time() + within_s
    for _ in count():
        last[:] = [look()]
        if last[0] or asyncio.get_running_loop().time() > deadline:
            break
        await asyncio.sleep(processes.POLL_S)
    assert last[0], f"not within {within_s} s: {what or look}"
    return last[0]


async def reached(health: Health, position: int) -> None:
    """Waits until a part of the feed works at this position; fails if it stops instead."""
    await eventually(
        lambda: health.state == "red" or (health.state == "working" and health.position >= position),
        what=f"{health.name} at {position}",
    )
    assert health.state == "working", health


@asynccontextmanager
async def running(work: Coroutine[Any, Any, Any]) -> AsyncIterator["asyncio.Task[Any]"]:
    """Work that goes on beside the block and is cancelled at its end; what it raised comes out there."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def relay_of(database_url: str, connection: NatsConnection, **options: Any) -> Relay:
    """A relay of the log `main`, quick to look again."""
    return Relay(database_url, connection, "main", SystemRandomness(), **{"poll_s": 0.1, **options})


async def relayed(database_url: str, server: NatsServer, until: int, **options: Any) -> Relay:
    """A relay that has brought the stream to `until`."""
    async with connected(server.relay_url, "test relay") as connection:
        relay = relay_of(database_url, connection, **options)
        await relay.run(until)
        return relay


async def stream_content(server: NatsServer, log: str = "main") -> list[StoredMessage]:
    """Every message of the stream, by sequence."""
    async with connected(server.relay_url, "test") as connection:
        stream = FeedStream(connection, log)
        state = await stream.state()
        assert state is not None
        messages = await stream.messages(1, state.last)
        assert None not in messages
        return [message for message in messages if message is not None]


def assert_stream_is_log(database_url: str, content: list[StoredMessage]) -> None:
    """The stream has each row of the log once, in order, byte for byte."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        rows = stored_rows(connection)
    assert [message.sequence for message in content] == [row.position for row in rows]
    assert [message.body for message in content] == [row.public for row in rows]
    assert [message.headers["ce-rowdigest"] for message in content] == [row.digest.hex() for row in rows]
