"""A browser, a served site, and pages whose faults fail the test."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

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


def bring_up_to_date(database_url: str) -> None:
    """Applies to the read models what the log holds by now."""
    with psycopg.connect(database_url, autocommit=True) as log:
        project(database_url, log)


@pytest.fixture(scope="module")
def site_database(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """The database of a module's site, with its read models."""
    with databases() as url:
        bring_up_to_date(url)
        yield url


@pytest.fixture(scope="module")
def site(site_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    """A site for the tests of a module, served in a thread: `site.run(work)` works in it. Its clock stands."""
    with served_elsewhere(site_database, tmp_path_factory.mktemp("site"), ManualClock()) as elsewhere:
        yield elsewhere


@pytest.fixture
def pages(browser: Browser, site: Elsewhere) -> Iterator[Pages]:
    """Pages of the site. The test fails on a console error or warning, a page error or a failed request."""
    opened = Pages(browser, site.url)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def bots(site: Elsewhere) -> Iterator[BotsKept]:
    """Bots of the house, which play at once."""
    kept = BotsKept(site)
    kept.start()
    yield kept
    kept.stop()
