"""The API on a real port in a thread of its own, for clients that are not asynchronous."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from adapters.http.site import Terms
from tests.support.http import FREELY, Served, served_on
from tests.support.live import ManualClock

T = TypeVar("T")


class Elsewhere:
    """A site that is served in another thread."""

    def __init__(self, served: Served, loop: asyncio.AbstractEventLoop) -> None:
        self.served = served
        self._loop = loop

    @property
    def url(self) -> str:
        """Its URL."""
        return self.served.url

    def run(self, work: Callable[[Served], Awaitable[T]]) -> T:
        """Does something in the site's own thread."""

        async def do() -> T:
            return await work(self.served)

        return asyncio.run_coroutine_threadsafe(do(), self._loop).result(60)


@contextmanager
def served_elsewhere(
    database_url: str, folder: Path, clock: ManualClock, terms: Terms = FREELY
) -> Iterator[Elsewhere]:
    """The API of a live service, in a thread, on a free port."""
    ready: list[Elsewhere] = []
    started, ended = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with served_on(database_url, folder, clock, terms=terms) as served:
            ready.append(Elsewhere(served, asyncio.get_running_loop()))
            started.set()
            await ended.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        finally:
            started.set()

    thread = threading.Thread(target=run, name="site")
    thread.start()
    started.wait(60)
    assert ready, "the site did not start"
    try:
        yield ready[0]
    finally:
        ready[0]._loop.call_soon_threadsafe(ended.set)
        thread.join(60)
