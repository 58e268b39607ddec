"""A real browser for tests of pages: where Chromium is, how it is started, and pages whose faults fail the test."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, sync_playwright

VARIABLE: Final = "GONGZHU_CHROMIUM"
"""The environment's word for which Chromium to use."""
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_GIVEN_UP: Final = "net::ERR_ABORTED"
"""What a request is that the page itself gave up, as when it is left."""
DESKTOP: Final = (1280, 860)
PHONE: Final = (390, 844)


class NoBrowser(Exception):
    """There is no Chromium here; the text says what to do."""


def chromium_path(own: str, environment: Mapping[str, str] = os.environ) -> str:
    """The Chromium to use: the one the environment names, else one on PATH, else Playwright's `own`.

    Raises `NoBrowser`.
    """
    named = environment.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise NoBrowser(f"{VARIABLE} names {named}, which cannot be run")
        return named
    on_path = (shutil.which(name, path=environment.get("PATH")) for name in _NAMES)
    found = next(filter(None, on_path), own if Path(own).exists() else None)
    if found is None:
        raise NoBrowser(
            f"there is no Chromium: install Debian's package `chromium`, or name one in {VARIABLE}, or run "
            "`playwright install chromium`"
        )
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium with a profile of its own. Raises `NoBrowser`.

    While it runs, its thread counts as one with a running event loop: no `asyncio.run` in it.
    """
    # Python finds a folder that it may write to; what drives the browser would only try /tmp.
    os.environ.setdefault("TMPDIR", tempfile.gettempdir())
    with sync_playwright() as playwright:
        browser = _launched(playwright)
        try:
            yield browser
        finally:
            browser.close()


def _launched(playwright: Playwright) -> Browser:
    path = chromium_path(playwright.chromium.executable_path)
    return playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))


class Pages:
    """Pages of one test, each with storage of its own. What goes wrong in any of them is kept in `faults`."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._allowed: list[str] = []
        self.faults: list[str] = []

    def allow(self, pattern: str) -> None:
        """Faults that match are expected in this test."""
        self._allowed.append(pattern)

    def open(
        self,
        path: str | None = "/",
        *,
        size: tuple[int, int] = DESKTOP,
        language: str = "en",
        dark: bool = False,
        touch: bool = False,
        **options: Any,
    ) -> Page:
        """A page at a path of the site (None: an empty one), of somebody who has never been here."""
        context = self._browser.new_context(
            base_url=self._url,
            viewport={"width": size[0], "height": size[1]},
            locale={"zh": "zh-CN", "en": "en-GB"}[language],
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            **options,
        )
        context.set_default_timeout(15_000)
        return self.beside(context.new_page(), path)

    def beside(self, page: Page, path: str | None = None) -> Page:
        """A page that is watched from now on, sent to a path where one is given."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._fault(f"page error: {error}"))
        page.on("requestfailed", self._failed)
        if path is not None:
            page.goto(path)
        return page

    def close(self) -> None:
        """Closes all of them. Raises `AssertionError` where something went wrong that was not allowed."""
        for context in self._browser.contexts:
            context.close()
        assert not self.faults, "\n".join(self.faults)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._fault(f"console {message.type}: {message.text}")

    def _failed(self, request: Request) -> None:
        if request.failure != _GIVEN_UP:
            self._fault(f"request failed: {request.url} {request.failure}")

    def _fault(self, text: str) -> None:
        if not any(re.search(pattern, text) for pattern in self._allowed):
            self.faults.append(text)


def is_too_wide(page: Page) -> bool:
    """Whether the page has to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
