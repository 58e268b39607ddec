"""The review in the viewer: marks on plays, the table of decisions, its filters, exercises, a site asked for it."""

from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from domain.events import CardsPlayed, Event
from replays.review import LIMITS, LIMITS_ZH, HandReview, ReviewSettings, review_hand
from replays.timeline import Timeline
from tests.browser.viewer_pages import as_file, at_step, document_of, ready
from tests.replays.matches import public, recorded_match
from tests.support.chromium import PHONE, Pages
from tests.support.http import Served
from tests.support.served_in_thread import Elsewhere
from tests.support.stored_matches import append

EVENTS: tuple[Event, ...] = public(recorded_match("blood-1", 1, hands=1))
COSTLY = ("inaccuracy", "mistake", "blunder")


@pytest.fixture(scope="module")
def review() -> HandReview:
    """The review of the hand on show."""
    return review_hand(Timeline(EVENTS), 1, ReviewSettings(worlds=40, playouts=8))


@pytest.fixture
def page(browser: Browser, review: HandReview, tmp_path: Path) -> Any:
    """A file with the review in it, at the review's panel."""
    document = document_of(EVENTS, with_knowledge=False)
    found = {"hands": [review], "limits": LIMITS, "limits_zh": LIMITS_ZH}
    document["review"] = msgspec.json.decode(msgspec.json.encode(found))
    address = as_file(document, tmp_path / "match.html")
    pages = Pages(browser, address)
    opened = pages.open(None)
    opened.goto(address)
    ready(opened).click("#tab-review")
    yield opened
    pages.close()


def test_table_holds_every_decision_and_filters_leave_out_the_rest(page: Page, review: HandReview) -> None:
    expect(page.locator("#panel")).to_contain_text("what each decision cost")
    expect(page.locator('#panel [data-key^="decision "]')).to_have_count(len(review.decisions))
    page.click('[data-key="costly"]')
    costly = [one for one in review.decisions if one.size in COSTLY]
    assert costly
    expect(page.locator('#panel [data-key^="decision "]')).to_have_count(len(costly))
    page.click('[data-key="whose 2"]')
    own = [one for one in costly if one.seat == 2]
    expect(page.locator('#panel [data-key^="decision "]')).to_have_count(len(own))
    expect(page.locator("#panel details")).to_contain_text(LIMITS[0])


def test_costly_plays_are_marked_on_timeline_and_in_the_list_of_tricks(
    page: Page, review: HandReview
) -> None:
    costly = [one for one in review.decisions if one.size in COSTLY and one.kind == "play"]
    expect(page.locator(".timeline .sign")).to_have_count(len(costly))
    page.click("#tab-tricks")
    label = page.locator(f'[data-key="step {costly[0].step}"]').first.get_attribute("aria-label") or ""
    assert "inaccuracy, Cost" in label


def test_decision_leads_to_its_step_with_all_choices(page: Page, review: HandReview) -> None:
    one = next(one for one in review.decisions if len(one.choices) > 3)
    page.click(f'[data-key="decision {one.step} {one.card or "null"}"]')
    expect(page.locator("#stage")).to_have_attribute("data-step", str(one.step - 1))
    expect(page.locator("#panel table.review").first.locator("tbody tr")).to_have_count(len(one.choices))


def test_without_spoilers_nothing_of_later_steps_or_hidden_cards_is_shown(
    page: Page, review: HandReview
) -> None:
    played = [event.version for event in EVENTS if isinstance(event, CardsPlayed)]
    at_step(page, played[5])
    page.check("#spoilers")
    sofar = [one for one in review.decisions if one.step <= played[5]]
    expect(page.locator('#panel [data-key^="decision "]')).to_have_count(len(sofar))
    expect(page.locator("#panel")).not_to_contain_text("All cards shown")
    expect(page.locator("#panel")).not_to_contain_text("Luck of the deal")


def test_exercise_hides_its_answer_until_one_has_chosen(page: Page, review: HandReview) -> None:
    first = next(one for one in review.decisions if one.size in COSTLY)
    page.click('[data-key="practise"]')
    expect(page.locator("#stage")).to_have_attribute("data-step", str(first.step - 1))
    expect(page.locator("#stage")).to_have_attribute("data-viewer", f"seat{first.seat}")
    expect(page.locator("#panel table")).to_have_count(0)
    page.click(f'[data-key="option {first.best}"]')
    expect(page.locator("#panel [role=status]")).to_contain_text("was worth most")
    expect(page.locator("#panel table tbody tr")).to_have_count(len(first.choices))
    page.click('[data-key="stop"]')
    expect(page.locator("#stage")).to_have_attribute("data-viewer", "all")


def test_review_is_readable_on_a_phone_and_in_chinese(page: Page) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#panel")).to_contain_text(LIMITS_ZH[0])
    expect(page.locator("#panel")).to_contain_text("按当时所知")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_served_page_has_a_hand_reviewed_when_asked_to(
    pages: Pages, site: Elsewhere, site_database: str
) -> None:
    with psycopg.connect(site_database, autocommit=True) as connection:
        append(connection, EVENTS)

    async def hurry(served: Served) -> None:
        served.site.reviews.settings = ReviewSettings(worlds=2, playouts=2)

    site.run(hurry)
    page = ready(pages.open(f"/replay/{EVENTS[0].match}"))
    page.click("#tab-review")
    page.click('[data-key="review"]')
    expect(page.locator('#panel [data-key^="decision "]').first).to_be_visible(timeout=60_000)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_serious_fault_is_found_by_axe_in_review_and_exercise(page: Page, *, dark: bool) -> None:
    page.emulate_media(color_scheme="dark" if dark else "light")
    for asked in (None, '[data-key="practise"]', '[data-key^="option "]'):
        if asked is not None:
            page.locator(asked).first.click()
        found = Axe().run(page, context="#side", options={"resultTypes": ["violations"]})
        faults = [
            (fault["id"], [node["target"] for node in fault["nodes"]])
            for fault in found.response["violations"]
            if fault["impact"] in ("serious", "critical")
        ]
        assert faults == [], asked
