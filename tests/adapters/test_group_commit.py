"""Group commit: whole commands, dense positions, honest answers, whatever happens to the connection."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import psycopg
import pytest

from adapters.group_commit import GroupCommit, LogBusy, LogUnavailable
from adapters.postgres.appending import LOCK, Append, NewRow
from tests.support.services import match_id


def command(match: int, first: int, count: int = 2) -> Append:
    return Append([NewRow(match_id(match), first + i, "T.1", b"%d" % i) for i in range(count)])


def stored(database_url: str) -> Sequence[tuple[int, UUID, int]]:
    with psycopg.connect(database_url) as connection:
        return connection.execute(
            "SELECT position, match, version FROM log.events ORDER BY position"
        ).fetchall()


def test_neighbours_of_a_conflict_are_stored_whole_and_dense(database_url: str) -> None:
    async def append() -> None:
        async with GroupCommit(database_url) as commits:
            await commits.append(command(1, 1, 3))
            outcomes = await asyncio.gather(
                commits.append(command(2, 1)),
                commits.append(command(1, 3)),
                commits.append(command(3, 1, 5)),
                commits.append(command(4, 7)),
                commits.append(command(5, 1)),
            )
        assert [outcome.result for outcome in outcomes] == [
            "stored",
            "conflict",
            "stored",
            "conflict",
            "stored",
        ]
        assert [outcome.first_position for outcome in outcomes] == [4, None, 6, None, 11]

    asyncio.run(append())
    assert [position for position, _, _ in stored(database_url)] == list(range(1, 13))


def test_commands_of_one_match_keep_their_order(database_url: str) -> None:
    async def append() -> None:
        async with GroupCommit(database_url) as commits:
            outcomes = await asyncio.gather(*[commits.append(command(1, 1 + 2 * i)) for i in range(10)])
        assert [outcome.first_position for outcome in outcomes] == list(range(1, 21, 2))

    asyncio.run(append())


def test_full_queue_refuses_at_once_and_takes_commands_again_afterwards(database_url: str) -> None:
    async def append() -> None:
        async with GroupCommit(database_url, most_waiting=2) as commits:
            with psycopg.connect(database_url, autocommit=True) as slow:
                slow.execute("SELECT pg_advisory_lock(%s)", [LOCK])
                first = asyncio.create_task(commits.append(command(1, 1)))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                others = [asyncio.create_task(commits.append(command(n, 1))) for n in (2, 3, 4, 5)]
                refused = [task for task in others if isinstance(await _outcome_if_done(task), LogBusy)]
                assert refused
            results = await asyncio.gather(first, *others, return_exceptions=True)
            assert len([r for r in results if not isinstance(r, LogBusy)]) == len(results) - len(refused)
            assert (await commits.append(command(9, 1))).result == "stored"

    asyncio.run(append())


async def _outcome_if_done(task: "asyncio.Task[object]") -> BaseException | None:
    await asyncio.sleep(0)
    return task.exception() if task.done() else None


def test_commit_whose_answer_was_lost_is_recognised(database_url: str) -> None:
    async def append() -> None:
        async with GroupCommit(database_url) as commits:
            assert (await commits.append(command(1, 1))).result == "stored"
            await _cut_after_commit(commits)
            outcome = await commits.append(command(2, 1))
        assert outcome.result == "stored"
        assert outcome.first_position == 3

    asyncio.run(append())
    assert [version for _, match, version in stored(database_url) if match == match_id(2)] == [1, 2]


async def _cut_after_commit(commits: GroupCommit) -> None:
    """Lets the next insert reach the log and lose its answer."""
    insert = commits._insert

    async def insert_and_lose(appends: Sequence[Append]) -> object:
        await insert(appends)
        commits._insert = insert  # type: ignore[method-assign]
        raise psycopg.OperationalError("the connection was cut")

    commits._insert = insert_and_lose  # type: ignore[method-assign, assignment]


def test_writers_whose_backends_are_killed_lose_and_double_nothing(database_url: str) -> None:
    async def append() -> list[tuple[int, int | None]]:
        async with GroupCommit(database_url) as commits:
            killer = asyncio.create_task(_kill_backends(database_url, 15))
            answers = []
            for number in range(1, 301):
                outcome = await commits.append(command(number, 1))
                assert outcome.result == "stored"
                answers.append((number, outcome.first_position))
            await killer
        return answers

    answers = asyncio.run(append())
    rows = stored(database_url)
    assert [position for position, _, _ in rows] == list(range(1, 601))
    where = {match: position for position, match, version in rows if version == 1}
    assert [(number, where[match_id(number)]) for number, _ in answers] == answers


async def _kill_backends(database_url: str, times: int) -> None:
    connection = await psycopg.AsyncConnection.connect(database_url, autocommit=True)
    async with connection:
        killed = 0
        while killed < times:
            cursor = await connection.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%log.append%'"
            )
            row = await cursor.fetchone()
            killed += row[0] if row else 0
            await asyncio.sleep(0)


def test_database_that_stays_away_is_named(database_url: str) -> None:
    async def append() -> None:
        async with GroupCommit(database_url, patience_s=0.3) as commits:
            name = database_url.rpartition("/")[2].partition("?")[0]
            elsewhere = database_url.replace(name, "postgres")
            with psycopg.connect(elsewhere, autocommit=True) as admin:
                admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
                )
                with pytest.raises(LogUnavailable, match="does not answer"):
                    await commits.append(command(1, 1))
                admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            assert (await commits.append(command(1, 1))).result == "stored"

    asyncio.run(append())
