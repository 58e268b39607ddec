"""Reviews over HTTP: made when first asked for, in a process of their own; then there at once; of ended hands only."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg

from adapters.http.review_desk import MOST_WAITING
from replays.review import LIMITS, LIMITS_ZH, ReviewSettings
from tests.replays.matches import public, recorded_match, until_last_hand_ends
from tests.support.http import Served, served_on
from tests.support.live import ManualClock
from tests.support.stored_matches import append

QUICK = ReviewSettings(worlds=2, playouts=2)


def on_site(database_url: str, folder: Path, look: Callable[[Served], Awaitable[None]]) -> None:
    """A served site whose reviews are quickly made."""

    async def run() -> None:
        async with served_on(database_url, folder, ManualClock()) as served:
            served.site.reviews.settings = QUICK
            await look(served)

    asyncio.run(run())


async def once_made(served: Served, path: str) -> dict[str, Any]:
    """The review, once it is made."""
    async with asyncio.timeout(120):
        while True:
            answer = await served.get(path)
            if answer.status_code == 200:
                found: dict[str, Any] = answer.json()
                return found
            assert answer.status_code == 202, answer.text
            assert answer.headers["Retry-After"] == "5"
            await asyncio.gather(*served.site.reviews.orders)


def test_review_is_made_when_first_asked_for_and_there_at_once_afterwards(
    database_url: str, tmp_path: Path
) -> None:
    events = public(recorded_match("zero_sum-1", 1))
    path = f"/matches/{events[0].match}/review"
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, events)

    async def look(served: Served) -> None:
        unasked = await served.get(f"{path}?order=no")
        assert (unasked.status_code, unasked.json()["waiting"], served.site.reviews.orders) == (
            202,
            [1, 2],
            (),
        )
        first = await served.get(f"{path}?hand=1")
        assert (first.status_code, first.json()["hands"], first.json()["waiting"]) == (202, [], [1])
        found = await once_made(served, f"{path}?hand=1")
        assert (found["limits"], found["limits_zh"]) == (list(LIMITS), list(LIMITS_ZH))
        (review,) = found["hands"]
        assert len([one for one in review["decisions"] if one["kind"] == "play"]) == 52
        again = await served.get(path)
        assert (again.status_code, again.json()["waiting"]) == (202, [2])
        assert again.json()["hands"] == [review]
        missing = await served.get(f"{path}?hand=3")
        assert (missing.status_code, missing.json()["reason"]) == (404, "NoSuchHand")

    on_site(database_url, tmp_path, look)


def test_hand_in_progress_is_not_reviewed(database_url: str, tmp_path: Path) -> None:
    events = tuple(until_last_hand_ends(recorded_match("blood-1", 1)))
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, public(events))

    async def look(served: Served) -> None:
        refused = await served.get(f"/matches/{events[0].match}/review?hand=2")
        assert (refused.status_code, refused.json()["reason"]) == (404, "NoSuchHand")
        assert (await served.get(f"/matches/{events[0].match}/review")).json()["waiting"] == [1]

    on_site(database_url, tmp_path, look)


def test_only_so_many_reviews_wait(database_url: str, tmp_path: Path) -> None:
    match = recorded_match("blood-1", 1)[0].match

    async def look(served: Served) -> None:
        taken = [served.site.reviews.order(match, hand_no) for hand_no in range(1, MOST_WAITING + 2)]
        assert taken == [*[True] * MOST_WAITING, False]
        assert served.site.reviews.order(match, 1)

    on_site(database_url, tmp_path, look)
