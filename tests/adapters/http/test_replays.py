"""The viewer's document over the API: finished hands whole, nothing of a live one, notes as notation."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from uuid import UUID

import msgspec
import psycopg

from adapters.viewer_files import document_of
from domain.events import CardsPlayed, HandEnded, public_form
from domain.rulesets import RULESETS
from replays.notation import Comment, parse
from replays.timeline import Timeline
from replays.viewer.knowing import knowledge_shown
from tests.adapters.http.test_matches import seated
from tests.support.http import Served, served_on
from tests.support.live import ManualClock, player
from tests.support.stored_matches import append, played

NOBODY = UUID(int=404)


def on_site(database_url: str, folder: Path, look: Callable[[Served], Awaitable[None]]) -> None:
    async def run() -> None:
        async with served_on(database_url, folder, ManualClock()) as served:
            await look(served)

    asyncio.run(run())


def test_document_knowledge_and_notation_are_those_of_the_log(database_url: str, tmp_path: Path) -> None:
    events = [public_form(event) for event in played(RULESETS["blood-2"], Random(5), hands=1)]
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, played(RULESETS["blood-2"], Random(5), hands=1))
    timeline, match = Timeline(events), events[0].match
    step = next(event.version for event in events if isinstance(event, CardsPlayed))

    async def look(served: Served) -> None:
        answer = await served.get(f"/matches/{match}/replay")
        assert answer.status_code == 200
        assert answer.content == msgspec.json.encode(document_of(timeline, {}))
        again = await served.get(
            f"/matches/{match}/replay", headers={"If-None-Match": answer.headers["etag"]}
        )
        assert again.status_code == 304
        known = await served.get(f"/matches/{match}/hands/1/knowledge?viewer=seat2")
        assert known.content == msgspec.json.encode(knowledge_shown(timeline, timeline.hands, [2]))
        assert (await served.get(f"/matches/{match}/hands/2/knowledge")).status_code == 404
        comments = [{"step": step, "text": "a good lead"}, {"step": 10_000, "text": "nowhere"}]
        text = await served.client.post(f"/matches/{match}/notation", json={"comments": comments})
        assert text.headers["content-type"].startswith("text/plain")
        assert parse(text.text).comments == (Comment(step, "a good lead"),)
        assert list(parse(text.text).events) == events

    on_site(database_url, tmp_path, look)


def test_names_are_joined_when_read(database_url: str, tmp_path: Path) -> None:
    events = played(RULESETS["zero_sum-1"], Random(5), hands=1)
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, events)
    someone = next(event for event in events if isinstance(event, HandEnded)).players[2]

    async def look(served: Served) -> None:
        await asyncio.to_thread(served.site.people.names.rename, someone, "小猪", served.site.clock.now())
        read = (await served.get(f"/matches/{events[0].match}/replay")).json()
        assert read["names"] == {str(someone): "小猪"}

    on_site(database_url, tmp_path, look)


def test_match_in_its_first_hand_has_a_document_without_steps(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served)
        read = (await served.get(f"/matches/{match}/replay")).json()
        assert (read["steps"], read["hands"], read["in_play"]) == ([], [], True)
        assert str(player(0)) not in str(read)
        notation = await served.client.post(f"/matches/{match}/notation", json={})
        assert "deal" not in notation.text
        assert (await served.get(f"/matches/{match}/hands/1/knowledge")).status_code == 404

    on_site(database_url, tmp_path, look)


def test_match_that_is_not_there_is_a_problem_in_words(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        for path in ("replay", "hands/1/knowledge"):
            answer = await served.get(f"/matches/{NOBODY}/{path}")
            assert answer.status_code == 404
            assert answer.json()["reason"] == "MatchNotOpen"
        page = await served.get(f"/replay/{NOBODY}")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")

    on_site(database_url, tmp_path, look)
