"""A read model built anew from the log equals the one that grew, or the difference is shown and nothing is flipped."""

import asyncio
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest

from adapters import rebuilding
from adapters.errors import ServersUnavailable
from adapters.feed import PROJECTIONS, Feed, rebuild_feed
from adapters.nats.launcher import NatsServer
from adapters.postgres import generations
from adapters.postgres.projection_store import ProjectionStore, connect
from adapters.randomness import SystemRandomness
from adapters.rebuilding import RebuildRunning, rebuild
from projections.leaderboards import LEADERBOARDS
from projections.runner import CannotApply, Projection
from tests.support.feeds import assert_stream_is_log, eventually, reached, running, stream_content
from tests.support.read_models import folded, stored
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(51, matches=8)
EACH = pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def applied(database_url: str, log: Log, projection: Projection, upto: int | None = None) -> None:
    """Brings the live generation to a position of the log."""
    with connect(database_url) as connection:
        generation = generations.open_live(connection, projection, "main")
        store = ProjectionStore(connection, projection, generation, "main")
        if messages := log_messages(log, store.checkpoint().position + 1)[
            : None if upto is None else upto - store.checkpoint().position
        ]:
            store.apply(messages)


@EACH
def test_a_rebuild_equals_what_grew_at_any_split_of_the_log(
    projection: Projection, database_url: str, log: Log
) -> None:
    append(log, EVENTS)
    splits = sorted(Random(3).sample(range(1, len(EVENTS)), k=5))
    for number, split in enumerate([*splits, len(EVENTS)], start=2):
        applied(database_url, log, projection, split)
        found = rebuild(database_url, projection)
        assert (found.equal, found.flipped, found.position) == (True, True, split)
        assert (found.live, found.rebuilt) == (number - 1, number)
        assert sum(table.rows for table in found.tables) > 0
        assert generations.live_generation(log, projection.name) == number
        assert stored(log, projection) == folded(projection, log_messages(log)[:split])


def test_a_rebuild_of_nothing_reads_the_whole_log(database_url: str, log: Log) -> None:
    last = append(log, EVENTS)
    found = rebuild(database_url, LEADERBOARDS)
    assert (found.live, found.comparable, found.flipped, found.position) == (None, False, True, last)
    assert stored(log, LEADERBOARDS) == folded(LEADERBOARDS, log_messages(log))


def test_a_rebuild_onto_an_empty_log_and_twice_in_a_row(database_url: str, log: Log) -> None:
    for number in (1, 2, 3):
        found = rebuild(database_url, LEADERBOARDS)
        assert (found.rebuilt, found.position, found.flipped) == (number, 0, True)
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)
    for _ in range(2):
        found = rebuild(database_url, LEADERBOARDS)
        assert (found.equal, found.flipped, found.position) == (True, True, len(EVENTS))
    assert len(generations.others(log, LEADERBOARDS.name)) == 2


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("UPDATE {}.standings SET points = points + 1 WHERE period = 'all'", "standings"),
        ("DELETE FROM {}.entries WHERE kind = 'settlement'", "entries"),
        ("UPDATE {}.ratings SET mu = mu + 1e-12", "ratings"),
    ],
)
def test_a_difference_is_shown_and_flipped_only_when_accepted(
    database_url: str, log: Log, change: str, shown: str
) -> None:
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)
    changed = log.execute(change.format("leaderboards_1").encode()).rowcount
    found = rebuild(database_url, LEADERBOARDS)
    assert not found.equal
    assert not found.flipped
    assert {table.table: table.different for table in found.tables if table.different} == {shown: changed}
    (table,) = (table for table in found.tables if table.different)
    assert all(difference.live != difference.rebuilt for difference in table.shown)
    assert generations.live_generation(log, LEADERBOARDS.name) == 1
    found = rebuild(database_url, LEADERBOARDS, accept=True)
    assert found.flipped
    assert stored(log, LEADERBOARDS) == folded(LEADERBOARDS, log_messages(log))
    kept = log.execute("SELECT live_generation, table_name, live_row FROM projections.differences").fetchall()
    assert {(row[0], row[1]) for row in kept} == {(1, shown)}
    assert len(kept) == changed


def test_looking_only_changes_nothing(database_url: str, log: Log) -> None:
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)
    assert rebuild(database_url, LEADERBOARDS, flip=False).equal
    log.execute("UPDATE leaderboards_1.standings SET wins = wins + 1")
    found = rebuild(database_url, LEADERBOARDS, flip=False)
    assert (found.equal, found.flipped) == (False, False)
    assert generations.others(log, LEADERBOARDS.name) == [1]


