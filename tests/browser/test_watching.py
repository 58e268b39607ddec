"""A spectator sees what everyone may see and no more; tables that wait, and what cannot be shown, are said in words."""

import re
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from playwright.sync_api import Page, expect

from domain.cards import cards_in, names_of
from domain.visibility import SPECTATOR, view
from tests.support.chromium import Pages
from tests.support.served_in_thread import Elsewhere
from tests.support.table_page import (
    Frames,
    choose_name,
    done_declaring,
    is_my_turn,
    match_of,
    number_of,
    open_table,
    passed,
    phase_is,
    play_one,
)


def held(site: Elsewhere, page: Page) -> set[str]:
    """The cards that are still in a hand at the table of a page, by name; not those that lie open there."""

    async def read(served: Any) -> set[str]:
        match = await served.live.service.fresh(match_of(page))
        decks = match.ruleset.decks
        names = {name for cards in match.hand.holdings for name in names_of(cards_in(cards), decks)}
        seen = view(match, SPECTATOR).hand
        return names - {one.card for one in (seen.declarations if seen else ()) if one.card}

    return site.run(read)


def shown(page: Page) -> set[str]:
    """Every card that a page holds, drawn or not."""
    names = page.evaluate("() => [...document.querySelectorAll('[data-card]')].map(one => one.dataset.card)")
    return set(names)


@pytest.mark.usefixtures("bots")
def test_spectator_sees_the_table_and_no_card_in_hand(pages: Pages, site: Elsewhere) -> None:
    player = pages.open()
    choose_name(player)
    match = open_table(player)
    watcher = pages.open(None)
    frames = Frames(watcher)
    watcher.goto(f"/table/{match}")
    expect(watcher.locator("#actions")).to_contain_text("You watch")
    done_declaring(player)
    for _ in range(2):
        assert is_my_turn(player)
        play_one(player)
    assert is_my_turn(player)
    passed(watcher, number_of(player) - 1)
    hidden = held(site, player)
    assert len(hidden) >= 40
    assert shown(player) & hidden, "the player sees his own"
    assert shown(watcher), "the watcher sees what was played"
    assert not shown(watcher) & hidden
    assert not re.findall("|".join(f'"{name}"' for name in hidden), "".join(frames.received))
    assert not watcher.locator("#own").is_visible()
    for frame in map(msgspec.json.decode, frames.received):
        seen = frame.get("view") or frame["changes"]
        assert not (seen.get("hand") or {}).get("cards")


def test_four_people_find_each_other_at_a_table(pages: Pages) -> None:
    opener = pages.open()
    choose_name(opener, "甲")
    match = open_table(opener, bots=False)
    expect(opener.locator("#state")).to_have_text("Waiting for players")
    others = []
    for seat, name in ((1, "乙"), (2, "丙"), (3, "丁")):
        other = pages.open()
        choose_name(other, name)
        if seat == 1:
            line = other.locator(f"[data-match='{match}']")
            expect(line).to_contain_text("甲")
            line.get_by_role("button", name="Sit at seat 1").click()
            other.wait_for_url("**/table/*")
        else:
            other.goto(f"/table/{match}")
            other.locator(f"[data-key=sit-{seat}]").click()
        expect(other.locator(f"[data-seat='{seat}']")).to_contain_text("(you)")
        others.append(other)
    for page in (opener, *others):
        expect(page.locator("#main")).to_have_attribute("data-phase", "declaring")
        expect(page.locator("#hand button")).to_have_count(13)
        expect(page.locator("#table")).to_contain_text("丁")
    for page in (opener, *others):
        page.locator("[data-key=done]").click()
    turns = [is_turn for page in (opener, *others) if (is_turn := has_turn(page))]
    assert len(turns) == 1


def has_turn(page: Page) -> bool:
    phase_is(page, "playing")
    return page.locator("#main").get_attribute("data-mine") == "true"


def test_player_gets_up_and_closes_his_table(pages: Pages) -> None:
    page = pages.open()
    choose_name(page)
    open_table(page, bots=False)
    page.get_by_role("button", name="Get up").click()
    expect(page.locator("#log")).to_contain_text("You watch this table.")
    expect(page.locator("#said")).to_be_empty()
    expect(page.locator("[data-key=sit-0]")).to_be_visible()
    page.locator("[data-key=sit-2]").click()
    expect(page.locator("[data-seat='2']")).to_contain_text("(you)")
    page.on("dialog", lambda dialog: dialog.accept())
    before = number_of(page)
    page.get_by_role("button", name="Close this table").click()
    passed(page, before)
    expect(page.locator("#state")).to_have_text("The match was abandoned")


def test_table_that_is_not_there_is_said(pages: Pages) -> None:
    pages.allow("status of 404")
    for name in (str(uuid4()), "nonsense"):
        page = pages.open(f"/table/{name}")
        expect(page.locator("#said")).to_contain_text("There is no such table.")
        expect(page.get_by_role("link", name="To the tables")).to_be_visible()
