"""No byte that a viewer gets over HTTP or a socket tells two worlds apart until the rules do (P2).

Bodies, headers, frames, errors, sizes, order, log lines, and the times at which the service acts; on joining, leaving,
coming back and after errors, in live matches and in what is kept of hands that have ended: 200 pairs of worlds here,
thousands with `./dev chaos worlds`. A leak planted in each kind of output is caught.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final

import pytest

from domain.rulesets import RULESETS
from tests.support.leaks import ACTING_LEAKS, LEAKS
from tests.support.stages import Leak, Stages, stages
from tests.support.worlds import CASES, SHARES, Difference, pairs

Databases = Callable[[], AbstractContextManager[str]]
MOST_TRIED: Final = 12


class Theatre:
    """Two stages that stay open, and the loop they run in."""

    def __init__(self, loop: asyncio.Runner, both: Stages) -> None:
        self._loop = loop
        self.both = both

    def told_apart(self, ruleset: str, difference: Difference, count: int, seed: str) -> Iterator[str | None]:
        """What tells each of so many pairs apart."""
        for pair in pairs(RULESETS[ruleset], difference, count, seed=seed):
            yield self._loop.run(self.both.told_apart(pair))

    def told_apart_by_looking_everywhere(self, ruleset: str, difference: Difference) -> str | None:
        """What tells one pair apart whose viewers look everywhere and try everything."""
        (pair,) = pairs(RULESETS[ruleset], difference, 1, seed="everywhere")
        return self._loop.run(self.both.told_apart(pair, thorough=True))


@pytest.fixture(scope="module")
def theatre(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("stages")
    with ExitStack() as stack:
        yield opened(stack, databases, folder)


@pytest.fixture(scope="module")
def leaking(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    with ExitStack() as stack:
        yield opened(stack, databases, tmp_path_factory.mktemp("leaking"))


def opened(stack: ExitStack, databases: Databases, folder: Path) -> Theatre:
    urls = [stack.enter_context(databases()) for _ in range(2)]
    loop = stack.enter_context(asyncio.Runner())
    services = AsyncExitStack()
    both = loop.run(services.enter_async_context(stages(urls, folder)))
    stack.callback(lambda: loop.run(services.aclose()))
    return Theatre(loop, both)


@pytest.mark.parametrize(("ruleset", "difference"), CASES)
def test_two_worlds_are_the_same_to_whoever_may_not_know(
    ruleset: str, difference: Difference, theatre: Theatre
) -> None:
    for found in theatre.told_apart(ruleset, difference, SHARES[difference], "suite"):
        assert found is None


@pytest.mark.parametrize(("ruleset", "difference"), CASES[::5])
def test_two_worlds_are_the_same_wherever_anyone_looks(
    ruleset: str, difference: Difference, theatre: Theatre
) -> None:
    assert theatre.told_apart_by_looking_everywhere(ruleset, difference) is None


def test_every_ruleset_and_difference_is_seen_in_two_hundred_pairs() -> None:
    assert sum(SHARES[difference] for _, difference in CASES) >= 200
    assert {ruleset for ruleset, _ in CASES} == set(RULESETS)
    assert {difference for _, difference in CASES} == set(SHARES)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_planted_leak_is_caught(leak: Leak, leaking: Theatre) -> None:
    with leaking.both.planted(leak):
        assert any(leaking.told_apart("blood-1", "cards", MOST_TRIED, f"leak {leak.__name__}"))


def test_nothing_is_told_apart_once_the_leaks_are_gone(leaking: Theatre) -> None:
    assert not any(leaking.told_apart("blood-1", "cards", 3, "no leak"))


@pytest.mark.parametrize("leak", ACTING_LEAKS, ids=lambda leak: leak.__name__)
def test_leak_planted_in_what_the_service_does_is_caught(
    leak: Leak, databases: Databases, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        theatre = opened(stack, databases, tmp_path)
        with theatre.both.planted(leak):
            assert any(theatre.told_apart("blood-1", "cards", MOST_TRIED, "leak"))
