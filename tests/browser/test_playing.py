"""A person plays at a live table: by clicks, by keys, with pairs, through a cut, and is told why a card cannot be."""

import hashlib
import re
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from domain.events import Event, HandEnded, NonceRevealed, PlayerSeated
from tests.support.chromium import PHONE, Pages, is_too_wide
from tests.support.served_in_thread import Elsewhere
from tests.support.table_page import (
    ALLOWED,
    Frames,
    choose_name,
    done_declaring,
    is_my_turn,
    number_of,
    open_table,
    passed,
    phase_is,
    play_one,
)

pytestmark = pytest.mark.usefixtures("bots")


def sit_with_bots(pages: Pages, ruleset: str = "zero_sum-1", hands: int | None = 1, **options: Any) -> Page:
    page = pages.open(**options)
    choose_name(page)
    open_table(page, ruleset, hands)
    done_declaring(page)
    return page


def events_of(site: Elsewhere, match: UUID) -> tuple[Event, ...]:
    async def read(served: Any) -> tuple[Event, ...]:
        return tuple(await served.live.service.events(match))

    return site.run(read)


def test_person_sits_down_with_three_bots_and_plays_a_hand_to_its_score(
    pages: Pages, site: Elsewhere
) -> None:
    page = pages.open()
    choose_name(page)
    match = open_table(page)
    done_declaring(page)
    plays = 0
    while is_my_turn(page):
        play_one(page)
        plays += 1
    assert plays == 13
    phase_is(page, "settled")
    events = events_of(site, match)
    ended = next(event for event in events if isinstance(event, HandEnded))
    raw = page.locator("#result .account tfoot tr", has_text="raw score").locator("td")
    assert [_number(text) for text in raw.all_inner_texts()] == list(ended.raw_scores)
    standing = page.locator("#standing tbody tr")
    expect(standing).to_have_count(4)
    assert ended.points is not None
    assert [_number(text) for text in standing.locator(".number").all_inner_texts()] == sorted(
        ended.points, reverse=True
    )
    expect(page.locator("#log")).to_contain_text("The match is over")
    _has_had_its_share(events)


def _number(text: str) -> int:
    return int(text.replace("−", "-"))


def _has_had_its_share(events: tuple[Event, ...]) -> None:
    """The page committed to a nonce when it sat down, and has shown it."""
    committed = next(event for event in events if isinstance(event, PlayerSeated) and event.commitment)
    shown = next(event for event in events if isinstance(event, NonceRevealed))
    assert hashlib.sha256(bytes.fromhex(shown.nonce)).hexdigest() == committed.commitment


def test_keyboard_alone_plays_cards_and_keeps_the_focus_in_the_hand(pages: Pages) -> None:
    page = sit_with_bots(pages)
    page.locator("#hand button[tabindex='0']").focus()
    for _ in range(3):
        assert is_my_turn(page)
        before = number_of(page)
        page.keyboard.press("End")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#hand button").first).to_be_focused()
        page.keyboard.press("1")
        expect(page.locator(ALLOWED).first).to_be_focused()
        page.keyboard.press("Enter")
        passed(page, before)
        expect(page.locator("#hand button:focus")).to_have_count(1)
    assert page.locator("#hand button[tabindex='0']").count() == 1


def test_card_that_may_not_be_played_says_why_and_stays(pages: Pages) -> None:
    page = sit_with_bots(pages, hands=4)
    forbidden = page.locator("#hand button[aria-disabled]")
    while is_my_turn(page) and not forbidden.count():
        play_one(page)
    held = page.locator("#hand button").count()
    forbidden.first.click(force=True)
    expect(page.locator("#said")).to_contain_text("(rules §")
    expect(page.locator("#said")).to_contain_text(re.compile("[♠♥♦♣]"))
    assert page.locator("#hand button").count() == held
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#said")).to_contain_text("（规则 §")


def test_two_decks_are_played_on_a_phone_pairs_card_by_card(pages: Pages) -> None:
    page = sit_with_bots(pages, "blood-2-partners", None, size=PHONE, touch=True)
    expect(page.locator("#hand button")).to_have_count(26)
    assert not is_too_wide(page)
    sizes = page.locator("#hand button").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height))"
    )
    assert min(sizes) >= 44
    for _ in range(8):
        assert is_my_turn(page)
        lead_a_pair(page) if page.locator(".trick .played").count() % 4 == 0 else play_one(page)
    expect(page.locator("#hand button")).to_have_count(26 - cards_played(page))
    assert not is_too_wide(page)


def cards_played(page: Page) -> int:
    """How many cards the log says that one has played."""
    return page.locator("#log li", has_text="You play").locator("[data-card]").count()


def lead_a_pair(page: Page) -> None:
    """Leads a pair where one is held, card by card; else plays as it comes."""
    names = page.locator(ALLOWED).evaluate_all("all => all.map(one => one.dataset.card)")
    pairs = [name for name in names if name.endswith("a") and f"{name[:2]}b" in names]
    if not pairs:
        play_one(page)
        return
    before = number_of(page)
    page.locator(f"#hand [data-card={pairs[0]}]").first.click()
    expect(page.locator("[data-key=play]")).to_be_enabled()
    page.locator(f"#hand [data-card={pairs[0][:2]}b]").first.click()
    passed(page, before)


def test_page_that_is_cut_off_comes_back_with_its_last_number_and_plays_on(
    pages: Pages, site: Elsewhere
) -> None:
    page = pages.open()
    frames = Frames(page)
    choose_name(page)
    match = open_table(page)
    done_declaring(page)
    assert is_my_turn(page)
    number = number_of(page)

    async def cut(served: Any) -> None:
        served.live.tables.known(match).end()

    site.run(cut)
    expect(page.locator("#connection")).to_have_text(f"Back again, nothing missed (step {number}).")
    assert frames.addresses[-1].endswith(f"as=seat&after={number}")
    play_one(page)
    assert is_my_turn(page)
    assert '"frame":"snapshot"' not in "".join(frames.received[-2:])
    held = page.locator("#hand button").count()
    page.reload()
    expect(page.locator("#hand button")).to_have_count(held)
    expect(page.locator("#fair")).to_contain_text("Your browser has a share in the deals")


def test_seat_is_handed_over_and_taken_back(pages: Pages) -> None:
    page = sit_with_bots(pages)
    assert is_my_turn(page)
    page.get_by_role("button", name="Let the autopilot play").click()
    expect(page.locator("#actions")).to_contain_text("The autopilot plays for you")
    expect(page.locator("[data-seat='0'] .chip", has_text="autopilot")).to_be_visible()
    page.get_by_role("button", name="Play myself again").click()
    expect(page.locator("#log")).to_contain_text("You play yourself again.")
