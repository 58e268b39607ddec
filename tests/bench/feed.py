"""Messages a second into and out of the feed: our relay and consumer, and nats-py doing the same.

The relay reads the log and publishes; nats-py gets the same messages, subjects and headers ready in memory and
publishes them in gathers of `js.publish`, with the condition on the sequence (`nats_py`) and without it
(`nats_py_plain`, which may store a message twice or out of place). Our consumer decodes every event; nats-py's only
fetches. The server writes to memory where the system has such a place, so that the clients are compared and not the
disk; `relay_durable` is what the relay does on the disk, where the server waits for it with every message.
"""

import asyncio
import os
import statistics
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, NamedTuple

import nats
import psycopg
from nats.js.api import AckPolicy, ConsumerConfig

from adapters.nats.connection import connected
from adapters.nats.consumer import FeedConsumer
from adapters.nats.headers import EXPECTED_LAST, headers_of, source_of, subject_of
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream
from adapters.nats.users import inbox_prefix_of
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.randomness import SystemRandomness
from tests.bench.measured import Measured, Work, at_least, machine, rates_in_rounds, ratio
from tests.support.big_log import fill
from tests.support.feeds import relayed
from tests.support.stored_matches import stored_rows

EVENTS: Final = int(os.environ.get("BENCH_EVENTS", "50000"))
GATHERED: Final = 500
ROUNDS: Final = 3
LIMIT_S: Final = 60.0
DURABLE: Final = 2000
_MEMORY: Final = Path("/dev/shm")


class Ready(NamedTuple):
    """A message as nats-py is given it."""

    subject: str
    body: bytes
    headers: dict[str, str]


def run() -> Measured:
    """Rates of the peers, in rounds, and their ratios."""
    with (
        tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder,
        tempfile.TemporaryDirectory(prefix="gongzhu-bench-", dir=in_memory()) as memory,
    ):
        postgres = PostgresServer(Path(folder) / "postgres", settings={"fsync": "off"})
        server, durable = NatsServer(Path(memory) / "nats"), NatsServer(Path(folder) / "nats")
        try:
            postgres.start()
            server.start()
            durable.start()
            migrate(postgres.url)
            return _run(postgres.url, server, durable, fill(postgres.url, EVENTS))
        finally:
            durable.stop()
            server.stop()
            postgres.stop()


def in_memory() -> Path | None:
    """Where files are kept in memory, None for the usual place where the system has none."""
    return _MEMORY if _MEMORY.is_dir() else None


def _run(url: str, server: NatsServer, durable: NatsServer, last: int) -> Measured:
    messages = _messages(url)
    into: dict[str, Work] = {
        "relay": _working(lambda: _relay(url, server, last)),
        "nats_py": _working(lambda: _nats_py(server, messages)),
        "nats_py_plain": _working(lambda: _nats_py(server, [_without_condition(one) for one in messages])),
    }
    rates, failed = rates_in_rounds(into, rounds=ROUNDS, for_s=0.1, limit_s=LIMIT_S)
    asyncio.run(_relay(url, server, last))
    out_of: dict[str, Work] = {
        "consumer": _working(lambda: _consumer(server, last)),
        "nats_py_fetch": _working(lambda: _fetch(server, last)),
    }
    read, read_failed = rates_in_rounds(out_of, rounds=ROUNDS, for_s=0.1, limit_s=LIMIT_S)
    on_disk, disk_failed = rates_in_rounds(
        {"relay_durable": _working(lambda: _relay(url, durable, min(last, DURABLE)))}, rounds=1, for_s=0.1
    )
    figures: dict[str, Any] = {"messages": last}
    figures |= {f"{name}_per_s": round(statistics.median(r)) for name, r in (rates | read | on_disk).items()}
    figures |= {f"{name}_failed": why for name, why in (failed | read_failed | disk_failed).items()}
    aims = (
        at_least(
            "relay, times nats-py's pipelined publish of the same messages",
            0.8,
            ratio(rates, "relay", "nats_py"),
        ),
        at_least("relay, times that without the condition", 0.8, ratio(rates, "relay", "nats_py_plain")),
    )
    return Measured(name="feed", machine=machine(), figures=figures, aims=aims)


def _working(do: Callable[[], Coroutine[Any, Any, int]]) -> Work:
    return lambda: asyncio.run(do())


def _messages(url: str) -> list[Ready]:
    with psycopg.connect(url, autocommit=True) as connection:
        rows = stored_rows(connection)
    source = source_of("main", "0123456789abcdef")
    return [
        Ready(subject_of(row, "gongzhu.v1"), row.public, headers_of(row, row.public, source)) for row in rows
    ]


def _without_condition(message: Ready) -> Ready:
    headers = {name: value for name, value in message.headers.items() if name != EXPECTED_LAST}
    return message._replace(headers=headers)


async def _new_stream(server: NatsServer) -> None:
    async with connected(server.operator_url, "bench") as connection:
        stream = FeedStream(connection, "main")
        await stream.delete()
        await stream.create(SystemRandomness())


async def _relay(url: str, server: NatsServer, last: int) -> int:
    """From the log into a new stream."""
    await _new_stream(server)
    await relayed(url, server, last)
    return last


async def _nats_py(server: NatsServer, messages: list[Ready]) -> int:
    """The same messages into a new stream, so many at once, each acknowledged."""
    await _new_stream(server)
    client = await nats.connect(server.relay_url, inbox_prefix=inbox_prefix_of("relay").encode())
    try:
        js = client.jetstream(timeout=LIMIT_S, publish_async_max_pending=GATHERED)
        for start in range(0, len(messages), GATHERED):
            some = messages[start : start + GATHERED]
            acks = await asyncio.gather(
                *[js.publish(subject, body, headers=headers) for subject, body, headers in some]
            )
            assert [ack.seq for ack in acks] == list(range(start + 1, start + 1 + len(some)))
    finally:
        await client.close()
    return len(messages)


async def _consumer(server: NatsServer, last: int) -> int:
    """The whole feed, each message checked for its place and decoded."""
    async with connected(server.projections_url, "bench") as connection:
        consumer, position = FeedConsumer(connection, "main"), 0
        while position < last:
            messages = await consumer.after(position, 1000, 5)
            assert messages, f"nothing after {position}"
            position = messages[-1].position
        await consumer.close()
    return last


async def _fetch(server: NatsServer, last: int) -> int:
    """The whole feed through an ephemeral pull consumer without acknowledgements, not decoded."""
    client = await nats.connect(server.projections_url, inbox_prefix=inbox_prefix_of("projections").encode())
    try:
        config = ConsumerConfig(ack_policy=AckPolicy.NONE, mem_storage=True)
        subscription = await client.jetstream().pull_subscribe(
            "gongzhu.v1.>", stream="GONGZHU", config=config
        )
        read = 0
        while read < last:
            read += len(await subscription.fetch(GATHERED, timeout=5))
    finally:
        await client.close()
    return read
