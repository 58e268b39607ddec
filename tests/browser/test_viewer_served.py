"""The replay viewer served: finished matches, matches in play, and what each seat was sent live."""

import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from playwright.sync_api import expect

from domain.events import CardsPlayed, HandEnded
from domain.rulesets import RULESETS
from domain.visibility import SPECTATOR, Viewer
from replays.notation import Comment, parse
from tests.adapters.http.test_matches import play_hand, seated
from tests.browser.test_viewer_rules import comparable
from tests.browser.viewer_pages import at_step, ready
from tests.support.chromium import Pages
from tests.support.http import Client, Served
from tests.support.served_in_thread import Elsewhere
from tests.support.stored_matches import append, played

NOBODY = UUID(int=404)
LIVE_VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, SPECTATOR)

VIEWS = """
async ({ match, numbers }) => {
    const { statesOf, viewOf } = await import("/assets/viewer/course.js");
    const states = statesOf(await (await fetch(`/matches/${match}/replay`)).json());
    return numbers.map(([viewer, number]) => viewOf(states[number], viewer));
}
"""


@pytest.fixture(name="finished", scope="module")
def finished_fixture(site_database: str) -> UUID:
    """A finished match of two decks in the log."""
    events = played(RULESETS["blood-2"], random.Random(5), hands=1)
    with psycopg.connect(site_database, autocommit=True) as connection:
        append(connection, events)
    return events[0].match


def of_names(players: tuple[UUID, ...]) -> Callable[[Served], Any]:
    async def rename(served: Served) -> None:
        for player, name in zip(players, ("小猪", "Anna", "老王", "Bob"), strict=True):
            served.site.people.names.rename(player, name, served.site.clock.now())

    return rename


def test_finished_match_is_replayed_with_names_knowledge_and_notation(
    finished: UUID, site: Elsewhere, pages: Pages, tmp_path: Path
) -> None:
    events = played(RULESETS["blood-2"], random.Random(5), hands=1)
    ended = next(event for event in events if isinstance(event, HandEnded))
    step = [event.version for event in events if isinstance(event, CardsPlayed)][20]
    site.run(of_names(ended.players))
    page = ready(pages.open(f"/replay/{finished}#step={step}&viewer=seat1"))
    expect(page.locator("#eyes")).to_contain_text("Anna (1)")
    page.click("#tab-known")
    expect(page.locator("table.known tbody tr").first).to_be_visible(timeout=30_000)
    page.click("#tab-score")
    expect(page.get_by_role("table", name="Score of hand 1")).to_be_visible()
    page.click("#tab-notes")
    page.get_by_label(f"Note on step {step}").fill("here")
    page.get_by_role("button", name="Keep the note").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the match with notes").click()
    download.value.save_as(tmp_path / "match.txt")
    written = parse((tmp_path / "match.txt").read_text(encoding="utf-8"))
    assert written.comments == (Comment(step, "here"),)
    assert written.complete
    at_step(page, len(written.events))
    assert len(written.events) == int(page.locator("#counter").inner_text().split()[-1])


def test_seat_sees_in_the_replay_what_it_was_sent_live(site: Elsewhere, pages: Pages) -> None:
    sent: list[tuple[Viewer, int, dict[str, Any]]] = []
    match = site.run(lambda served: seated(served, ruleset="zero_sum-1", hands=1))
    page = ready(pages.open(f"/replay/{match}"))
    expect(page.locator("#notices")).to_contain_text("Nothing to replay yet")
    expect(page.get_by_role("link", name="Watch the table")).to_have_attribute("href", f"/table/{match}")

    async def play(served: Served) -> None:
        async with AsyncExitStack() as stack:
            clients = [
                (viewer, await stack.enter_async_context(_client(served, match, viewer)))
                for viewer in LIVE_VIEWERS
            ]
            await play_hand(served, match, random.Random(1))
            end = (await served.get(f"/matches/{match}")).json()["number"]
            for viewer, client in clients:
                while client.number < end:
                    await client.next()
                    sent.append((viewer, client.number, client.view))

    site.run(play)
    assert len(sent) > 250
    numbers = [(viewer, number) for viewer, number, _ in sent]
    shown = page.evaluate(VIEWS, {"match": str(match), "numbers": numbers})
    for (viewer, number, live), view in zip(sent, shown, strict=True):
        assert comparable(view) == comparable(live), (viewer, number)
    page.reload()
    at_step(ready(page), 40, 2)
    expect(page.locator("#notices")).to_be_empty()


def _client(served: Served, match: UUID, viewer: Viewer) -> Client:
    return served.socket(match, viewer if isinstance(viewer, int) else None)


def test_match_that_is_not_there_is_said_in_words(site: Elsewhere, pages: Pages) -> None:
    assert site.url
    pages.allow("404|400")
    page = ready(pages.open(f"/replay/{NOBODY}"))
    expect(page.locator("#notices")).to_contain_text(f"There is no match {NOBODY} here")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#notices")).to_contain_text("这里没有牌局")
    expect(ready(pages.open("/replay/nothing")).locator("#notices")).to_contain_text(
        "There is no match nothing"
    )
