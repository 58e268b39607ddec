"""No byte that a viewer gets over HTTP or a socket tells two worlds apart until the rules do (P2).

Bodies, headers, frames, errors, sizes, order, and the times at which the service acts; on joining, leaving, coming
back and after errors. A leak planted in each kind of output is caught.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest

from adapters.http import problems
from adapters.http.app import build_app
from adapters.http.site import Site
from adapters.live import frames, timekeeper
from domain.duties import Duty, duty_of
from domain.match import Match
from domain.rulesets import RULESETS
from domain.visibility import view
from tests.support.observing import Plant, observed
from tests.support.worlds import Difference, Pair, first_difference, pairs

CASES: list[tuple[str, Difference]] = [
    (name, difference)
    for name, ruleset in RULESETS.items()
    for difference in ("cards", "leader", "declaration")
    if difference != "declaration" or ruleset.hidden_declarations
]
EACH = {"cards": 3, "leader": 2, "declaration": 3}


def told_apart(database_url: str, folder: Path, pair: Pair, plant: Plant = lambda _: None) -> str | None:
    async def both() -> str | None:
        one = await observed(database_url, folder, pair, pair.first, plant)
        other = await observed(database_url, folder, pair, pair.second, plant)
        assert len(one) > 20
        return first_difference(one, other)

    return asyncio.run(both())


@pytest.mark.parametrize(("ruleset", "difference"), CASES)
def test_two_worlds_are_the_same_to_whoever_may_not_know(
    ruleset: str, difference: Difference, database_url: str, tmp_path: Path
) -> None:
    for pair in pairs(RULESETS[ruleset], difference, EACH[difference], seed=2):
        assert told_apart(database_url, tmp_path, pair) is None


# --- leaks, planted -------------------------------------------------------------------------------------------------


def secret_of(match: Match) -> int:
    """A number that depends on everyone's cards."""
    return crc32(repr(match.hand.holdings).encode()) % 1000 if match.hand else 0


@dataclass
class Leak:
    """Something that is done to the code under test, until the test ends."""

    monkeypatch: pytest.MonkeyPatch

    def in_a_view(self, _site: Site) -> None:
        """Bodies and frames are made from it."""

        def leaky(match: Match, viewer: Any) -> Any:
            return msgspec.structs.replace(view(match, viewer), hands_ended=secret_of(match))

        self.monkeypatch.setattr(frames, "view", leaky)
        self.monkeypatch.setattr("adapters.live.tables.view", leaky)

    def in_the_size_of_a_frame(self, _site: Site) -> None:
        """As a frame that is not padded against what it does not say."""
        from adapters.live import tables

        advance = tables.LiveTable._send

        def padded(table: Any, events: Any) -> None:
            now = secret_of(table.match)
            encoded = frames.encoded
            self.monkeypatch.setattr(tables, "encoded", lambda frame: encoded(frame) + b" " * (now % 7))
            advance(table, events)

        self.monkeypatch.setattr(tables.LiveTable, "_send", padded)

    def in_a_header(self, site: Site) -> Any:
        """As a cache tag over the whole state."""
        app = build_app(site)

        async def tagged(scope: Any, receive: Any, send: Any) -> None:
            async def leaky(message: Any) -> None:
                if message["type"] == "http.response.start":
                    tables = site.live.tables.tended()
                    tag = str(secret_of(tables[0].match)) if tables else ""
                    message = {**message, "headers": [*message["headers"], (b"x-tag", tag.encode())]}
                await send(message)

            await app(scope, receive, leaky)

        return tagged

    def in_an_error(self, site: Site) -> None:
        """As a refusal that says too much."""

        def telling(refusal: Any) -> str:
            tables = site.live.tables.tended()
            return f"{refusal.describe()} {secret_of(tables[0].match) if tables else ''}"

        self.monkeypatch.setattr(problems, "in_english", telling)

    def in_a_delay(self, _site: Site) -> None:
        """As a service that acts sooner where there is little to choose."""

        def hasty(match: Match, *how: Any) -> Duty | None:
            duty = duty_of(match, *how)
            if duty is None:
                return None
            return msgspec.structs.replace(duty, at=duty.at - timedelta(milliseconds=secret_of(match)))

        self.monkeypatch.setattr(timekeeper, "duty_of", hasty)

    def in_the_order_of_events(self, _site: Site) -> None:
        """As events sorted by something hidden."""
        from adapters.live import tables

        public_forms = frames.public_forms
        last: list[Match] = []
        advance = tables.LiveTable._send

        def remembering(table: Any, events: Any) -> None:
            last[:] = [table.match]
            advance(table, events)

        def shuffled(events: Any) -> Any:
            forms = public_forms(events)
            return forms[::-1] if last and secret_of(last[0]) % 2 else forms

        self.monkeypatch.setattr(tables.LiveTable, "_send", remembering)
        self.monkeypatch.setattr(tables, "public_forms", shuffled)


LEAKS: list[Callable[[Leak, Site], Any]] = [
    Leak.in_a_view,
    Leak.in_the_size_of_a_frame,
    Leak.in_a_header,
    Leak.in_an_error,
    Leak.in_a_delay,
    Leak.in_the_order_of_events,
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_planted_leak_is_caught(
    leak: Callable[[Leak, Site], Any],
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted = Leak(monkeypatch)
    differences = []
    for pair in pairs(RULESETS["blood-1"], "cards", 3):
        with monkeypatch.context() as planted.monkeypatch:
            differences.append(told_apart(database_url, tmp_path, pair, lambda site: leak(planted, site)))
    assert any(differences)
