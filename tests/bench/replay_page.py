"""How long a match of 1,500 events takes to be seen: from the click to its table, in Chromium, over the API."""

import os
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
from playwright.sync_api import Browser

from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from domain.events import Event
from domain.rulesets import RULESETS
from tests.bench.measured import Aim, at_most
from tests.support.chromium import NoBrowser, chromium
from tests.support.live import ManualClock
from tests.support.random_play import random_events
from tests.support.served_in_thread import served_elsewhere
from tests.support.stored_matches import append

EVENTS: Final = 1_500
OPENED: Final = int(os.environ.get("BENCH_PAGES", "7"))
MOST_MS: Final = 2_000.0
SHOWN: Final = "#stage:not([hidden]) #board"
"""What stands there once the table is shown."""


def page_figures() -> dict[str, Any]:
    """Milliseconds to the table, the first time and with the files known; a note where there is no browser."""
    try:
        with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
            return _opened(Path(folder))
    except NoBrowser as missing:
        return {"page_note": str(missing)}


def page_aims(figures: dict[str, Any]) -> tuple[Aim, ...]:
    """The aims of the page."""
    what = f"page of a match of {EVENTS} events, ms to its table"
    return (at_most(what, MOST_MS, figures.get("page_first_ms")),)


def _opened(folder: Path) -> dict[str, Any]:
    match = long_match()
    server = PostgresServer(folder / "postgres", settings={"fsync": "off"})
    server.start()
    try:
        migrate(server.url)
        with psycopg.connect(server.url, autocommit=True) as connection:
            append(connection, match)
        with served_elsewhere(server.url, folder, ManualClock()) as site, chromium() as browser:
            url = f"{site.url}/replay/{match[0].match}"
            times = [_open(browser, url) for _ in range(OPENED)]
    finally:
        server.stop()
    first, again = zip(*times, strict=True)
    return {
        "page_events": len(match),
        "page_first_ms": round(statistics.median(first)),
        "page_again_ms": round(statistics.median(again)),
    }


def long_match() -> list[Event]:
    """A match of one deck that has ended, with at least so many events."""
    for hands in count(19):
        events = random_events(RULESETS["zero_sum-1"], Random(1), hands=hands)
        if len(events) >= EVENTS:
            return events
    raise AssertionError("there is no end of numbers")


def _open(browser: Browser, url: str) -> tuple[float, float]:
    """Milliseconds until the table is shown to somebody new, and to the same a second time."""
    context = browser.new_context()
    took = []
    for _ in range(2):
        page = context.new_page()
        before = time.perf_counter()
        page.goto(url)
        page.locator(SHOWN).wait_for(timeout=60_000)
        took.append((time.perf_counter() - before) * 1000)
        page.close()
    context.close()
    return took[0], took[1]
