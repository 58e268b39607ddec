"""The replay viewer as a file on disk: stepping, eyes, links, keys, spoilers, panels, languages, phones, print."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from adapters.event_files import read_events
from domain.errors import HeldBack, MustFollowSuit
from domain.events import CardDeclared, CardsPlayed, Event, HandEnded
from domain.visibility import EVERYTHING, SPECTATOR, Viewer
from replays.knowledge import Knower, knowledge_at, told
from replays.notation import Comment
from replays.timeline import Timeline
from tests.browser.viewer_pages import (
    NAMES,
    TABS,
    as_file,
    at_step,
    document_of,
    drawn,
    ready,
    table_text,
    with_other_ending,
)
from tests.replays.matches import abandoned_match, match_with, public, recorded_match
from tests.support.chromium import Pages, is_too_wide

PHONE = (360, 740)
RECORDED = Path(__file__).parents[1] / "recorded" / "matches"


def has_hidden(event: Event) -> bool:
    return isinstance(event, CardDeclared) and event.card is None


ONE_DECK = match_with("blood-1", has_hidden, hands=2)
TWO_DECKS = public(recorded_match("zero_sum-2", 3, hands=2))


@pytest.fixture(scope="module", name="files")
def files_fixture(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of replays as files."""
    folder = tmp_path_factory.mktemp("replays")
    documents = {
        "one": document_of(ONE_DECK, [Comment(20, "from the record")]),
        "two": document_of(TWO_DECKS),
    }
    return {name: as_file(document, folder / f"{name}.html") for name, document in documents.items()}


@pytest.fixture(name="pages")
def pages_fixture(browser: Browser) -> Iterator[Pages]:
    opened = Pages(browser, "http://viewer.invalid")
    yield opened
    opened.close()


def opened(pages: Pages, address: str, place: str = "", **options: Any) -> Page:
    """A replay at a place."""
    return ready(pages.open(address + place, **options))


