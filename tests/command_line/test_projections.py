"""`gongzhu projections`: where read models stand, rebuilt and proved, or what is wrong with them."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from adapters.command_line import projections
from adapters.feed import PROJECTIONS
from adapters.postgres.standings import standings
from projections.leaderboards import LEADERBOARDS
from tests.support.read_models_built import command, project
from tests.support.stored_matches import append, season

EVENTS = season(61, matches=6)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, EVENTS)
        yield connection


def test_status_tells_of_each_projection_where_it_stands(database_url: str, log: Log) -> None:
    before = json.loads(command(database_url, projections, "projections", "status", "--json").stdout)
    assert [(one["generation"], one["behind"]) for one in before] == [(None, len(EVENTS))] * len(PROJECTIONS)
    project(database_url, log)
    append(log, season(62, matches=1))
    found = command(database_url, projections, "projections", "status", "--json")
    assert found.exit_code == 0
    for one in json.loads(found.stdout):
        assert one["generation"] == 1
        assert one["position"] == len(EVENTS)
        assert one["behind"] > 0
        assert one["stopped"] is None
    assert "behind" in command(database_url, projections, "projections", "status").stdout


def test_event_that_cannot_be_applied_is_named_and_nothing_is_changed(database_url: str, log: Log) -> None:
    project(database_url, log)
    append(log, season(63, matches=1))
    log.execute("UPDATE log.events SET tag = 'Nonsense.1' WHERE position = %s", [len(EVENTS) + 1])
    found = command(database_url, projections, "projections", "status", "--json")
    assert found.exit_code == 1
    for one in json.loads(found.stdout):
        assert f"position {len(EVENTS) + 1}" in one["stopped"]
        assert "Nonsense.1" in one["stopped"]
        assert one["position"] == len(EVENTS)


def test_status_answers_while_someone_works_on_a_projection(database_url: str, log: Log) -> None:
    project(database_url, log)
    append(log, season(62, matches=1))
    with psycopg.connect(database_url) as working:
        working.execute("SELECT FROM projections.checkpoints WHERE projection = 'tables' FOR UPDATE")
        assert {one.stopped for one in standings(database_url, PROJECTIONS)} == {None}


def test_checkpoint_of_another_log_is_told_with_what_to_do(database_url: str, log: Log) -> None:
    project(database_url, log)
    log.execute("UPDATE projections.checkpoints SET digest = '\\x00' WHERE projection = 'tables'")
    stopped = {one.projection: one.stopped for one in standings(database_url, PROJECTIONS)}
    assert stopped["leaderboards"] is None
    assert "run `gongzhu projections rebuild tables`" in (stopped["tables"] or "")


def test_read_models_are_rebuilt_and_read_when_equal(database_url: str, log: Log) -> None:
    project(database_url, log)
    told = command(database_url, projections, "projections", "rebuild")
    assert told.exit_code == 0, told.output
    assert told.stdout.count("0 differ; generation 2 is read now") == len(PROJECTIONS)
    assert command(database_url, projections, "projections", "verify", "--all").exit_code == 0
    assert [one.generation for one in standings(database_url, PROJECTIONS)] == [2] * len(PROJECTIONS)


def test_differences_are_reported_and_flipped_only_when_accepted(database_url: str, log: Log) -> None:
    project(database_url, log, [LEADERBOARDS])
    log.execute("UPDATE leaderboards_1.standings SET points = points + 1 WHERE period = 'all'")
    for arguments in (["rebuild", "leaderboards"], ["verify", "leaderboards", "--all"]):
        told = command(database_url, projections, "projections", *arguments)
        assert told.exit_code == 1
        assert "generation 1 is still read" in told.stdout
        assert "leaderboards.standings: read is" in told.stderr
    accepted = command(
        database_url, projections, "projections", "rebuild", "leaderboards", "--accept", "--json"
    )
    assert accepted.exit_code == 0
    assert json.loads(accepted.stdout)[0]["flipped"]
    assert command(database_url, projections, "projections", "verify", "leaderboards", "--all").exit_code == 0


@pytest.mark.parametrize(
    ("change", "table"),
    [
        ("UPDATE leaderboards_1.standings SET points = points + 1", "leaderboards.standings"),
        ("UPDATE leaderboards_1.entries SET pigs = pigs + 1", "leaderboards.entries"),
        ("DELETE FROM hand_replays_1.hands", "hand_replays.hands"),
        ("UPDATE tables_1.matches SET annulled = NOT annulled", "tables.matches"),
    ],
)
def test_a_sample_finds_what_is_wrong_in_its_matches(
    database_url: str, log: Log, change: str, table: str
) -> None:
    project(database_url, log)
    sound = command(database_url, projections, "projections", "verify", "--sample", "6", "--json")
    assert sound.exit_code == 0, sound.output
    assert {one["matches"] for one in json.loads(sound.stdout)} == {6}
    log.execute(change.encode())
    told = command(database_url, projections, "projections", "verify", "--sample", "6")
    assert told.exit_code == 1
    assert table in told.stderr


def test_unknown_projection_is_a_usage_error(database_url: str) -> None:
    told = command(database_url, projections, "projections", "verify", "hands")
    assert told.exit_code == 2
    assert "there is no projection" in told.stderr
