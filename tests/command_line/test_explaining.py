"""`gongzhu leaderboard`: a board, the ledger behind it, and the board before anyone decides."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from adapters.command_line import boards
from adapters.postgres import ledger
from domain.commands import AnnulMatch
from domain.events import Event
from domain.match import fold
from projections.leaderboards import LEADERBOARDS
from projections.leaderboards.rows import STANDINGS
from tests.support.read_models import stored
from tests.support.read_models_built import command, project
from tests.support.stored_matches import append, decided, season

EVENTS = season(81, matches=12)
Log = psycopg.Connection[Any]


@pytest.fixture
def log(database_url: str) -> Iterator[Log]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, EVENTS)
        project(database_url, connection, [LEADERBOARDS])
        yield connection


def test_every_board_adds_up_from_the_ledger(database_url: str, log: Log) -> None:
    players = {(row.player, row.ruleset) for row in stored(log, LEADERBOARDS)[STANDINGS.name].values()}
    assert len(players) > 10
    for player, ruleset in players:
        for one in ledger.explained(database_url, player, ruleset):
            assert one.adds_up
            assert one.entries


def test_explanation_names_the_event_of_each_row(database_url: str, log: Log) -> None:
    player, ruleset = _someone(log)
    told = command(database_url, boards, "leaderboard", "explain", str(player)[-4:], "-r", ruleset, "--json")
    assert told.exit_code == 0, told.output
    for one in json.loads(told.stdout):
        assert one["player"] == str(player)
        counting = [entry for entry in one["entries"] if entry["counts"]]
        assert sum(entry["points"] for entry in counting) == one["total"]["points"] == one["board"]["points"]
        for entry in one["entries"]:
            row = log.execute(
                "SELECT match::text, version FROM log.events WHERE position = %s", [entry["position"]]
            ).fetchone()
            assert row == (entry["match"], entry["recorded_by"])
    shown = command(database_url, boards, "leaderboard", "explain", str(player), "-r", ruleset)
    assert "sum points" in shown.stdout
    assert "board points" in shown.stdout


def test_sum_that_is_not_the_boards_is_told(database_url: str, log: Log) -> None:
    player, ruleset = _someone(log)
    log.execute("UPDATE leaderboards_1.standings SET points = points + 1")
    told = command(database_url, boards, "leaderboard", "explain", str(player), "-r", ruleset)
    assert told.exit_code == 1


@pytest.mark.usefixtures("log")
def test_player_must_be_one(database_url: str) -> None:
    for text in ("nobody", "0", "%"):
        told = command(database_url, boards, "leaderboard", "explain", text)
        assert isinstance(told.exception, Exception)
        assert "player" in str(told.exception)


def test_what_if_is_what_annulling_then_does(database_url: str, log: Log) -> None:
    tried = 0
    for match in _countable()[:5]:
        before = stored(log, LEADERBOARDS)
        told = command(database_url, boards, "leaderboard", "what-if", "--annul", str(match), "--json")
        assert told.exit_code == 0, told.output
        assert stored(log, LEADERBOARDS) == before
        events = [event for event in EVENTS if event.match == match]
        append(log, decided(events, AnnulMatch(case="1", cause="tried", by="staff")))
        project(database_url, log, [LEADERBOARDS])
        after = stored(log, LEADERBOARDS)
        for board in json.loads(told.stdout):
            tried += 1
            _assert_is_board(board, after)
    assert tried > 2


@pytest.mark.usefixtures("log")
def test_what_if_is_shown_as_a_table(database_url: str) -> None:
    first, second, *_ = (str(match) for match in _countable())
    told = command(database_url, boards, "leaderboard", "what-if", "--annul", first, second)
    assert told.exit_code == 0, told.output
    assert "as it would be, and as it is" in told.stdout


def _assert_is_board(board: dict[str, Any], content: dict[str, dict[Any, Any]]) -> None:
    """A what-if's board is the one that then came to be, ratings to the digit."""
    standings = {
        str(row.player): row.points
        for row in content["standings"].values()
        if (row.ruleset, row.origin, row.period) == (board["ruleset"], board["origin"], "all")
    }
    told = {one["player"]: one["after"] for one in board["players"] if one["after"]}
    assert {player: place["points"] for player, place in told.items()} == standings
    ratings = {
        str(row.player): row.mu - 3 * row.sigma
        for row in content["ratings"].values()
        if (row.ruleset, row.origin) == (board["ruleset"], board["origin"])
    }
    assert {one: place["rating"] for one, place in told.items() if place["rating"] is not None} == {
        one: rating for one, rating in ratings.items() if one in told
    }


def _someone(log: Log) -> tuple[UUID, str]:
    row = next(iter(stored(log, LEADERBOARDS)[STANDINGS.name].values()))
    return row.player, row.ruleset


def _countable() -> list[UUID]:
    """Matches that have ended and are not annulled."""
    by_match: dict[UUID, list[Event]] = {}
    for event in EVENTS:
        by_match.setdefault(event.match, []).append(event)
    states = [fold(events) for events in by_match.values()]
    return [state.id for state in states if state and state.ended and not state.annulled]
