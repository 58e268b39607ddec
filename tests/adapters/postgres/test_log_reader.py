"""The log is read in order, waited for without loss, and held by one session at a time where it must be."""

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from adapters.errors import ServersUnavailable
from adapters.postgres.log_reader import LogReader
from adapters.postgres.session_lock import SessionLock, is_held
from tests.support.stored_matches import append, season, stored_rows
from tests.support.waiting import eventually

EVENTS = season(71, matches=3)
NUMBER = 4711 << 40 | 42


@pytest.fixture
def log(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def end_other_sessions(log: psycopg.Connection[Any]) -> None:
    log.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_rows_come_in_order_from_any_position(database_url: str, log: psycopg.Connection[Any]) -> None:
    last = append(log, EVENTS)

    async def work() -> None:
        async with LogReader(database_url) as reader:
            assert await reader.last_position() == last
            rows = [row for first in range(1, last + 1, 100) for row in await reader.rows(first, 100)]
            assert rows == stored_rows(log)
            assert await reader.rows(last + 1, 10) == []

    asyncio.run(work())


def test_a_commit_between_a_read_and_the_wait_is_noticed(
    database_url: str, log: psycopg.Connection[Any]
) -> None:
    async def work() -> None:
        async with LogReader(database_url, poll_s=3600) as reader, asyncio.timeout(30):
            for start in range(0, 200, 10):
                assert await reader.rows(start + 1, 100) == []
                append(log, EVENTS[start : start + 10])
                await reader.wait()
                assert len(await reader.rows(start + 1, 100)) == 10

    asyncio.run(work())


def test_polling_makes_up_for_a_lost_notification(database_url: str) -> None:
    async def work() -> None:
        async with LogReader(database_url, poll_s=0.05) as reader, asyncio.timeout(30):
            await reader.last_position()
            await reader.wait()

    asyncio.run(work())


def test_a_reader_goes_on_after_its_session_ended(database_url: str, log: psycopg.Connection[Any]) -> None:
    last = append(log, EVENTS[:50])

    async def work() -> None:
        async with LogReader(database_url, poll_s=0.2) as reader, asyncio.timeout(30):
            for _ in range(3):
                assert len(await reader.rows(1, 100)) == last
                end_other_sessions(log)
                await reader.wait()
                end_other_sessions(log)

    asyncio.run(work())


def test_a_database_that_stays_away_is_given_up() -> None:
    async def work() -> None:
        async with LogReader("postgresql://nobody@127.0.0.1:1/none", patience_s=0.1) as reader:
            await reader.last_position()

    with pytest.raises(ServersUnavailable, match="PostgreSQL is away"):
        asyncio.run(work())


def test_a_lock_is_held_by_one_session_and_ends_with_it(
    database_url: str, log: psycopg.Connection[Any]
) -> None:
    async def work() -> None:
        async with SessionLock(database_url, NUMBER) as one, SessionLock(database_url, NUMBER) as two:
            assert await one.take()
            assert await one.take()
            assert not await two.take()
            assert is_held(database_url, NUMBER)
            assert not is_held(database_url, NUMBER + 1)
            assert not is_held(database_url, NUMBER & 0xFFFFFFFF)
            end_other_sessions(log)
            assert await two.take()
            assert not await one.take()
            await two.release()
            eventually(lambda: not is_held(database_url, NUMBER))

    asyncio.run(work())


def test_a_shared_lock_is_held_by_many_and_bars_no_question(database_url: str) -> None:
    async def work() -> None:
        async with (
            SessionLock(database_url, NUMBER, shared=True) as one,
            SessionLock(database_url, NUMBER, shared=True) as two,
        ):
            assert is_held(database_url, NUMBER) is False
            assert await one.take()
            assert is_held(database_url, NUMBER)
            assert await two.take()

    asyncio.run(work())
