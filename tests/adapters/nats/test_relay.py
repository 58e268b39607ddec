"""The stream is the log: the same bytes at the same places, whatever happens to relay, NATS or database."""

import asyncio
import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg
import pytest

from adapters.errors import ServersUnavailable
from adapters.nats.connection import NatsConnection, connected
from adapters.nats.headers import subject_of
from adapters.nats.launcher import NatsServer
from adapters.nats.publishing import Publisher
from adapters.nats.stream import FeedBroken, FeedStream, stream_name, subject_prefix
from adapters.randomness import SystemRandomness
from adapters.serialization import row_digest_of_parts
from domain.events import Event
from tests.support.feeds import (
    assert_stream_is_log,
    eventually,
    reached,
    relay_of,
    relayed,
    running,
    stream_content,
)
from tests.support.stored_matches import append, season, stored_rows

EVENTS = season(21, matches=6)


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def parts_of(events: list[Event], count: int) -> list[list[Event]]:
    size = -(-len(events) // count)
    return [events[start : start + size] for start in range(0, len(events), size)]


def test_stream_sequence_is_log_position_and_bodies_are_the_stored_bytes(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS)
    relay = asyncio.run(relayed(database_url, nats_server, last))
    assert (relay.health.state, relay.health.position) == ("working", last)
    content = asyncio.run(stream_content(nats_server))
    assert_stream_is_log(database_url, content)
    for row, message in zip(stored_rows(log), content, strict=True):
        assert (
            message.subject
            == f"gongzhu.v1.{row.match}.{row.tag.split('.')[0]}"
            == subject_of(row, "gongzhu.v1")
        )


def test_headers_are_those_of_cloudevents_and_let_a_consumer_check_the_body(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:80])
    asyncio.run(relayed(database_url, nats_server, last))
    sealed = 0
    for row, message in zip(stored_rows(log), asyncio.run(stream_content(nats_server)), strict=True):
        headers, body = message.headers, msgspec.json.decode(message.body)
        assert headers["ce-specversion"] == "1.0"
        assert headers["ce-id"] == f"{body['match']}:{body['version']}"
        assert headers["ce-type"] == f"gongzhu.{body['type']}.{body['schema']}"
        assert headers["ce-subject"] == body["match"]
        assert headers["ce-time"] == body["at"]
        assert headers["ce-dataschema"] == f"urn:gongzhu:schema:{row.tag}"
        assert headers["content-type"] == "application/json"
        assert headers["ce-sequence"] == f"{row.position:020}"
        assert headers["ce-source"].startswith("urn:gongzhu:log:main:")
        assert len(set(headers)) == len(headers) <= 12
        part = headers.get("ce-sealeddigest", hashlib.sha256(b"").hexdigest())
        sealed += "ce-sealeddigest" in headers
        digests = hashlib.sha256(message.body).digest() + bytes.fromhex(part)
        computed = row_digest_of_parts(message.sequence, row.match, row.version, row.tag, digests)
        assert headers["ce-rowdigest"] == computed.hex()
    assert sealed > 2


