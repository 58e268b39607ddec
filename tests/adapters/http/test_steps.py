"""A match at any step over the API: what stepping to it gives, what live viewers were sent, and nothing early."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from domain.events import HandDealt, public_form
from domain.match import Match, evolve
from domain.rulesets import RULESETS
from domain.visibility import EVERYTHING, SPECTATOR, Viewer, view
from replays.disclosure import disclosed
from replays.knowledge import knowledge_at, told
from replays.timeline import Timeline
from tests.adapters.http.test_matches import play_hand, seated
from tests.support.http import Client, Served, served_on
from tests.support.live import ManualClock
from tests.support.stored_matches import append, played

VIEWERS: dict[str, Viewer] = {
    "spectator": SPECTATOR,
    "all": EVERYTHING,
    "seat0": 0,
    "seat1": 1,
    "seat2": 2,
    "seat3": 3,
}


def on_site(database_url: str, folder: Path, look: Callable[[Served], Awaitable[None]]) -> None:
    async def run() -> None:
        async with served_on(database_url, folder, ManualClock()) as served:
            await look(served)

    asyncio.run(run())


def as_json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


async def shown(served: Served, match: UUID, step: int, viewer: str) -> dict[str, Any]:
    answer = await served.get(f"/matches/{match}/steps/{step}?viewer={viewer}")
    assert answer.status_code == 200, answer.text
    read: dict[str, Any] = answer.json()
    return read


def test_jumping_to_a_step_gives_what_stepping_to_it_gives(database_url: str, tmp_path: Path) -> None:
    chance = random.Random(3)
    matches = [
        played(RULESETS[name], random.Random(name), hands=1) for name in ("blood-1", "zero_sum-2-partners")
    ]
    with psycopg.connect(database_url, autocommit=True) as connection:
        for events in matches:
            append(connection, events)

    async def look(served: Served) -> None:
        for events in matches:
            stepped: list[Match] = []
            for event in disclosed([public_form(event) for event in events]):
                stepped.append(evolve(stepped[-1] if stepped else None, event))
            for step in chance.sample(range(1, len(events) + 1), k=25):
                name = chance.choice(sorted(VIEWERS))
                read = await shown(served, events[0].match, step, name)
                assert read["view"] == as_json(view(stepped[step - 1], VIEWERS[name]))
                assert read["event"] == as_json(public_form(events[step - 1]))
                assert (read["step"], read["steps"]) == (step, len(events))
                assert read["caption"]["kind"] == read["event"]["type"]

    on_site(database_url, tmp_path, look)


def test_replay_shows_each_viewer_what_he_was_sent_live(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served, ruleset="zero_sum-1", hands=1)
        sent: dict[str, dict[int, Any]] = {}
        async with AsyncExitStack() as stack:
            clients = {
                name: await stack.enter_async_context(
                    served.socket(match, viewer if isinstance(viewer, int) else None)
                )
                for name, viewer in VIEWERS.items()
                if viewer != EVERYTHING
            }
            await play_hand(served, match, random.Random(1))
            end = (await served.get(f"/matches/{match}")).json()["number"]
            for name, client in clients.items():
                sent[name] = await _frames(client, end)
        for name, views in sent.items():
            assert len(views) > 50
            for number, seen in views.items():
                assert (await shown(served, match, number, name))["view"] == seen

    on_site(database_url, tmp_path, look)


async def _frames(client: Client, end: int) -> dict[int, Any]:
    """What the client saw at each number it was sent."""
    views: dict[int, Any] = {}
    while client.number < end:
        await client.next()
        views[client.number] = client.view
    return views


def test_knowledge_is_that_of_the_library(database_url: str, tmp_path: Path) -> None:
    events = played(RULESETS["blood-1"], random.Random(2), hands=1)
    timeline = Timeline([public_form(event) for event in events])
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, events)

    async def look(served: Served) -> None:
        (hand,) = timeline.hands
        for step in range(hand.first, hand.last, 9):
            for name in ("spectator", "seat0", "seat3"):
                viewer = VIEWERS[name]
                assert viewer != EVERYTHING
                answer = await served.get(f"/matches/{events[0].match}/knowledge?step={step}&viewer={name}")
                assert answer.status_code == 200, answer.text
                assert answer.json() == as_json(told(knowledge_at(timeline, step, viewer)))

    on_site(database_url, tmp_path, look)


def test_hand_in_play_is_shown_to_spectators_only(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served, ruleset="zero_sum-1", hands=1)
        number = (await served.get(f"/matches/{match}")).json()["number"]
        read = await shown(served, match, number, "spectator")
        assert read["event"]["type"] == HandDealt.__name__
        assert read["view"]["hand"]["all_cards"] is None
        assert (await served.get(f"/matches/{match}/knowledge?step={number}")).json()["seats"][0][
            "truth"
        ] is None
        for viewer in ("all", "seat0"):
            refused = await served.get(
                f"/matches/{match}/steps/{number}?viewer={viewer}", headers=served.headers(0)
            )
            assert (refused.status_code, refused.json()["reason"]) == (409, "CardsNotPublic")
        refused = await served.get(
            f"/matches/{match}/knowledge?step={number}&viewer=seat0", headers=served.headers(0)
        )
        assert (refused.status_code, refused.json()["reason"]) == (409, "CardsNotPublic")
        await play_hand(served, match, random.Random(1))
        assert (await shown(served, match, number, "all"))["view"]["hand"]["all_cards"] is not None

    on_site(database_url, tmp_path, look)


def test_what_is_not_there_is_refused_by_name(database_url: str, tmp_path: Path) -> None:
    async def look(served: Served) -> None:
        match = await seated(served)
        for path, status, reason in (
            (f"/matches/{match}/steps/999", 404, "NoSuchStep"),
            (f"/matches/{UUID(int=0)}/steps/1", 404, "MatchNotOpen"),
            (f"/matches/{match}/steps/1?viewer=seat4", 400, "BadRequest"),
            (f"/matches/{match}/steps/0", 400, "BadRequest"),
            (f"/matches/{match}/knowledge?step=1", 409, "NoHandThere"),
            (f"/matches/{match}/knowledge?step=999", 404, "NoSuchStep"),
            (f"/matches/{match}/knowledge?step=3&viewer=all", 400, "BadRequest"),
            (f"/matches/{match}/knowledge", 400, "BadRequest"),
        ):
            answer = await served.get(path)
            assert (answer.status_code, answer.json()["reason"]) == (status, reason), path

    on_site(database_url, tmp_path, look)
