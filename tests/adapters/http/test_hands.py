"""The library over HTTP: every filter does what its name says, whole pages, and wrong filters are named."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from adapters.hand_search import FILTERS, HandSearch
from domain.seats import SEATS
from projections.hand_replays import HAND_REPLAYS
from tests.support.http import Served, served_on
from tests.support.live import ManualClock
from tests.support.read_models_built import project
from tests.support.stored_matches import PLAYERS, append, season

ONE, TWO = PLAYERS[:2]


@pytest.fixture(scope="module")
def library_url(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """A database with a season in its log and the library made of it."""
    with databases() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            append(connection, season(11, matches=16))
            project(url, connection, [HAND_REPLAYS])
        yield url


def on_site(database_url: str, folder: Path, look: Callable[[Served], Awaitable[None]]) -> None:
    async def run() -> None:
        async with served_on(database_url, folder, ManualClock()) as served:
            await look(served)

    asyncio.run(run())


async def every(served: Served, query: str) -> list[dict[str, Any]]:
    """The hands of all pages of a search."""
    found: list[dict[str, Any]] = []
    before = ""
    while True:
        answer = await served.get(f"/hands?{query}{before}")
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["hands"]
        if page["next"] is None:
            return found
        before = f"&before={page['next']}"


def score_of(hand: dict[str, Any], player: UUID) -> int:
    score: int = hand["raw_scores"][hand["players"].index(str(player))]
    return score


def test_pages_are_together_the_whole_list_in_every_order(library_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        keys: dict[str, Callable[[dict[str, Any]], Any]] = {
            "newest": lambda hand: hand["ended_at"],
            "swing": lambda hand: hand["swing"],
            "highest": lambda hand: max(hand["raw_scores"]),
            "lowest": lambda hand: -min(hand["raw_scores"]),
        }
        for order, key in keys.items():
            whole = await every(served, f"order={order}&limit=200")
            assert await every(served, f"order={order}&limit=3") == whole
            assert [key(hand) for hand in whole] == sorted((key(hand) for hand in whole), reverse=True)
            assert len(whole) > 10

    on_site(library_url, tmp_path, look)


def test_filters_keep_what_they_say(library_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        whole = await every(served, "limit=200")
        mine = await every(served, f"player={ONE}")
        assert mine == [hand for hand in whole if str(ONE) in hand["players"]]
        assert 0 < len(mine) < len(whole)
        low = await every(served, f"player={ONE}&score_max=-100&order=lowest")
        assert [score_of(hand, ONE) for hand in low] == sorted(
            score for hand in mine if (score := score_of(hand, ONE)) <= -100
        )
        against = await every(served, f"player={ONE}&opponent={TWO}")
        together = await every(served, f"player={ONE}&partner={TWO}")
        assert against
        for hand in [*against, *together]:
            seats = [hand["players"].index(str(player)) for player in (ONE, TWO)]
            across = hand["ruleset"].endswith("partners") and (seats[0] - seats[1]) % 4 == 2
            assert (hand in together) == across
        for special in {special for hand in whole for special in hand["specials"]}:
            assert await every(served, f"special={special}") == [
                hand for hand in whole if special in hand["specials"]
            ]

    on_site(library_url, tmp_path, look)


def test_hand_of_a_list_is_read_whole_and_one_that_is_not_there_is_not_found(
    library_url: str, tmp_path: Path
) -> None:
    async def look(served: Served) -> None:
        hand = (await served.get("/hands?limit=1")).json()["hands"][0]
        whole = (await served.get(f"/hands/{hand['match']}/{hand['hand_no']}")).json()
        assert {name: whole[name] for name in hand} == hand
        assert len(whole["document"]["deal"]["hands"]) == len(SEATS)
        assert (await served.get(f"/hands/{UUID(int=0)}/1")).status_code == 404

    on_site(library_url, tmp_path, look)


WRONG = {
    "colour=red": "colour",
    "special=nothing": "special",
    "player=me": "player",
    f"partner={TWO}": "partner: ",
    f"player={ONE}&opponent={'&opponent='.join(str(TWO) for _ in range(4))}": "opponent",
    "ruleset=poker": "ruleset: ",
    "origin=mars": "origin",
    "from=yesterday": "from: ",
    "from=2026-12&to=2026-11": "to: ",
    "score_min=a": "score_min",
    "swing_min=2&swing_max=1": "swing_max: ",
    "points_max=99999999999999999999": "points_max",
    "order=oldest": "order",
    "before=17": "before: ",
    "limit=1000": "limit",
}


def test_wrong_filters_are_named(library_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        for query, named in WRONG.items():
            answer = await served.get(f"/hands?{query}")
            assert answer.status_code == 400, (query, answer.text)
            assert named in answer.json()["detail"]

    on_site(library_url, tmp_path, look)


def test_link_of_a_search_is_a_query_of_the_api(library_url: str, tmp_path: Path) -> None:
    full = HandSearch(
        player=ONE, partner=TWO, opponent=(PLAYERS[2],), ruleset="blood-1", origin="served", from_="2026",
        to="2026-12-31", special=("autopilot",), score_min=-9999, score_max=9999, points_min=-9999, points_max=9999,
        swing_min=0, swing_max=99999, order="highest",
    )  # fmt: skip

    async def look(served: Served) -> None:
        document = (await served.get("/openapi/openapi.json")).json()
        parameters = document["paths"]["/hands"]["get"]["parameters"]
        assert {one["name"] for one in parameters} == {*FILTERS, "before", "limit"}
        assert all(
            one.get("description") or one["schema"].get("description")
            for one in parameters
            if one["name"] != "origin"
        )
        assert await every(served, full.query) == []
        some = HandSearch(player=ONE, special=("autopilot",), from_="2026", order="highest")
        assert await every(served, some.query)

    on_site(library_url, tmp_path, look)


def test_browser_gets_the_page_where_programs_get_the_hands(library_url: str, tmp_path: Path) -> None:
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    async def look(served: Served) -> None:
        for accept, kind in (
            (browser, "text/html; charset=utf-8"),
            ("*/*", "application/json"),
            ("application/json, text/html;q=0.5", "application/json"),
        ):
            own = "&lang=zh" if kind.startswith("text") else ""
            answer = await served.get(f"/hands?special=slam{own}", headers={"Accept": accept})
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == kind
            assert answer.headers["vary"] == "Accept"
            assert answer.headers["cache-control"] == "no-cache"
        again = await served.get(
            "/hands", headers={"Accept": browser, "If-None-Match": answer.headers["etag"]}
        )
        assert again.status_code == 200, "the data's ETag is not the page's"

    on_site(library_url, tmp_path, look)