def test_a_relay_resumes_behind_the_streams_last_message(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    epochs = set()
    for part in parts_of(EVENTS, 4):
        last = append(log, part)
        asyncio.run(relayed(database_url, nats_server, last, window=7))
        content = asyncio.run(stream_content(nats_server))
        assert_stream_is_log(database_url, content)
        epochs |= {message.headers["ce-source"] for message in content}
    assert len(epochs) == 1


def test_a_commit_wakes_the_relay(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            # It would not look again by itself for an hour.
            relay = relay_of(database_url, connection, poll_s=3600)
            async with running(relay.run()):
                for part in parts_of(EVENTS[:300], 10):
                    last = await asyncio.to_thread(append, log, part)
                    await reached(relay.health, last)

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_of_two_relays_one_works_and_the_other_takes_over(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> None:
        async with (
            connected(nats_server.relay_url, "one") as first,
            connected(nats_server.relay_url, "two") as second,
        ):
            one, two = relay_of(database_url, first), relay_of(database_url, second)
            last = await asyncio.to_thread(append, log, EVENTS[:200])
            async with running(one.run()):
                await reached(one.health, last)
                async with running(two.run()):
                    await eventually(lambda: two.health.state == "standby")
                    last = await asyncio.to_thread(append, log, EVENTS[200:400])
                    await reached(one.health, last)
                    assert two.health.state == "standby"
                    # One that only waits until others are there need not work itself.
                    await relay_of(database_url, second).run(last)
            async with running(two.run()):
                last = await asyncio.to_thread(append, log, EVENTS[400:500])
                await reached(two.health, last)

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_relays_that_all_believe_they_hold_the_lock_still_make_the_same_stream(
    database_url: str,
    log: psycopg.Connection[Any],
    nats_server: NatsServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def held(_: Any) -> bool:
        return True

    monkeypatch.setattr("adapters.nats.relay.SessionLock.take", held)
    last = append(log, EVENTS)

    async def work() -> None:
        async with (
            connected(nats_server.relay_url, "one") as first,
            connected(nats_server.relay_url, "two") as second,
        ):
            relays = [relay_of(database_url, connection, window=5) for connection in (first, second)]
            await asyncio.gather(*[relay.run(last) for relay in relays])

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


@pytest.mark.parametrize("lost", [1, 50, 299, 300])
def test_a_lost_acknowledgement_ends_the_window_and_nothing_is_stored_twice(
    database_url: str,
    log: psycopg.Connection[Any],
    nats_server: NatsServer,
    monkeypatch: pytest.MonkeyPatch,
    lost: int,
) -> None:
    last = append(log, EVENTS[:300])
    answered = Publisher._answered
    dropped: list[Any] = []

    async def losing(publisher: Publisher, message: Any) -> None:
        if message.subject.endswith(f".{lost}") and not dropped:
            dropped.append(message)
            return
        await answered(publisher, message)

    monkeypatch.setattr(Publisher, "_answered", losing)
    asyncio.run(relayed(database_url, nats_server, last, window=20, late_s=0.3))
    assert dropped
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_a_refused_publish_ends_the_window_and_stores_nothing_after_it(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:100])
    rows = stored_rows(log)

    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            stream = FeedStream(connection, "main")
            state = await stream.create(SystemRandomness())
            async with Publisher(connection, stream.name, "main", late_s=2) as publisher:
                with pytest.raises(Exception, match="position 2: wrong last sequence") as ended:
                    await publisher.publish(rows[1:], state.epoch)
                assert getattr(ended.value, "refused", False)
                found = await stream.state()
                assert found is not None
                assert found.last == 0
                await publisher.publish(rows, state.epoch)

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_a_killed_nats_server_loses_nothing(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer, tmp_path: Any
) -> None:
    server = NatsServer(tmp_path / "fixed", port=nats_server.port)
    nats_server.stop()
    server.start()

    async def work() -> None:
        async with connected(server.relay_url, "test") as connection:
            relay = relay_of(database_url, connection, late_s=1)
            async with running(relay.run()):
                for part in parts_of(EVENTS, 5):
                    last = await asyncio.to_thread(append, log, part)
                    server.kill()
                    server.start()
                    await reached(relay.health, last)

    try:
        asyncio.run(work())
        assert_stream_is_log(database_url, asyncio.run(stream_content(server)))
    finally:
        server.stop()


def test_a_relay_survives_the_end_of_its_database_sessions(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            relay = relay_of(database_url, connection)
            async with running(relay.run()):
                for part in parts_of(EVENTS, 5):
                    last = await asyncio.to_thread(append, log, part)
                    log.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                    await reached(relay.health, last)

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


async def _foreign(connection: NatsConnection) -> None:
    client = connection.client
    await client.request("gongzhu.v1.0.CardsPlayed", b"{}", headers={"ce-rowdigest": "00"}, timeout=5)


async def _broken(database_url: str, server: NatsServer) -> str:
    """What a relay says that must stop."""
    async with connected(server.relay_url, "test") as connection:
        relay = relay_of(database_url, connection)
        with pytest.raises(FeedBroken) as broken:
            await relay.run()
        assert relay.health.state == "red"
        assert relay.health.error == str(broken.value)
        assert "gongzhu feed rebuild" in relay.health.error
        return relay.health.error


def test_a_foreign_message_turns_the_relay_red_at_its_start(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:50])

    async def work() -> str:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.relay_url, "test") as connection:
            await _foreign(connection)
        return await _broken(database_url, nats_server)

    assert "the log ends before the stream, which has 51 messages" in asyncio.run(work())
    append(log, EVENTS[50:60])
    assert "message 51 is another one than the log" in asyncio.run(_broken(database_url, nats_server))


def test_a_foreign_message_turns_a_working_relay_red(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> str:
        async with connected(nats_server.relay_url, "test") as connection:
            relay = relay_of(database_url, connection)
            last = await asyncio.to_thread(append, log, EVENTS[:50])
            task = asyncio.ensure_future(relay.run())
            await reached(relay.health, last)
            await _foreign(connection)
            await asyncio.to_thread(append, log, EVENTS[50:60])
            with pytest.raises(FeedBroken):
                await task
            return relay.health.error

    assert "message 51 is another one" in asyncio.run(work())
    # Row 51 was refused, but those on their way behind it found 51 messages before them. One that knows nothing of the
    # refusal must find it too.
    assert len(asyncio.run(stream_content(nats_server))) == 60
    assert "message 51 is another one" in asyncio.run(_broken(database_url, nats_server))


@pytest.mark.parametrize("running_on", [True, False], ids=["while it works", "at its start"])
@pytest.mark.parametrize("grown_again", [True, False], ids=["grown again", "not yet"])
def test_a_log_restored_to_an_older_backup_turns_the_relay_red(
    database_url: str,
    log: psycopg.Connection[Any],
    nats_server: NatsServer,
    running_on: bool,
    grown_again: bool,
) -> None:
    def restore() -> None:
        with log.transaction():
            log.execute("DELETE FROM log.events WHERE position > 40")
            if grown_again:
                append(log, season(99, matches=1)[:30])

    async def work() -> str:
        last = await asyncio.to_thread(append, log, EVENTS[:50])
        async with connected(nats_server.relay_url, "test") as connection:
            relay = relay_of(database_url, connection)
            if not running_on:
                await relay.run(last)
                await asyncio.to_thread(restore)
                return await _broken(database_url, nats_server)
            task = asyncio.ensure_future(relay.run())
            await reached(relay.health, last)
            await asyncio.to_thread(restore)
            with pytest.raises(FeedBroken):
                await task
            return relay.health.error

    error = asyncio.run(work())
    assert ("another one than the log" if grown_again else "the log ends before the stream") in error
    assert len(asyncio.run(stream_content(nats_server))) == 50


def test_a_deleted_stream_is_made_anew_with_another_epoch_and_filled(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    async def work() -> set[str]:
        epochs = set()
        async with (
            connected(nats_server.relay_url, "test") as connection,
            connected(nats_server.operator_url, "operator") as operator,
        ):
            stream = FeedStream(operator, "main")
            relay = relay_of(database_url, connection, late_s=1)
            async with running(relay.run()):
                for part in parts_of(EVENTS[:400], 4):
                    last = await asyncio.to_thread(append, log, part)
                    await reached(relay.health, last)
                    state = await stream.state()
                    assert state is not None
                    epochs.add(state.epoch)
                    await stream.delete()
                last = await asyncio.to_thread(append, log, EVENTS[400:410])
                await reached(relay.health, last)
        return epochs

    assert len(asyncio.run(work())) == 4
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))


def test_a_stream_that_has_lost_messages_turns_the_relay_red(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    append(log, EVENTS[:50])

    async def work() -> str:
        async with connected(nats_server.relay_url, "test") as connection:
            stream = FeedStream(connection, "main")
            configuration = stream._configuration("abcd")
            await connection.ask(f"STREAM.CREATE.{stream.name}", {**configuration, "first_seq": 41}, dict)
            async with Publisher(connection, stream.name, "main") as publisher:
                await publisher.publish(stored_rows(log)[40:], "abcd")
        return await _broken(database_url, nats_server)

    assert "lacks messages up to its last sequence 50" in asyncio.run(work())


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"metadata": {"gongzhu.log": "main"}}, "it has no epoch"),
        ({"metadata": {"gongzhu.log": "east", "gongzhu.epoch": "1"}}, "it is of the log east"),
        ({"max_age": 10**9 * 3600}, "it has limits"),
        ({"max_msgs": 10}, "it has limits"),
        ({"discard": "old"}, "it drops messages"),
        ({"deny_purge": False}, "its messages can be deleted"),
        ({"max_msgs_per_subject": 5}, "it keeps only some"),
    ],
)
def test_a_stream_that_cannot_be_a_feed_turns_the_relay_red(
    database_url: str, nats_server: NatsServer, change: dict[str, Any], text: str
) -> None:
    async def work() -> str:
        async with connected(nats_server.relay_url, "test") as connection:
            stream = FeedStream(connection, "main")
            configuration = {**stream._configuration("abcd"), **change}
            await connection.ask(f"STREAM.CREATE.{stream.name}", configuration, dict)
        return await _broken(database_url, nats_server)

    assert text in asyncio.run(work())


