"""Two stages beside each other, in which the two worlds of every pair unfold (design P2).

Each has a database of its own. Clocks, ids and randomness are the same, so whatever anyone who may not know is sent
must be the same too, byte for byte and in the same order, and so must log lines and the times the services wait for.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from litestar import Litestar

from adapters.composition import Ports, live_site
from adapters.http.app import build_app
from adapters.randomness import SeededRandomness
from tests.support.http import FREELY
from tests.support.in_clear import first_difference
from tests.support.observing import STAGE, Stage
from tests.support.read_models_built import ReadModelsKept
from tests.support.worlds import Pair

Leak = Callable[[pytest.MonkeyPatch, Litestar], Any]
"""Makes a site leak, by what it patches or by the application it gives in place of the site's own."""
_QUIET: Final = ("asyncio", "psycopg.pool")


class _LogLines(logging.Handler):
    """Every log line goes to the stage whose work it is about."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one line."""
        stage = STAGE.get()
        if stage is not None and not record.name.startswith(_QUIET):
            stage.log_lines.append(f"log: {record.name} {record.levelname} {record.getMessage()}")


@contextmanager
def log_lines_kept() -> Iterator[None]:
    """Every log line of every stage is kept."""
    handler, root = _LogLines(logging.DEBUG), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@asynccontextmanager
async def staged(database_url: str, folder: Path) -> AsyncIterator[Stage]:
    """A stage on an empty database, with its keys in `folder`."""
    stage = Stage()
    STAGE.set(stage)
    ports = Ports(stage.clock, SeededRandomness(5), stage.deal)
    stage.models = ReadModelsKept(database_url)
    async with live_site(database_url, folder, ports, stage.clock, terms=FREELY) as site:
        stage.site = site
        stage.app = stage.routes = build_app(site)
        try:
            yield stage
        finally:
            stage.models.close()


class Stages(NamedTuple):
    """Two stages that have seen the same until now, as far as anyone may know."""

    first: Stage
    second: Stage

    @contextmanager
    def planted(self, leak: Leak) -> Iterator[None]:
        """Both leak while the block lasts."""
        with pytest.MonkeyPatch.context() as patch:
            self.first.app = leak(patch, self.first.routes) or self.first.routes
            # What is patched is patched for both; only the application is each one's own.
            with pytest.MonkeyPatch.context() as again:
                self.second.app = leak(again, self.second.routes) or self.second.routes
            yield
        for stage in self:
            stage.app = stage.routes

    async def told_apart(self, pair: Pair, *, thorough: bool = False) -> str | None:
        """What tells the worlds of a pair apart, None where nothing does before the rules do."""
        one, other = await asyncio.gather(
            self.first.observe(pair, pair.first, thorough=thorough),
            self.second.observe(pair, pair.second, thorough=thorough),
        )
        assert one.disclosed != other.disclosed, "the worlds do not differ at all"
        assert len(one.before) > 20
        return first_difference(one.before, other.before)


@asynccontextmanager
async def stages(database_urls: Sequence[str], folder: Path) -> AsyncIterator[Stages]:
    """Two stages, each on an empty database of its own."""
    folders = [folder / name for name in ("first", "second")]
    async with AsyncExitStack() as stack:
        stack.enter_context(log_lines_kept())
        opened = []
        for url, own in zip(database_urls, folders, strict=True):
            own.mkdir(exist_ok=True)
            opened.append(await stack.enter_async_context(staged(url, own)))
        yield Stages(*opened)
