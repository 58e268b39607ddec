"""A NATS server in a folder, and what each of its users may do."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import nats
import pytest
from nats.aio.client import Client
from nats.js.api import ConsumerConfig
from nats.js.client import JetStreamContext

from adapters import processes
from adapters.nats.launcher import NatsServer

T = TypeVar("T")
Work: TypeAlias = Callable[[Client, JetStreamContext], Coroutine[Any, Any, T]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    try:
        yield server
    finally:
        server.stop()


class Denied(Exception):
    """The server said that this user may not do this."""


def _as_user(url: str, work: Work[T]) -> T:
    """Does `work` as that user. A denied call looks like a timeout to the caller, so what the server says is raised."""

    async def connected() -> T:
        denied: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def note(error: Exception) -> None:
            if not denied.done():
                denied.set_exception(Denied(str(error)))

        client = await nats.connect(url, error_cb=note, allow_reconnect=False)
        working = asyncio.ensure_future(work(client, client.jetstream()))
        try:
            await asyncio.wait([working, denied], return_when=asyncio.FIRST_COMPLETED)
            return await (denied if denied.done() else working)
        finally:
            working.cancel()
            denied.cancel()
            await client.close()

    return asyncio.run(connected())


async def _make_feed(_client: Client, stream: JetStreamContext) -> None:
    await stream.add_stream(name="FEED", subjects=["gongzhu.v1.>"])
    for number in range(3):
        await stream.publish("gongzhu.v1.match.event", str(number).encode())


async def _length(_client: Client, stream: JetStreamContext) -> int:
    return (await stream.stream_info("FEED")).state.messages


async def _read(_client: Client, stream: JetStreamContext) -> list[bytes]:
    subscription = await stream.pull_subscribe_bind("follower", "FEED")
    return [message.data for message in await subscription.fetch(3, timeout=2)]


async def _follow(client: Client, stream: JetStreamContext) -> list[bytes]:
    await stream.add_consumer("FEED", ConsumerConfig(name="follower", mem_storage=True))
    return await _read(client, stream)


def test_relay_writes_and_the_others_read(nats_server: NatsServer) -> None:
    _as_user(nats_server.relay_url, _make_feed)
    for url in (nats_server.projections_url, nats_server.reader_url):
        assert _as_user(url, _length) == 3
    assert _as_user(nats_server.reader_url, _follow) == [b"0", b"1", b"2"]


async def _publish(_client: Client, stream: JetStreamContext) -> None:
    await stream.publish("gongzhu.v1.match.event", b"forged")


async def _publish_plainly(client: Client, _stream: JetStreamContext) -> None:
    await client.publish("gongzhu.v1.match.event", b"forged")
    await asyncio.Event().wait()


async def _purge(_client: Client, stream: JetStreamContext) -> None:
    await stream.purge_stream("FEED")


async def _delete(_client: Client, stream: JetStreamContext) -> None:
    await stream.delete_stream("FEED")


async def _delete_message(_client: Client, stream: JetStreamContext) -> None:
    await stream.delete_msg("FEED", 1)


async def _add(_client: Client, stream: JetStreamContext) -> None:
    await stream.add_stream(name="MINE", subjects=["mine"])


@pytest.mark.parametrize("user", ["projections_url", "reader_url"])
@pytest.mark.parametrize("attempt", [_publish, _publish_plainly, _purge, _delete, _delete_message, _add])
def test_readers_change_nothing(nats_server: NatsServer, user: str, attempt: Work[None]) -> None:
    _as_user(nats_server.relay_url, _make_feed)
    with pytest.raises(Denied, match="permissions violation"):
        _as_user(getattr(nats_server, user), attempt)
    assert _as_user(nats_server.relay_url, _length) == 3


async def _deliver_into_the_feed(_client: Client, stream: JetStreamContext) -> None:
    await stream.add_consumer("FEED", ConsumerConfig(name="loop", deliver_subject="gongzhu.v1.match.event"))


def test_consumer_that_writes_into_its_own_stream_is_refused(nats_server: NatsServer) -> None:
    _as_user(nats_server.relay_url, _make_feed)
    with pytest.raises(nats.js.errors.BadRequestError, match="cycle"):
        _as_user(nats_server.reader_url, _deliver_into_the_feed)


async def _deliver_a_deletion(client: Client, stream: JetStreamContext) -> None:
    await stream.add_consumer(
        "FEED", ConsumerConfig(name="axe", deliver_subject="$JS.API.STREAM.DELETE.FEED")
    )
    # It was made first: what it would do has been done once a later consumer has read everything.
    await _follow(client, stream)


def test_consumer_aimed_at_the_servers_own_interface_reaches_nothing(nats_server: NatsServer) -> None:
    _as_user(nats_server.relay_url, _make_feed)
    _as_user(nats_server.reader_url, _deliver_a_deletion)
    assert _as_user(nats_server.relay_url, _length) == 3


@pytest.mark.parametrize(
    "options", [b"{}", b'{"user": "reader", "pass": "wrong"}', b'{"user": "admin", "pass": ""}']
)
def test_server_refuses_who_has_no_password(nats_server: NatsServer, options: bytes) -> None:
    # By hand: the client leaves its socket open when it is refused.
    with socket.create_connection(("127.0.0.1", nats_server.port), timeout=5) as connection:
        connection.sendall(b"CONNECT " + options + b"\r\nPING\r\n")
        with connection.makefile("rb") as answers:
            assert b"'Authorization Violation'" in answers.read()


def test_acknowledged_messages_survive_a_power_cut(server: NatsServer) -> None:
    server.start()
    _as_user(server.relay_url, _make_feed)
    server.kill()
    server.start()
    assert _as_user(server.reader_url, _length) == 3


def test_server_left_by_a_dead_owner_is_ended_first(tmp_path: Path, server: NatsServer) -> None:
    server.start()
    _as_user(server.relay_url, _make_feed)
    orphan, server._process = server._process, None
    assert orphan is not None
    successor = NatsServer(tmp_path / "nats")
    try:
        successor.start()
        assert orphan.poll() is not None or processes.started_at(orphan.pid) is None
        assert _as_user(successor.reader_url, _length) == 3
    finally:
        successor.stop()
        orphan.wait()


def test_server_comes_back_at_its_port(nats_server: NatsServer, tmp_path: Path) -> None:
    port = nats_server.port
    nats_server.stop()
    again = NatsServer(tmp_path / "nats-server", port=port)
    try:
        again.start()
        assert again.port == port
    finally:
        again.stop()


def test_server_is_where_it_was_the_last_time(server: NatsServer) -> None:
    server.start()
    port, url = server.port, server.reader_url
    server.stop()
    server.start()
    assert (server.port, server.reader_url) == (port, url)


def test_port_that_someone_else_has_now_is_given_up(server: NatsServer) -> None:
    server.start()
    port = server.port
    server.stop()
    with socket.create_server(("127.0.0.1", port)):
        server.start()
        assert server.port != port
