"""The replay viewer in a browser: as a file on disk, and its modules alone."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Page, Route

from adapters.http.words import CHINESE
from adapters.viewer_files import viewer_assets
from domain.events import Event, PlayerSeated
from domain.visibility import EVERYTHING, Viewer
from replays.notation import Comment
from replays.timeline import Timeline
from replays.viewer.document import Sources, replay_document
from replays.viewer.one_file import one_file

NAMES = ("小猪", "Anna", "老王", "Bob")
NOWHERE = "http://viewer.invalid"
"""An address at which `modules_in` answers; nothing else does."""
TABS = ("tricks", "play", "score", "known", "hands", "branches", "notes", "review")


def document_of(
    events: Sequence[Event], comments: Sequence[Comment] = (), *, with_knowledge: bool = True
) -> dict[str, Any]:
    """A match's document as JSON, its players with names."""
    names = {event.player: NAMES[event.seat] for event in events if isinstance(event, PlayerSeated)}
    sources = Sources(
        names=names, chinese=CHINESE, comments=comments, each_hand=iter if with_knowledge else None
    )
    document: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(replay_document(Timeline(events), sources))
    )
    return document


def as_file(document: dict[str, Any], path: Path) -> str:
    """Writes a document with the viewer to a file; gives its address."""
    path.write_text(one_file(msgspec.json.encode(document), viewer_assets()), encoding="utf-8")
    return path.as_uri()


def with_other_ending(document: dict[str, Any], step: int) -> dict[str, Any]:
    """The same match up to a step of its first hand, and a shorter one with other numbers after it."""
    other = copy.deepcopy(document)
    last = other["hands"][0]["last"]
    other["hands"] = other["hands"][:1]
    other["steps"] = other["steps"][:last]
    other["settlement"] = []
    other["in_play"] = not document["in_play"]
    other["failure"] = "cut off"
    del other["knowledge"]["hands"][max(other["knowledge"]["hands"])]
    for later in other["steps"][step:]:
        event = later["event"]
        event["think_ms"] = 77_777
        for name in ("raw_scores", "blood", "points"):
            if event.get(name):
                event[name] = [7770, 7770, 7770, 7770]
        later.update(en="another caption", zh="另一句")
    return other


def modules_in(page: Page) -> None:
    """Gives an empty page the viewer's modules, to be imported from `/assets/viewer/`."""
    assets = viewer_assets()

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(f"{NOWHERE}/assets/viewer/")
        if name in assets:
            route.fulfill(body=assets[name], content_type="text/javascript; charset=utf-8")
        else:
            route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")

    page.route(f"{NOWHERE}/**", answer)
    page.goto(NOWHERE)


def ready(page: Page) -> Page:
    """The page once the viewer has drawn what there is."""
    page.wait_for_selector("html[data-ready]", state="attached")
    return page


def at_step(page: Page, step: int, viewer: Viewer = EVERYTHING) -> None:
    """Jumps to a step by the address, as a link does."""
    name = f"seat{viewer}" if isinstance(viewer, int) else viewer
    page.evaluate("hash => { location.hash = hash }", f"step={step}&viewer={name}")
    page.wait_for_selector(f'#stage[data-step="{step}"][data-viewer="{name}"]')


def table_text(page: Page) -> str:
    """What the table and the caption say, cards by their words."""
    return str(
        page.evaluate(
            """() => [...document.querySelectorAll('#board [aria-label], #board h3, #board p, #caption')]
                .map((one) => one.getAttribute('aria-label') ?? one.textContent).join('\\n')"""
        )
    )


def drawn(page: Page) -> str:
    """Everything that is in the page, but for the data it was made from."""
    return str(
        page.evaluate(
            """() => { const copy = document.documentElement.cloneNode(true);
                for (const gone of copy.querySelectorAll('script, style, meta')) gone.remove();
                return copy.outerHTML; }"""
        )
    )
