"""A person at a table, in a page: what one clicks and what one sees."""

from contextlib import AsyncExitStack
from typing import Any, Final
from uuid import UUID

from playwright.sync_api import Page, expect

from adapters.socket_bots.company import house_bots
from tests.support.http import Served
from tests.support.served_in_thread import Elsewhere

ALLOWED: Final = "#hand button:not([aria-disabled])"
"""The cards that may be played now."""


def choose_name(page: Page, name: str = "小猪") -> None:
    """Becomes a player of this name, in the lobby."""
    page.get_by_label("Name", exact=True).or_(page.get_by_label("名字", exact=True)).fill(name)
    page.locator("[data-key=keep-name]").click()
    expect(page.locator("#said")).to_contain_text(name)


def open_table(page: Page, ruleset: str = "zero_sum-1", hands: int | None = 1, *, bots: bool = True) -> UUID:
    """Opens a table from the lobby and sits down at it, with three bots or alone; gives the match."""
    page.locator("#open-ruleset").select_option(ruleset)
    if hands is not None:
        page.locator("#open-hands").fill(str(hands))
    page.locator("[data-key=open-bots]" if bots else "[data-key=open-alone]").click()
    page.wait_for_url("**/table/*")
    expect(page.locator("#live")).to_be_visible()
    return match_of(page)


def match_of(page: Page) -> UUID:
    """The match whose table this page shows."""
    return UUID(page.url.rpartition("/")[2])


def phase_is(page: Page, *phases: str) -> None:
    """Waits until the match is in one of these phases."""
    page.wait_for_function(
        "phases => phases.includes(document.querySelector('#main').dataset.phase)", arg=phases
    )


def done_declaring(page: Page) -> None:
    """Says that this seat declares no more, and waits for the others."""
    phase_is(page, "declaring")
    page.locator("[data-key=done]").click()
    phase_is(page, "playing")


def is_my_turn(page: Page) -> bool:
    """Whether it is this seat's turn, as soon as that or the hand's end has come."""
    page.wait_for_function(
        "() => { const { mine, phase } = document.querySelector('#main').dataset; "
        "return mine === 'true' || phase !== 'playing'; }"
    )
    return page.locator("#main").get_attribute("data-mine") == "true"


def play_one(page: Page) -> None:
    """Plays the first cards that may be played, by clicks, and waits until the turn has passed."""
    before = number_of(page)
    page.locator(ALLOWED).first.click()
    ready = page.locator("[data-key=play]")
    if ready.count() and not ready.is_enabled():
        page.locator("#hand [data-fits=true]").first.click()
    if ready.count() and ready.is_enabled():
        ready.click()
    passed(page, before)


def passed(page: Page, number: int) -> None:
    """Waits until the match has gone on from this number."""
    page.wait_for_function(
        "number => Number(document.querySelector('#main').dataset.number) > number", arg=number
    )


def number_of(page: Page) -> int:
    """The number of the view that is shown."""
    return int(page.locator("#main").get_attribute("data-number") or 0)


class Frames:
    """What a page was sent over its sockets, and where it asked for them."""

    def __init__(self, page: Page) -> None:
        self.addresses: list[str] = []
        self.received: list[str] = []
        page.on("websocket", self._opened)

    def _opened(self, socket: Any) -> None:
        self.addresses.append(socket.url)
        socket.on("framereceived", lambda frame: self.received.append(str(frame)))


class BotsKept:
    """Bots of the house at a site in a thread, as fast as they can be."""

    def __init__(self, site: Elsewhere, most: int = 90) -> None:
        self._site = site
        self._most = most
        self._stack = AsyncExitStack()

    def start(self) -> None:
        """Keeps them from now on."""

        async def start(served: Served) -> None:
            bots = house_bots(served.url, served.site.bearers, most=self._most, pace_s=0)
            served.site.bots = await self._stack.enter_async_context(bots)

        self._site.run(start)

    def stop(self) -> None:
        """Ends them."""
        self._site.run(lambda _served: self._stack.aclose())
