"""A browser, a served site, and pages whose faults fail the test."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser

from tests.support.chromium import NoBrowser, Pages, chromium
from tests.support.live import ManualClock
from tests.support.read_models_built import project
from tests.support.served_in_thread import Elsewhere, served_elsewhere
from tests.support.table_page import BotsKept


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium. Without one these tests are skipped, and say so; with `CI=true` they fail."""
    try:
        with chromium() as started:
            yield started
    except NoBrowser as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(f"NO BROWSER, PAGES ARE NOT TESTED: {missing}")


@pytest.fixture
def clock() -> ManualClock:
    """The site's clock: it stands until a test moves it."""
    return ManualClock()


def bring_up_to_date(database_url: str) -> None:
    """Applies to the read models what the log holds by now."""
    with psycopg.connect(database_url, autocommit=True) as log:
        project(database_url, log)


@pytest.fixture
def site(database_url: str, tmp_path: Path, clock: ManualClock) -> Iterator[Elsewhere]:
    """A site on a database of its own, with its read models, served in a thread: `site.run(work)` works in it."""
    bring_up_to_date(database_url)
    with served_elsewhere(database_url, tmp_path, clock) as elsewhere:
        yield elsewhere


@pytest.fixture
def pages(browser: Browser, site: Elsewhere) -> Iterator[Pages]:
    """Pages of the site. The test fails on a console error or warning, a page error or a failed request."""
    opened = Pages(browser, site.url)
    yield opened
    opened.close()


@pytest.fixture
def bots(site: Elsewhere) -> Iterator[BotsKept]:
    """Bots of the house, which play at once."""
    kept = BotsKept(site)
    kept.start()
    yield kept
    kept.stop()