def mid_hand(events: tuple[Event, ...]) -> int:
    """A step in the middle of the first hand's play."""
    plays = [event.version for event in events if isinstance(event, CardsPlayed) and event.hand_no == 1]
    return plays[len(plays) // 2]


def test_file_asks_for_nothing_but_itself(pages: Pages, files: dict[str, str]) -> None:
    page = pages.open(None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(True)
    ready(pages.beside(page, files["one"]))
    for tab in TABS:
        page.click(f"#tab-{tab}")
    assert asked == [files["one"]]
    expect(page.locator("#board")).to_contain_text("Anna")


def test_jumping_to_a_step_shows_what_stepping_to_it_shows(pages: Pages, files: dict[str, str]) -> None:
    first = Timeline(TWO_DECKS).hands[0].tricks[0] - 2
    page = opened(pages, files["two"], f"#step={first}&viewer=seat1")
    stepped = [table_text(page)]
    for _ in range(39):
        page.keyboard.press("ArrowRight")
        stepped.append(table_text(page))
    assert len(set(stepped)) == 40, "every step says something new"
    for place in Random(3).sample(range(40), k=10):
        at_step(page, first + place, 1)
        assert table_text(page) == stepped[place], place


def test_each_pair_of_eyes_sees_its_own_cards_and_no_others(pages: Pages, files: dict[str, str]) -> None:
    timeline, step = Timeline(ONE_DECK), mid_hand(ONE_DECK)
    page = opened(pages, files["one"], f"#step={step}&viewer=all")
    by_viewer: dict[str, Viewer] = {
        "Anna (1)": 1,
        "老王 (2)": 2,
        "Spectator": SPECTATOR,
        "All cards": EVERYTHING,
    }
    for title, viewer in by_viewer.items():
        page.locator("#eyes").get_by_role("button", name=title).click()
        view = timeline.view(step, viewer)
        assert view.hand is not None
        seen = view.hand.cards or [card for cards in view.hand.all_cards or () for card in cards]
        shown = page.locator("#board .seat .cards [data-card].card").evaluate_all(
            "cards => cards.map(card => card.dataset.card)"
        )
        assert sorted(shown) == sorted(seen), title


def test_keys_go_by_steps_tricks_hands_and_eyes(pages: Pages, files: dict[str, str]) -> None:
    timeline = Timeline(ONE_DECK)
    first, second = timeline.hands[0], timeline.hands[1]
    page = opened(pages, files["one"])
    stage = page.locator("#stage")

    def pressed(key: str, step: int) -> None:
        page.keyboard.press(key)
        expect(stage).to_have_attribute("data-step", str(step))

    expect(stage).to_have_attribute("data-step", str(first.first))
    for trick in first.tricks[:3]:
        pressed("ArrowDown", trick)
    pressed("PageUp", first.tricks[1])
    pressed("]", second.first)
    pressed("[", first.first)
    pressed("End", len(timeline))
    pressed("ArrowRight", len(timeline))
    expect(page.locator("#said")).to_have_text("There is nothing further that way.")
    pressed("Home", 1)
    for key, viewer in (("3", "seat2"), ("s", "spectator"), ("a", "all")):
        page.keyboard.press(key)
        expect(stage).to_have_attribute("data-viewer", viewer)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.click("#tab-notes")
    page.fill("#note", "")
    page.locator("#note").press_sequentially("s3")
    expect(stage).to_have_attribute("data-viewer", "all")


def test_buttons_and_lists_go_where_they_say(pages: Pages, files: dict[str, str]) -> None:
    timeline = Timeline(ONE_DECK)
    page = opened(pages, files["one"])
    stage = page.locator("#stage")
    page.get_by_role("button", name="next trick").click()
    page.get_by_role("button", name="next step").click()
    expect(stage).to_have_attribute("data-step", str(timeline.hands[0].tricks[0] + 1))
    step = mid_hand(ONE_DECK)
    page.locator(f'[data-key="step {step}"]').click()
    expect(stage).to_have_attribute("data-step", str(step))
    expect(page.locator(f'[data-key="step {step}"]')).to_be_focused()
    page.locator("#times .bar").nth(2).click()
    expect(stage).to_have_attribute("data-step", str(timeline.hands[0].tricks[0] + 3))
    page.click("#tab-hands")
    page.get_by_role("button", name="Hand 2").click()
    expect(stage).to_have_attribute("data-step", str(timeline.hands[1].first))
    page.get_by_role("slider").fill("9")
    expect(stage).to_have_attribute("data-step", "9")


def test_link_leads_to_its_place_and_follows_the_reader(pages: Pages, files: dict[str, str]) -> None:
    timeline = Timeline(ONE_DECK)
    page = opened(pages, files["one"], "#hand=2&trick=3&viewer=seat2")
    stage = page.locator("#stage")
    expect(stage).to_have_attribute("data-step", str(timeline.step_of(2, 3)))
    expect(stage).to_have_attribute("data-viewer", "seat2")
    page.keyboard.press("ArrowRight")
    place = page.evaluate("location.hash")
    assert place == f"#hand=2&step={timeline.step_of(2, 3) + 1}&viewer=seat2"
    assert page.evaluate("history.length") <= 2, "looking on fills no history"
    other = opened(pages, files["one"], place)
    assert table_text(other) == table_text(page)
    other.evaluate("location.hash = '#step=999999&viewer=everyone'")
    expect(other.locator("#stage")).to_have_attribute("data-viewer", "seat2")


def test_nothing_in_the_page_tells_what_lies_ahead(
    pages: Pages, files: dict[str, str], tmp_path: Path
) -> None:
    document, step = document_of(ONE_DECK, [Comment(20, "from the record")]), mid_hand(ONE_DECK)
    other = as_file(with_other_ending(document, step), tmp_path / "other.html")
    place = f"#step={step - 16}&viewer=all&spoilers=hide"
    readers = [opened(pages, address, place) for address in (files["one"], other)]
    for number in range(16):
        for tab in TABS if number % 8 == 0 else TABS[:1]:
            here, there = (_looked(page, tab) for page in readers)
            assert here == there, (number, tab)
        for page in readers:
            page.keyboard.press("ArrowRight")
    for page in readers:
        page.locator("#spoilers").uncheck()
    assert drawn(readers[0]) != drawn(readers[1])


def _looked(page: Page, tab: str) -> tuple[str, str, int]:
    page.click(f"#tab-{tab}")
    title = str(page.evaluate("document.title"))
    return drawn(page), title, int(page.evaluate("document.documentElement.scrollHeight"))


def test_without_spoilers_hands_are_not_jumped_over_and_the_end_comes_as_a_surprise(
    pages: Pages, files: dict[str, str]
) -> None:
    timeline = Timeline(ONE_DECK)
    page = opened(pages, files["one"])
    page.get_by_label("No spoilers").check()
    stage = page.locator("#stage")
    page.keyboard.press("End")
    expect(stage).to_have_attribute("data-step", str(timeline.hands[0].first))
    expect(page.get_by_role("slider")).to_be_hidden()
    for step in (timeline.hands[0].last, timeline.hands[1].first, timeline.hands[1].last):
        page.keyboard.press("]")
        expect(stage).to_have_attribute("data-step", str(step))
    for _ in range(3):
        page.get_by_role("button", name="next step").click()
    expect(stage).to_have_attribute("data-step", str(len(timeline)))
    expect(page.get_by_role("button", name="next step")).to_be_enabled()
    page.reload()
    expect(page.get_by_label("No spoilers")).to_be_checked()


def test_why_a_card_was_not_allowed_is_said_in_the_rules_words(pages: Pages, files: dict[str, str]) -> None:
    page = opened(pages, files["one"], "#viewer=all")
    page.click("#tab-play")
    found, barred = set(), 0
    for event in ONE_DECK:
        if isinstance(event, CardsPlayed) and event.hand_no == 1:
            at_step(page, event.version)
            said = " ".join(page.locator(".barred").all_inner_texts())
            found |= {name for name in ("follow suit", "held back until") if name in said}
            barred = event.version if said else barred
    assert found == {"follow suit", "held back until"}
    assert "does not follow suit" in MustFollowSuit.text
    assert "held back until" in HeldBack.text
    page.get_by_role("button", name="中文").click()
    at_step(page, barred)
    expect(page.locator("#panel")).to_contain_text("规则 §4")


@pytest.mark.parametrize("name", ["one", "two"])
def test_who_could_know_what_is_what_the_library_says(pages: Pages, files: dict[str, str], name: str) -> None:
    events = ONE_DECK if name == "one" else TWO_DECKS
    timeline = Timeline(events)
    page = opened(pages, files[name])
    page.click("#tab-known")
    knowers: tuple[Knower, ...] = (1, SPECTATOR)
    for knower in knowers:
        at_step(page, mid_hand(events), knower)
        known = told(knowledge_at(timeline, mid_hand(events), knower))
        table = page.locator("table.known")
        for column, seat in enumerate(known.seats):
            signs = table.locator("tbody tr").evaluate_all(
                "(rows, column) => rows.map(row => [row.querySelector('[data-card]').dataset.card,"
                " row.cells[column + 1].className])",
                column,
            )
            for kind, cards in (("surely", seat.surely), ("possibly", seat.possibly), ("holds", seat.truth)):
                assert sorted(card for card, sign in signs if kind in sign.split()) == sorted(cards or ())
        assert _reasons_told(page) == {_plain(excluded.why) for excluded in known.exclusions}


def _reasons_told(page: Page) -> set[str]:
    """The reasons in the panel, without their cards and clauses."""
    told: list[str] = page.locator("#panel .explained > li").evaluate_all(
        """items => items.map(item => {
            const copy = item.cloneNode(true);
            for (const part of copy.querySelectorAll(".card, .muted")) part.remove();
            return copy.textContent; })"""
    )
    return {" ".join(text.split()) for text in told}


def _plain(why: str) -> str:
    """A reason as the panel tells it: players by name, without cards."""
    named = re.sub(r"seat (\d)", lambda found: NAMES[int(found[1])], why)
    return " ".join(re.sub(r"\b[SHDC][2-9TJQKA][ab]?\b", "", named).split())


def test_other_cards_are_tried_played_on_and_compared(pages: Pages, files: dict[str, str]) -> None:
    ended = next(event for event in ONE_DECK if isinstance(event, HandEnded))
    page = opened(pages, files["one"], "#viewer=all")
    page.click("#tab-play")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.locator("#panel").get_by_role("button", name=re.compile("^Try ")).first.click()
    expect(page.locator("#branch")).to_contain_text("Branch 1")
    page.locator("#panel").get_by_role("button", name=re.compile("^Try ")).first.click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Let the rest play plainly").click()
    page.click("#tab-branches")
    table = page.get_by_role("table", name="Raw scores compared")
    for seat, raw in enumerate(ended.raw_scores):
        cells = [
            text.replace("−", "-")
            for text in table.locator("tbody tr").nth(seat).locator("td").all_inner_texts()
        ]
        record, branch, difference = map(int, cells)
        assert (record, branch - record) == (raw, difference)
    page.get_by_label("No spoilers").check()
    expect(table.locator("tbody tr").first).to_contain_text("?")
    page.get_by_label("No spoilers").uncheck()
    page.get_by_role("button", name="Back to the record").click()
    expect(page.locator("#branch")).to_be_empty()
    page.reload()
    page.click("#tab-branches")
    expect(table).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(table).to_have_count(0)


def test_notes_are_kept_changed_taken_away_and_brought_back(
    pages: Pages, files: dict[str, str], tmp_path: Path
) -> None:
    page = opened(pages, files["one"], "#step=30&viewer=all")
    page.click("#tab-notes")
    page.get_by_label("Note on step 30").fill("why not ♠K? </script>")
    page.get_by_role("button", name="Keep the note").click()
    page.reload()
    page.click("#tab-notes")
    expect(page.get_by_label("Note on step 30")).to_have_value("why not ♠K? </script>")
    expect(page.locator("#panel")).to_contain_text("from the record")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save notes (JSON)").click()
    saved = tmp_path / "notes.json"
    download.value.save_as(saved)
    notes = json.loads(saved.read_text(encoding="utf-8"))
    assert [(note["step"], note["text"]) for note in notes["notes"]] == [(30, "why not ♠K? </script>")]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as text").click()
    download.value.save_as(tmp_path / "notes.md")
    assert "Hand 1, step 30" in (tmp_path / "notes.md").read_text(encoding="utf-8")
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("button", name="Save notes (JSON)")).to_have_count(0)
    other = opened(pages, files["one"], "#step=30")
    other.click("#tab-notes")
    other.set_input_files('input[type="file"]', saved)
    expect(other.locator("#panel")).to_contain_text("why not ♠K?")
    elsewhere = opened(pages, files["two"])
    elsewhere.click("#tab-notes")
    elsewhere.set_input_files('input[type="file"]', saved)
    expect(elsewhere.get_by_role("alert")).to_contain_text("These notes are on another match")


@pytest.mark.parametrize("name", ["one", "two"])
def test_phone_needs_no_scrolling_sideways_and_steps_by_swipes(
    pages: Pages, files: dict[str, str], name: str
) -> None:
    page = opened(
        pages, files[name], f"#step={mid_hand(ONE_DECK)}&viewer=all", size=PHONE, touch=True, language="zh"
    )
    for tab in TABS:
        page.click(f"#tab-{tab}")
        assert not is_too_wide(page), tab
    box = page.locator("#board").bounding_box()
    assert box is not None
    page.evaluate(
        """() => { const board = document.getElementById("board");
            const touch = (x) => new Touch({ identifier: 1, target: board, clientX: x, clientY: 200 });
            board.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(300)] }));
            board.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(150)] })); }"""
    )
    expect(page.locator("#stage")).to_have_attribute("data-step", str(mid_hand(ONE_DECK) + 1))


def test_chinese_is_chinese_throughout(pages: Pages, files: dict[str, str]) -> None:
    page = opened(pages, files["one"] + "?lang=zh", f"#step={mid_hand(ONE_DECK)}&viewer=all")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    for tab in TABS:
        page.click(f"#tab-{tab}")
        text = page.evaluate("document.body.innerText")
        text = text.replace(document_of(ONE_DECK)["match"][-6:], "")
        english = set(re.findall(r"[A-Za-z]{3,}", text)) - {
            "Anna",
            "Bob",
            "English",
            "JSON",
            "Markdown",
        }
        assert english <= {"from", "the", "record"}, (tab, english)
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Gongzhu replay")).to_be_visible()
    page.reload()
    assert page.evaluate("document.documentElement.lang") == "zh-CN", "the address says so"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_serious_fault_is_found_by_axe(pages: Pages, files: dict[str, str], *, dark: bool) -> None:
    page = opened(pages, files["one"], f"#step={mid_hand(ONE_DECK)}&viewer=seat1", dark=dark)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        # The whole page once, then what the other panels bring.
        found = Axe().run(
            page, context=None if tab == TABS[0] else "#side", options={"resultTypes": ["violations"]}
        )
        faults = [
            (fault["id"], [node["target"] for node in fault["nodes"]])
            for fault in found.response["violations"]
            if fault["impact"] in ("serious", "critical")
        ]
        assert faults == [], tab


def test_print_is_a_scoresheet_of_the_hand(pages: Pages, files: dict[str, str]) -> None:
    page = opened(pages, files["one"], f"#step={mid_hand(ONE_DECK)}&viewer=all")
    page.evaluate("""() => { window.sheets = [];
        addEventListener("beforeprint", () => sheets.push(document.getElementById("paper").innerHTML)); }""")
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.get_by_label("No spoilers").check()
    page.pdf(format="A4")
    whole, hiding = page.evaluate("sheets")
    assert whole.count("<tr") == 5 + 14 + whole.count('class="account"') * whole.split('class="account"')[
        1
    ].count("<tr")
    assert "How it came about" in whole
    assert "How it came about" not in hiding
    expect(page.locator("#paper")).to_be_empty()


def test_what_became_of_a_match_is_said(pages: Pages, tmp_path: Path) -> None:
    def of(name: str, events: tuple[Event, ...]) -> Page:
        return opened(pages, as_file(document_of(events), tmp_path / f"{name}.html"))

    abandoned = of("abandoned", abandoned_match("blood-1", 5, plays=7))
    expect(abandoned.locator("#notices")).to_contain_text("This match was abandoned.")
    unknown = of("unknown", abandoned_match("blood-1", 5, plays=7, with_key=False))
    expect(unknown.locator("#eyes")).to_contain_text("never became public")
    broken = of("broken", (*ONE_DECK[:40], *ONE_DECK[41:]))
    expect(broken.locator("#notices")).to_contain_text("The record breaks off: cannot go on at")
    broken.get_by_label("No spoilers").check()
    expect(broken.locator("#notices")).to_be_empty()
    staff = of("staff", tuple(read_events(RECORDED / "zero_sum-1-integrity.jsonl")))
    expect(staff.locator("#notices")).to_contain_text("Scores of this match have been corrected")
    staff.get_by_label("No spoilers").check()
    expect(staff.locator("#notices")).to_be_empty()
    beginning = of("beginning", ONE_DECK[:9])
    expect(beginning.locator("#notices")).to_contain_text("Nothing to replay yet")
