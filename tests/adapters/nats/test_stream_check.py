"""The stream is made where there is none; of one that is there, all that is not as it has to be is named."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from adapters.nats.connection import JetStreamRefused, NatsConnection, connected
from adapters.nats.denials import Denied
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import configuration
from adapters.nats.stream_check import Difference, StreamReport, ensure_stream
from adapters.randomness import SystemRandomness

T = TypeVar("T")


def _as_operator(server: NatsServer, work: Callable[[NatsConnection], Awaitable[T]]) -> T:
    async def connected_work() -> T:
        async with connected(server.operator_url, "test") as connection:
            return await work(connection)

    return asyncio.run(connected_work())


async def _ensure(connection: NatsConnection, replicas: int | None = None) -> StreamReport:
    return await ensure_stream(connection, "main", SystemRandomness(), replicas)


def _made(server: NatsServer, **change: Any) -> StreamReport:
    """What is said of a stream that someone made with another configuration."""

    async def work(connection: NatsConnection) -> StreamReport:
        config = {**configuration("main", "00ff", 1), **change}
        await connection.ask("STREAM.CREATE.GONGZHU", config, dict)
        return await _ensure(connection)

    return _as_operator(server, work)


def test_stream_is_made_where_there_is_none_and_left_alone_where_it_is_right(nats_server: NatsServer) -> None:
    first = _as_operator(nats_server, _ensure)
    assert (first.created, first.holds, first.last, first.replicas) == (True, True, 0, 1)
    second = _as_operator(nats_server, _ensure)
    assert (second.created, second.holds, second.changed) == (False, True, ())
    assert second.epoch == first.epoch


@pytest.mark.parametrize(
    ("change", "differences"),
    [
        ({"discard": "old"}, [Difference("discard", "new", "old")]),
        ({"max_msgs": 10}, [Difference("max_msgs", -1, 10)]),
        ({"max_age": 10**9}, [Difference("max_age", 0, 10**9)]),
        ({"deny_purge": False}, [Difference("deny_purge", True, False)]),
        ({"storage": "memory"}, [Difference("storage", "file", "memory")]),
        ({"subjects": ["gongzhu.>"]}, [Difference("subjects", ["gongzhu.v1.>"], ["gongzhu.>"])]),
        ({"metadata": {"gongzhu.log": "main"}}, [Difference("metadata gongzhu.epoch", "an epoch", None)]),
        (
            {"metadata": {"gongzhu.log": "east", "gongzhu.epoch": "1"}},
            [Difference("metadata gongzhu.log", "main", "east")],
        ),
    ],
)
def test_what_differs_is_named(
    nats_server: NatsServer, change: dict[str, Any], differences: list[Difference]
) -> None:
    report = _made(nats_server, **change)
    assert list(report.differences) == differences
    assert not report.holds


def test_stream_that_sends_its_messages_elsewhere_is_named(nats_server: NatsServer) -> None:
    report = _made(nats_server, republish={"src": ">", "dest": "copy.>"})
    assert [difference.what for difference in report.differences] == ["republish"]


def test_another_description_is_put_right_and_changes_nothing_else(nats_server: NatsServer) -> None:
    report = _made(nats_server, description="what?")
    assert (report.changed, report.holds, report.epoch) == (("description",), True, "00ff")
    assert _as_operator(nats_server, _ensure).changed == ()


def test_more_replicas_than_servers_are_refused_by_name(nats_server: NatsServer) -> None:
    _as_operator(nats_server, _ensure)
    with pytest.raises(JetStreamRefused, match="replicas"):
        _as_operator(nats_server, lambda connection: _ensure(connection, 3))


def test_reader_who_tries_is_told_that_he_may_not(nats_server: NatsServer) -> None:
    async def attempt() -> None:
        async with connected(nats_server.reader_url, "test") as connection:
            await _ensure(connection)

    with pytest.raises(Denied, match=r"STREAM\.CREATE\.GONGZHU"):
        asyncio.run(attempt())
