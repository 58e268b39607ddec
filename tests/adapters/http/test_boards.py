"""Read models over HTTP: pages, filters, and what is not there."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.postgres import generations
from adapters.postgres.projection_store import ProjectionStore, connect
from tests.support.http import Served, served_on
from tests.support.live import ManualClock
from tests.support.read_models import PROJECTIONS
from tests.support.stored_matches import PLAYERS, append, log_messages, season


@pytest.fixture
def filled_url(database_url: str) -> str:
    """A database with a season in its log and its read models."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, season(11))
        messages = log_messages(connection)
    with connect(database_url) as connection:
        for projection in PROJECTIONS:
            generation = generations.open_live(connection, projection, "main")
            ProjectionStore(connection, projection, generation, "main").apply(messages)
    return database_url


def on_site(database_url: str, folder: Path, look: Callable[[Served], Awaitable[None]]) -> None:
    async def run() -> None:
        async with served_on(database_url, folder, ManualClock()) as served:
            await look(served)

    asyncio.run(run())


async def pages(served: Served, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    following: int | None = None
    while True:
        before = f"&before={following}" if following else ""
        answer = await served.get(f"{path}{before}")
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["matches"]
        following = page["next"]
        if following is None:
            return found


def test_pages_of_matches_are_together_the_whole_list(filled_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        whole = await pages(served, "/matches?limit=200")
        assert len(whole) > 3
        assert await pages(served, "/matches?limit=3") == whole

    on_site(filled_url, tmp_path, look)


def test_filters_keep_what_they_say(filled_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        player = str(PLAYERS[0])
        ruleset = "zero_sum-1"
        matches = await pages(served, f"/matches?ruleset={ruleset}&limit=100")
        assert matches
        assert {match["ruleset"] for match in matches} == {ruleset}
        board = (await served.get(f"/leaderboards/{ruleset}?origin=all")).json()
        assert {line["player"] for line in board} <= {str(known) for known in PLAYERS}
        entries = (await served.get(f"/players/{player}/entries")).json()
        assert {entry["player"] for entry in entries} == {player}

    on_site(filled_url, tmp_path, look)


def test_read_models_that_have_not_changed_are_not_sent_again(filled_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        hand = (await served.get("/hands?limit=1")).json()["hands"][0]
        document = f"/hands/{hand['match']}/{hand['hand_no']}"
        entries = f"/players/{PLAYERS[0]}/entries"
        for path in ("/matches", "/hands", document, "/leaderboards/zero_sum-1?origin=all", entries):
            first = await served.get(path)
            assert first.headers["cache-control"] == "no-cache", path
            again = await served.get(path, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b""), path

    on_site(filled_url, tmp_path, look)


@pytest.mark.parametrize(
    ("path", "status", "named"),
    [
        ("/matches?ruleset=poker", 400, "ruleset"),
        ("/matches?origin=mars", 400, "origin"),
        ("/matches?before=0", 400, "before"),
        ("/leaderboards/zero_sum-1?period=yesterday", 400, "period"),
        ("/leaderboards/zero_sum-1?period=2026-13", 400, "period"),
        ("/leaderboards/zero_sum-1?period=9999", 400, "period"),
        ("/leaderboards/poker", 404, "ruleset"),
    ],
)
def test_bad_filter_is_named_and_what_is_not_there_is_not_found(
    filled_url: str, tmp_path: Path, path: str, status: int, named: str
) -> None:
    async def look(served: Served) -> None:
        answer = await served.get(path)
        assert answer.status_code == status, answer.text
        assert named in answer.json()["detail"]

    on_site(filled_url, tmp_path, look)


def test_read_models_that_nothing_has_filled_are_a_503(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        answer = await served.get("/matches")
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"

    on_site(database_url, tmp_path, look)
