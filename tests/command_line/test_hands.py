"""`gongzhu hands`: what is found, as a table, as JSON and as a link that means the same."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import psycopg
import pytest

from adapters.bots import bot_id
from adapters.command_line import hands
from adapters.hand_search import HandSearch, search_of
from projections.hand_replays import HAND_REPLAYS
from projections.leaderboards import LEADERBOARDS
from tests.support.read_models_built import command, project
from tests.support.stored_matches import PLAYERS, append, season

ONE, TWO = PLAYERS[:2]


@pytest.fixture(scope="module")
def library_url(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """A database with a season in its log, the library and the boards made of it."""
    with databases() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            append(connection, season(11, matches=16))
            project(url, connection, [HAND_REPLAYS, LEADERBOARDS])
        yield url


def found(url: str, *arguments: str) -> list[dict[str, Any]]:
    told = command(url, hands, "hands", *arguments, "--limit", "200", "--json")
    assert told.exit_code == 0, told.output
    answer = json.loads(told.stdout)
    assert answer["behind"] == 0
    rows: list[dict[str, Any]] = answer["rows"]
    return rows


def test_options_and_a_saved_link_find_the_same(library_url: str) -> None:
    options = ("--player", str(ONE), "--special", "autopilot", "--score-max", "100", "--order", "lowest")
    by_options = found(library_url, *options)
    assert by_options
    link = command(library_url, hands, "hands", *options, "--link").stdout.strip()
    assert link == f"/hands?player={ONE}&special=autopilot&score_max=100&order=lowest"
    assert found(library_url, link) == by_options
    assert found(library_url, link.partition("?")[2], "--order", "newest") != by_options
    both = command(library_url, hands, "hands", link, "--special", "slam", "-r", "blood-1", "--link").stdout
    assert search_of(both.strip()) == HandSearch(
        player=ONE, special=("autopilot", "slam"), ruleset="blood-1", score_max=100, order="lowest"
    )


def test_player_may_be_named_by_a_part_of_his_id_or_as_a_bot(library_url: str) -> None:
    whole = found(library_url, "--player", str(ONE), "--opponent", str(TWO))
    assert whole
    assert found(library_url, "--player", str(ONE)[-4:], "--opponent", f"…{str(TWO)[-4:]}") == whole
    link = command(library_url, hands, "hands", "--player", "bot 3", "--link").stdout
    assert link.strip() == f"/hands?player={bot_id(3)}"


def test_table_fits_a_narrow_terminal_and_says_how_to_go_on(library_url: str) -> None:
    told = command(library_url, hands, "hands", "--limit", "3")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (first, *_) = found(library_url)
    assert f"…{first['match'][-8:]}" in told.stdout
    assert f"gongzhu replay {first['match'][-8:]} --hand {first['hand_no']}" in told.stderr
    before = told.stderr.rpartition("--before ")[2].split("`")[0]
    following = found(library_url, "--before", before)
    assert following == found(library_url)[3:]


def test_nothing_found_says_what_to_do(library_url: str) -> None:
    told = command(library_url, hands, "hands", "--score-min", "999999")
    assert "leave out a condition" in told.stdout


def test_library_without_hands_says_how_to_get_some(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        project(database_url, connection, [HAND_REPLAYS])
    assert "no finished hands yet" in command(database_url, hands, "hands").stdout


WRONG = {
    "special": ("--special", "luck"),
    "partner": ("--partner", str(ONE)),
    "colour": ("?colour=red",),
    "from": ("--from", "yesterday"),
    "before": ("--before", "x"),
    "ruleset": ("-r", "poker"),
}


def test_what_means_nothing_is_a_usage_error_that_names_it(library_url: str) -> None:
    for name, arguments in WRONG.items():
        told = command(library_url, hands, "hands", *arguments)
        assert told.exit_code == 2, arguments
        assert f"{name}: " in told.stderr
