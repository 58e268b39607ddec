"""The page of the library: a search is a form and an address, and every hand it finds can be seen again."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from adapters.people.names import Names
from adapters.postgres.recorder import open_pool
from tests.browser.conftest import bring_up_to_date
from tests.browser.test_lobby import faults_of_access, small_targets
from tests.browser.viewer_pages import ready
from tests.support.chromium import PHONE, Pages, is_too_wide
from tests.support.http import Served
from tests.support.live import ManualClock
from tests.support.read_models_built import project
from tests.support.served_in_thread import Elsewhere, served_elsewhere
from tests.support.services import START
from tests.support.stored_matches import PLAYERS, append, season

ONE, TWO = PLAYERS[:2]
NAMES = ("小猪", "Anna", "老王", "Bob", "Emmy", "Kurt", "Ada")


@pytest.fixture(scope="module")
def site_database(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """A database with a season in its library, and names of its players."""
    with databases() as url:
        with psycopg.connect(url, autocommit=True) as connection, open_pool(url, most=1) as pool:
            append(connection, season(11, matches=16))
            project(url, connection)
            for player, name in zip(PLAYERS, NAMES, strict=True):
                Names(pool).rename(player, name, START)
        yield url


def found(page: Page, count: int | None = None) -> list[str]:
    """The texts of the hands on the page, once their number is told."""
    expect(page.locator("#said")).not_to_contain_text("…")
    if count is not None:
        expect(page.locator("#found > li")).to_have_count(count)
    return page.locator("#found > li").all_inner_texts()


def searched(page: Page) -> dict[str, list[str]]:
    """The search in the page's address."""
    return parse_qs(urlsplit(page.url).query)


def api_hands(site: Elsewhere, query: str) -> list[dict[str, Any]]:
    async def read(served: Served) -> list[dict[str, Any]]:
        hands: list[dict[str, Any]] = (await served.get(f"/hands?limit=200&{query}")).json()["hands"]
        return hands

    return site.run(read)


def test_search_is_filled_in_kept_as_a_link_and_found_again(pages: Pages, site: Elsewhere) -> None:
    page = pages.open("/hands")
    assert len(found(page, 20)) == 20
    page.get_by_label("Player", exact=True).fill(str(ONE))
    page.get_by_label("against").fill(str(TWO))
    page.get_by_label("Order").select_option("lowest raw score")
    page.get_by_label("autopilot played").check()
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**player=*")
    wanted = {"player": [str(ONE)], "opponent": [str(TWO)], "order": ["lowest"], "special": ["autopilot"]}
    assert searched(page) == wanted
    expected = api_hands(site, urlsplit(page.url).query)
    assert 0 < len(expected) < 20
    texts = found(page, len(expected))
    assert all("小猪" in text and "Anna" in text and "autopilot played" in text for text in texts)
    again = pages.open(page.url)
    assert found(again, len(expected)) == texts
    assert again.get_by_label("Player", exact=True).input_value() == str(ONE)
    assert again.get_by_label("autopilot played").is_checked()
    again.get_by_role("button", name="Clear").click()
    found(again, 20)
    assert searched(again) == {}
    again.go_back()
    assert found(again, len(expected)) == texts
    assert searched(again) == wanted


def test_hand_that_is_found_is_replayed_from_its_deal(pages: Pages) -> None:
    page = pages.open("/hands?special=pig_to_declarer")
    found(page)
    link = page.locator("#found h3 a").first
    address = str(link.get_attribute("href"))
    link.click()
    page.wait_for_url(f"**{address.partition('#')[0]}*")
    ready(page)
    assert f"hand={address.rpartition('=')[2]}" in urlsplit(page.url).fragment


def test_more_hands_come_with_the_keyboard_and_the_focus_goes_on_with_them(
    pages: Pages, site: Elsewhere
) -> None:
    every = len(api_hands(site, ""))
    assert every > 20
    page = pages.open("/hands")
    found(page, 20)
    page.get_by_role("button", name="Show more").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#found > li")).to_have_count(min(every, 40))
    expect(page.locator("#found h3 a").nth(20)).to_be_focused()
    page.get_by_label("Player", exact=True).focus()
    page.keyboard.type(str(TWO))
    page.keyboard.press("Enter")
    page.wait_for_url("**player=*")
    found(page, min(20, len(api_hands(site, f"player={TWO}"))))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_page_is_whole_on_a_phone_in_both_languages(pages: Pages, language: str) -> None:
    page = pages.open("/hands?order=swing&special=pig_to_declarer", size=PHONE, language=language, touch=True)
    found(page)
    assert not is_too_wide(page)
    assert small_targets(page) == []
    title = {"zh": "牌谱", "en": "Hands"}[language]
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator("#found > li").first).to_contain_text(
        {"zh": "亮猪自得", "en": "pig on its declarer"}[language]
    )
    page.get_by_role("button", name={"zh": "English", "en": "中文"}[language]).click()
    expect(page.locator("#found > li").first).to_contain_text(
        {"en": "亮猪自得", "zh": "pig on its declarer"}[language]
    )
    expect(page.get_by_label({"en": "亮猪自得", "zh": "pig on its declarer"}[language])).to_be_checked()


def test_wrong_search_says_what_is_wrong_and_keeps_the_form(pages: Pages) -> None:
    pages.allow("status of 400")
    page = pages.open("/hands")
    found(page)
    page.get_by_label("with partner").fill(str(ONE))
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#said")).to_contain_text("partner: it is another's at the table")
    expect(page.locator("#found > li")).to_have_count(0)
    assert page.get_by_label("with partner").input_value() == str(ONE)


def test_library_without_hands_says_so(browser: Browser, database_url: str, tmp_path: Path) -> None:
    bring_up_to_date(database_url)
    with served_elsewhere(database_url, tmp_path, ManualClock()) as empty:
        pages = Pages(browser, empty.url)
        page = pages.open("/hands")
        expect(page.locator("#said")).to_contain_text("No hand has been finished here yet")
        page.get_by_label("slam").check()
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#said")).to_contain_text("Leave out a condition")
        pages.close()


def test_axe_finds_no_serious_fault(pages: Pages) -> None:
    for dark in (False, True):
        page = pages.open("/hands?special=pig_to_declarer", dark=dark)
        found(page)
        for summary in page.locator("details > summary").all():
            summary.click()
        assert faults_of_access(page) == []
