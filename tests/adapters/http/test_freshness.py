"""What may be kept of an answer: nothing of what is a player's own; what all may see, until its ETag changes."""

import random
from pathlib import Path

import httpx
import pytest

from tests.adapters.http.test_matches import on_site, play_hand, seated
from tests.support.http import Served
from tests.support.live import player

CHECKED = "no-cache"
NOWHERE = "no-store"


async def asked_again(served: Served, path: str, etag: str) -> httpx.Response:
    return await served.get(path, headers={"If-None-Match": etag})


@pytest.mark.parametrize("path", ["/openapi/openapi.json", "/asyncapi.json", "/rulesets"])
def test_documents_are_kept_for_an_hour_and_not_sent_twice(
    database_url: str, tmp_path: Path, path: str
) -> None:
    async def look(served: Served) -> None:
        first = await served.get(path)
        assert first.headers["cache-control"] == "public, max-age=3600"
        again = await asked_again(served, path, first.headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert (await asked_again(served, path, '"other"')).content == first.content

    on_site(database_url, tmp_path, look)


def test_events_are_sent_again_when_there_are_more(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served)
        path = f"/matches/{match}/events?limit=200"
        before = await served.get(path)
        assert before.headers["cache-control"] == CHECKED
        await served.act(match, 0, "done")
        assert (await asked_again(served, path, before.headers["etag"])).status_code == 304
        for seat in (1, 2, 3):
            await served.act(match, seat, "done")
        await play_hand(served, match, random.Random(1), declared=True)
        ended = await asked_again(served, path, before.headers["etag"])
        assert (ended.status_code, ended.json()["events"][-1]["type"]) == (200, "MatchSettled")
        assert (await asked_again(served, path, ended.headers["etag"])).status_code == 304

    on_site(database_url, tmp_path, look)


def test_what_is_a_players_own_is_kept_nowhere(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served)
        own = await served.get(f"/matches/{match}?as=seat", headers=served.headers(1))
        everyones = await served.get(f"/matches/{match}", headers=served.headers(1))
        assert (own.headers["cache-control"], everyones.headers["cache-control"]) == (NOWHERE, CHECKED)
        assert own.headers["vary"] == everyones.headers["vary"] == "Authorization"
        named = await served.client.put(
            f"/players/{player(1)}/name", json={"name": "小猪"}, headers=served.headers(1)
        )
        answers = [
            named,
            await served.get(f"/names?player={player(1)}"),
            await served.client.post("/guests"),
            await served.get("/tables"),
            await served.act(match, 1, "done"),
            await served.act(match, 1, "done"),
            await served.get("/reports", headers=served.headers(role="investigator")),
            await served.get("/reports"),
            await served.get("/nowhere"),
            await served.get("/leaderboards/poker"),
        ]
        for answer in answers:
            assert answer.headers["cache-control"] == NOWHERE, answer.request.url
            assert "etag" not in answer.headers

    on_site(database_url, tmp_path, look)
