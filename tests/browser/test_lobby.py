"""The lobby: who one is, what others play, boards, rules; in both languages, on a phone, for everyone."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import bring_up_to_date
from tests.support.chromium import DESKTOP, PHONE, Pages, is_too_wide
from tests.support.live import ManualClock
from tests.support.served_in_thread import served_elsewhere
from tests.support.table_page import choose_name, done_declaring, is_my_turn, open_table, play_one

SERIOUS = ("serious", "critical")


def faults_of_access(page: Page) -> list[str]:
    """What axe finds serious or worse on a page."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html']}" for one in found if one["impact"] in SERIOUS for node in one["nodes"]
    ]


def small_targets(page: Page) -> list[str]:
    """The buttons and fields that are too small for a finger."""
    return list(
        page.locator(
            "button:visible, select:visible, input[type=text]:visible, a.button:visible"
        ).evaluate_all(
            "all => all.filter(one => { const { width, height } = one.getBoundingClientRect();"
            " return Math.min(width, height) < 44; }).map(one => one.outerHTML)"
        )
    )


def test_lobby_says_what_there_is_not(browser: Browser, database_url: str, tmp_path: Path) -> None:
    with served_elsewhere(database_url, tmp_path, ManualClock()) as empty:
        pages = Pages(browser, empty.url)
        pages.allow("status of 503")
        page = pages.open()
        expect(page.locator("#tables")).to_contain_text("No table is open")
        expect(page.locator("#board")).to_contain_text("the read model leaderboards is empty")
        expect(page.locator("#ended")).to_contain_text("the read model")
        bring_up_to_date(database_url)
        page.reload()
        expect(page.locator("#ended")).to_contain_text("No match has ended yet")
        expect(page.locator("#board")).to_contain_text("Nobody is on this board yet")
        pages.close()


def test_guest_is_told_what_is_kept_and_can_be_forgotten(pages: Pages) -> None:
    page = pages.open()
    expect(page.locator("#me")).to_contain_text("local storage")
    page.locator("[data-key=open-alone]").click()
    expect(page.locator("#said")).to_contain_text("First choose a name")
    choose_name(page, "小猪")
    page.reload()
    expect(page.locator("#me strong")).to_have_text("小猪")
    choose_name(page, "大猪")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget me in this browser").click()
    expect(page.locator("#me")).to_contain_text("To play you need a name")
    assert page.evaluate("localStorage.getItem('gongzhu.pass')") is None


def test_token_that_is_no_longer_good_is_dropped(pages: Pages) -> None:
    pages.allow("status of 401")
    page = pages.open()
    choose_name(page)
    page.evaluate(
        "localStorage.setItem('gongzhu.pass', JSON.stringify({ ...JSON.parse(localStorage.getItem('gongzhu.pass')),"
        " token: 'not.a.token' }))"
    )
    page.reload()
    expect(page.locator("#said")).to_contain_text("no longer accepted")
    expect(page.locator("#me")).to_contain_text("To play you need a name")


@pytest.mark.usefixtures("bots")
def test_match_that_is_over_stands_on_the_board_and_among_the_ended(pages: Pages, site_database: str) -> None:
    page = pages.open()
    choose_name(page, "小猪")
    match = open_table(page)
    other = pages.open()
    expect(other.locator(f"[data-match='{match}']")).to_contain_text("小猪")
    other.locator("#filter-phase").select_option("seating")
    expect(other.locator("#tables")).to_contain_text("No table is like this now")
    done_declaring(page)
    while is_my_turn(page):
        play_one(page)
    bring_up_to_date(site_database)
    page.goto("/")
    expect(page.locator("#board tbody tr")).to_have_count(4)
    expect(page.locator("#board tr.mine")).to_contain_text("小猪")
    expect(page.locator("#ended a")).to_have_attribute("href", f"/replay/{match}")
    page.locator("#board-period").select_option("day")
    page.locator("#board-origin").select_option("bots")
    expect(page.locator("#board")).to_contain_text("Nobody is on this board yet")


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)])
def test_everyone_can_use_lobby_and_table(pages: Pages, size: tuple[int, int], dark: bool) -> None:
    page = pages.open(size=size, dark=dark, touch=dark)
    choose_name(page)
    expect(page.locator("#board")).not_to_contain_text("One moment")
    assert (faults_of_access(page), small_targets(page), is_too_wide(page)) == ([], [], False)
    open_table(page, "blood-1", None)
    expect(page.locator("[data-key=done]")).to_be_visible()
    assert (faults_of_access(page), small_targets(page), is_too_wide(page)) == ([], [], False)
    done_declaring(page)
    assert is_my_turn(page)
    play_one(page)
    assert is_my_turn(page)
    page.locator("#hand button[aria-disabled]").or_(page.locator("#hand button")).first.click(force=True)
    assert (faults_of_access(page), small_targets(page), is_too_wide(page)) == ([], [], False)


@pytest.mark.usefixtures("bots")
def test_chinese_is_whole(pages: Pages) -> None:
    page = pages.open(language="zh", size=PHONE)
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.get_by_role("heading", name="牌桌", exact=True)).to_be_visible()
    assert page.evaluate("import('/assets/viewer/words.js').then(words => words.untranslated())") == []
    choose_name(page)
    assert not english(page)
    open_table(page, "zero_sum-2", 1)
    done_declaring(page)
    assert is_my_turn(page)
    play_one(page)
    expect(page.locator("#log")).to_contain_text("您出")
    assert page.evaluate("import('/assets/viewer/words.js').then(words => words.untranslated())") == []
    assert not english(page)
    page.get_by_role("button", name="English").click()
    expect(page.locator("#log")).to_contain_text("You play")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en")


def english(page: Page) -> list[str]:
    """English words that a reader of Chinese sees, but for names and what is called so in every language."""
    known = {"bot", "English", "OpenAPI", "AsyncAPI", "HTTPS", "SHA", "A", "J", "Q", "K", "a", "b", "k"}
    words = re.findall(r"[A-Za-z_.]+", page.locator("body").inner_text())
    return sorted({word.strip(".") for word in words} - known - {""})