def test_an_interrupted_rebuild_goes_on_where_it_was(
    database_url: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "_BATCH", 100)
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)

    def interrupt(done: int, _: int) -> None:
        if done >= 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(database_url, LEADERBOARDS, progress=interrupt)
    told: list[int] = []
    found = rebuild(database_url, LEADERBOARDS, progress=lambda done, _: told.append(done))
    assert (found.rebuilt, found.equal, found.flipped) == (2, True, True)
    assert told[0] == 600
    with pytest.raises(KeyboardInterrupt):
        rebuild(database_url, LEADERBOARDS, progress=interrupt)
    told.clear()
    assert rebuild(database_url, LEADERBOARDS, fresh=True, progress=lambda done, _: told.append(done)).equal
    assert told[0] == 100


def test_rows_of_another_version_are_replaced_without_being_compared(database_url: str, log: Log) -> None:
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)
    found = rebuild(database_url, LEADERBOARDS._replace(revision=2))
    assert (found.comparable, found.flipped, found.tables) == (False, True, ())


def test_a_live_generation_beyond_a_restored_log_is_replaced_when_accepted(
    database_url: str, log: Log
) -> None:
    append(log, EVENTS)
    applied(database_url, log, LEADERBOARDS)
    log.execute("DELETE FROM log.events WHERE position > 400")
    found = rebuild(database_url, LEADERBOARDS)
    assert (found.equal, found.flipped) == (False, False)
    assert f"position {len(EVENTS)}" in str(found.checkpoints[0].live)
    assert rebuild(database_url, LEADERBOARDS, accept=True).flipped
    assert stored(log, LEADERBOARDS) == folded(LEADERBOARDS, log_messages(log))


def test_an_event_that_cannot_be_applied_stops_the_rebuild(database_url: str, log: Log) -> None:
    append(log, EVENTS)
    log.execute("UPDATE log.events SET tag = 'MatchPostponed.1' WHERE position = 77")
    with pytest.raises(CannotApply, match="position 77"):
        rebuild(database_url, LEADERBOARDS)


def test_one_rebuild_of_a_projection_at_a_time(database_url: str, log: Log) -> None:
    append(log, EVENTS)
    seen: list[bool] = []

    def meanwhile(_done: int, _last: int) -> None:
        with pytest.raises(RebuildRunning):
            rebuild(database_url, LEADERBOARDS)
        seen.append(rebuild(database_url, PROJECTIONS[0], flip=False).comparable)

    rebuild(database_url, LEADERBOARDS, progress=meanwhile)
    assert seen
    rebuild(database_url, LEADERBOARDS)


def test_a_database_that_is_away_is_one_clear_line() -> None:
    with pytest.raises(ServersUnavailable, match="PostgreSQL is away"):
        rebuild("postgresql://nobody@127.0.0.1:1/none", LEADERBOARDS)


def test_a_rebuild_beside_working_projections_flips_them_over(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    """Matches go on, an old worker with them, while each projection is built anew several times."""
    parts = [EVENTS[start : start + 60] for start in range(0, len(EVENTS), 60)]
    stop = threading.Event()

    def rebuild_all() -> list[Any]:
        found = []
        while not stop.is_set():
            found += [rebuild(database_url, projection) for projection in PROJECTIONS]
        return found

    async def work() -> list[Any]:
        feed = Feed(database_url, nats_server.relay_url, nats_server.projections_url, SystemRandomness())
        async with running(feed.run()):
            last = await asyncio.to_thread(append, log, parts[0])
            for health in feed.healths:
                await reached(health, last)
            rebuilds = asyncio.ensure_future(asyncio.to_thread(rebuild_all))
            for part in parts[1:]:
                last = await asyncio.to_thread(append, log, part)
                await eventually(lambda at=last: feed.healths[2].position >= at)  # type: ignore[misc]
            stop.set()
            found = await rebuilds
            for health in feed.healths:
                await reached(health, last)
        return found

    found = asyncio.run(work())
    assert len(found) >= 6
    assert all(one.equal and one.flipped for one in found)
    for projection in PROJECTIONS:
        assert stored(log, projection) == folded(projection, log_messages(log))


def test_a_feed_rebuilt_after_a_foreign_message_is_the_log_again(
    database_url: str, log: Log, nats_server: NatsServer
) -> None:
    async def work() -> None:
        append(log, EVENTS[:300])
        feed = Feed(database_url, nats_server.relay_url, nats_server.projections_url, SystemRandomness())
        await feed.catch_up()
        log.execute("DELETE FROM log.events WHERE position > 250")
        for projection in PROJECTIONS:
            rebuild(database_url, projection, accept=True)
        last = await rebuild_feed(
            database_url, nats_server.operator_url, nats_server.relay_url, SystemRandomness()
        )
        assert last == 250
        append(log, season(97, matches=2))
        await feed.catch_up()

    asyncio.run(work())
    assert_stream_is_log(database_url, asyncio.run(stream_content(nats_server)))
    for projection in PROJECTIONS:
        assert stored(log, projection) == folded(projection, log_messages(log))
