"""A batch and its checkpoint are one: applied whole, once, in order, by any number of workers, or not at all."""

from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from adapters.postgres import generations
from adapters.postgres.projection_store import GenerationReplaced, ProjectionStore, connect
from projections.messages import Message
from projections.read_model import RowsUnavailable
from projections.runner import CannotApply, Projection, ProjectionStopped
from tests.support.read_models import PROJECTIONS, folded, stored
from tests.support.stored_matches import append, log_messages, season

EACH = pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)


@pytest.fixture
def messages(database_url: str) -> list[Message]:
    """A season stored in the log, as messages."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, season(11))
        return log_messages(connection)


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with connect(database_url) as connection:
        yield connection


def store_of(connection: psycopg.Connection[Any], projection: Projection) -> ProjectionStore:
    generation = generations.open_live(connection, projection, "main")
    return ProjectionStore(connection, projection, generation, "main")


@EACH
def test_any_batches_give_the_rows_of_one_fold(
    projection: Projection, connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    store, random, at = store_of(connection, projection), Random(5), 0
    while at < len(messages):
        size = random.choice([1, 2, 50, 400])
        applied = store.apply(messages[at : at + size])
        at = applied.checkpoint.position
        assert not applied.gap
    assert store.checkpoint().position == len(messages)
    assert store.checkpoint().digest == messages[-1].digest
    assert stored(connection, projection) == folded(projection, messages)


@EACH
def test_a_worker_that_starts_anew_at_any_position_goes_on_to_the_same_rows(
    projection: Projection, connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    for split in Random(1).sample(range(1, len(messages)), k=6):
        store_of(connection, projection).apply(messages[:split])
        store_of(connection, projection).apply(messages[split:])
        assert stored(connection, projection) == folded(projection, messages), split
        generation = generations.create(connection, projection, "main")
        generations.make_live(connection, projection.name, generation)


@EACH
def test_delivering_twice_is_delivering_once(
    projection: Projection, connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    store = store_of(connection, projection)
    for start in range(0, len(messages), 100):
        store.apply(messages[max(0, start - 70) : start + 100])
        store.apply(messages[start : start + 100])
    assert stored(connection, projection) == folded(projection, messages)


@EACH
def test_two_workers_on_one_projection_apply_each_message_once(
    projection: Projection, database_url: str, messages: list[Message]
) -> None:
    with connect(database_url) as one, connect(database_url) as two:
        workers = [store_of(one, projection), store_of(two, projection)]
        random = Random(2)
        while (at := workers[0].checkpoint().position) < len(messages):
            # Both bring what they have, the slower one from further back.
            random.choice(workers).apply(messages[at : at + 37])
            random.choice(workers).apply(messages[max(0, at - 20) : at + 60])
        assert stored(one, projection) == folded(projection, messages)


def test_a_gap_ends_the_batch_before_it(connection: psycopg.Connection[Any], messages: list[Message]) -> None:
    store = store_of(connection, PROJECTIONS[0])
    applied = store.apply([*messages[:10], *messages[11:20]])
    assert (applied.checkpoint.position, applied.gap) == (10, True)
    applied = store.apply(messages[11:20])
    assert (applied.checkpoint.position, applied.gap) == (10, True)
    assert not store.apply(messages[5:20]).gap
    assert stored(connection, PROJECTIONS[0]) == folded(PROJECTIONS[0], messages[:20])


@EACH
def test_a_worker_that_dies_between_write_and_commit_has_done_nothing(
    projection: Projection,
    database_url: str,
    connection: psycopg.Connection[Any],
    messages: list[Message],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store_of(connection, projection).apply(messages[:100])
    with connect(database_url) as doomed:
        store = store_of(doomed, projection)
        advance = generations.advance

        def die(written: psycopg.Connection[Any], *arguments: Any) -> None:
            advance(written, *arguments)
            connection.execute("SELECT pg_terminate_backend(%s, 10000)", [doomed.info.backend_pid])

        with monkeypatch.context() as patch:
            patch.setattr(generations, "advance", die)
            with pytest.raises(RowsUnavailable):
                store.apply(messages[100:200])
    assert stored(connection, projection) == folded(projection, messages[:100])
    store_of(connection, projection).apply(messages)
    assert stored(connection, projection) == folded(projection, messages)


@EACH
def test_a_failed_batch_leaves_nothing_behind_in_the_worker(
    projection: Projection,
    connection: psycopg.Connection[Any],
    messages: list[Message],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = store_of(connection, projection)
    store.apply(messages[:100])
    with monkeypatch.context() as patch:
        patch.setattr(generations, "advance", _unavailable)
        with pytest.raises(RowsUnavailable):
            store.apply(messages[100:300])
    for start in range(100, len(messages), 250):
        store.apply(messages[start : start + 250])
    assert stored(connection, projection) == folded(projection, messages)


def _unavailable(*_: Any) -> None:
    raise RowsUnavailable("just now")


@EACH
def test_an_event_that_cannot_be_applied_stops_the_projection_after_what_came_before(
    projection: Projection, database_url: str, connection: psycopg.Connection[Any]
) -> None:
    events = season(12)
    with psycopg.connect(database_url, autocommit=True) as other:
        last = append(other, events[:321])
        other.execute("UPDATE log.events SET tag = 'MatchPostponed.7' WHERE position = %s", [301])
        messages = log_messages(other)
    store = store_of(connection, projection)
    with pytest.raises(CannotApply) as stopped:
        store.apply(messages)
    assert store.checkpoint().position == 300 < last
    assert stored(connection, projection) == folded(projection, messages[:300])
    text = str(stopped.value)
    for part in (
        projection.name,
        "position 301",
        str(messages[300].match),
        "MatchPostponed.7",
        "unknown tag",
    ):
        assert part in text
    with pytest.raises(CannotApply):
        store.apply(messages[300:])
    assert store.checkpoint().position == 300


def test_an_event_that_cannot_follow_stops_the_projection(
    connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    store = store_of(connection, PROJECTIONS[0])
    skipped = [replace(m, position=i, sequence=i) for i, m in enumerate(messages[1:50], 1)]
    with pytest.raises(CannotApply, match=r"position 1: match .* begins with MatchOpened"):
        store.apply(skipped)


def test_a_message_that_is_not_what_it_says_stops_the_projection(
    connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    store = store_of(connection, PROJECTIONS[0])
    for changed, text in [
        (replace(messages[4], sequence=6), "calls itself 6"),
        (replace(messages[4], version=1), "its body is of match"),
    ]:
        with pytest.raises(CannotApply, match=f"position {changed.sequence}.*{text}.*gongzhu feed rebuild"):
            store.apply([*messages[:4], changed])
        assert store.checkpoint().position == 4


def test_messages_the_log_does_not_hold_are_not_applied(
    connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    store = store_of(connection, PROJECTIONS[0])
    fed = [replace(message, epoch="one") for message in messages[:10]]
    store.apply(fed[:5])
    with pytest.raises(ProjectionStopped, match=r"position 10: .*another one than the log.*feed rebuild"):
        store.apply([*fed[:9], replace(fed[9], digest=bytes(32))])
    beyond = replace(fed[9], position=10**6, sequence=10**6)
    connection.execute("UPDATE projections.checkpoints SET position = %s", [10**6 - 1])
    with pytest.raises(ProjectionStopped, match=r"position 1000000: .*not in the log.*feed rebuild"):
        store.apply([beyond])


def test_an_old_worker_does_not_write_once_another_generation_is_read(
    database_url: str, connection: psycopg.Connection[Any], messages: list[Message]
) -> None:
    projection = PROJECTIONS[0]
    old = store_of(connection, projection)
    old.apply(messages[:10])
    with connect(database_url) as other:
        generations.make_live(other, projection.name, generations.create(other, projection, "main"))
    with pytest.raises(GenerationReplaced):
        old.apply(messages[10:20])
    assert old.checkpoint().position == 10


def test_rows_of_another_version_are_not_touched(connection: psycopg.Connection[Any]) -> None:
    projection = PROJECTIONS[0]
    store_of(connection, projection)
    with pytest.raises(ProjectionStopped, match="gongzhu projections rebuild tables"):
        store_of(connection, projection._replace(revision=99))
