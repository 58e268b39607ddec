"""A sample recomputed is the same at any moment of a log, in whatever state its matches are."""

from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest

from adapters.feed import PROJECTIONS
from adapters.postgres import generations
from adapters.postgres.projection_store import ProjectionStore, connect
from adapters.verifying import verify_sample
from projections.leaderboards import LEADERBOARDS
from projections.runner import Projection
from tests.support.read_models import stored
from tests.support.stored_matches import append, log_messages, season

EVENTS = season(111, matches=8)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, EVENTS)
        yield connection


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_what_grew_is_found_sound_at_any_split(projection: Projection, database_url: str, log: Log) -> None:
    messages = log_messages(log)
    with connect(database_url) as connection:
        generation = generations.open_live(connection, projection, "main")
        store = ProjectionStore(connection, projection, generation, "main")
        done = 0
        for split in [*sorted(Random(5).sample(range(1, len(EVENTS)), k=3)), len(EVENTS)]:
            store.apply(messages[done:split])
            done = split
            found = verify_sample(database_url, projection, 8)
            assert (found.equal, found.position) == (True, split), found
            assert found.matches > 0


def test_nothing_is_changed_by_looking(database_url: str, log: Log) -> None:
    with connect(database_url) as connection:
        generation = generations.open_live(connection, LEADERBOARDS, "main")
        ProjectionStore(connection, LEADERBOARDS, generation, "main").apply(log_messages(log))
    before = stored(log, LEADERBOARDS)
    verify_sample(database_url, LEADERBOARDS, 3)
    assert stored(log, LEADERBOARDS) == before
    assert generations.others(log, LEADERBOARDS.name) == [1]


def test_before_there_is_a_read_model_there_is_nothing_to_compare(database_url: str) -> None:
    found = verify_sample(database_url, LEADERBOARDS, 3)
    assert (found.generation, found.matches, found.equal) == (None, 0, True)