def test_the_stream_can_be_neither_purged_nor_thinned(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:20])

    async def work() -> None:
        await relayed(database_url, nats_server, last)
        async with connected(nats_server.operator_url, "test") as connection:
            for subject, question in [
                ("STREAM.PURGE.GONGZHU", None),
                ("STREAM.MSG.DELETE.GONGZHU", {"seq": 3}),
            ]:
                with pytest.raises(Exception, match="not permitted"):
                    await connection.ask(subject, question, dict)

    asyncio.run(work())


def test_logs_of_other_names_have_streams_and_subjects_of_their_own(
    log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    assert [stream_name(name) for name in ("main", "east")] == ["GONGZHU", "GONGZHU_east"]
    assert [subject_prefix(name) for name in ("main", "v1")] == ["gongzhu.v1", "gongzhu.v1-v1"]
    append(log, EVENTS[:20])
    rows = stored_rows(log)

    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            for name in ("main", "east", "v1"):
                stream = FeedStream(connection, name)
                state = await stream.create(SystemRandomness())
                async with Publisher(connection, stream.name, name) as publisher:
                    await publisher.publish(rows, state.epoch)
                found = await stream.state()
                assert found is not None
                assert found.last == 20

    asyncio.run(work())
    assert {
        m.headers["ce-source"].split(":")[3] for m in asyncio.run(stream_content(nats_server, "east"))
    } == {"east"}


def test_a_relay_that_waits_for_a_position_gives_up_on_a_server_that_stays_away(
    database_url: str, log: psycopg.Connection[Any], nats_server: NatsServer
) -> None:
    last = append(log, EVENTS[:20])

    async def work() -> None:
        async with connected(nats_server.relay_url, "test") as connection:
            nats_server.kill()
            relay = relay_of(database_url, connection, patience_s=0.5)
            with pytest.raises(ServersUnavailable, match="gave up"):
                await relay.run(last)

    asyncio.run(work())


def test_a_server_that_is_not_there_is_one_clear_line(nats_server: NatsServer) -> None:
    url = nats_server.relay_url
    nats_server.stop()

    async def work(address: str) -> None:
        async with connected(address, "test"):
            pass

    with pytest.raises(ServersUnavailable, match=r"NATS at nats://127.0.0.1:\d+ cannot be reached"):
        asyncio.run(work(url))


def test_a_wrong_password_is_one_clear_line_without_it(nats_server: NatsServer) -> None:
    async def work() -> None:
        address = nats_server.relay_url.rpartition("@")[2]
        async with connected(f"nats://relay:hunter2@{address}", "test"):
            pass

    with pytest.raises(ServersUnavailable, match="Authorization") as refused:
        asyncio.run(work())
    assert "hunter2" not in str(refused.value)
