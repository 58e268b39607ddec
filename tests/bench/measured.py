"""What a benchmark gives back, and how it measures: on one core, in rounds, with a time limit for every peer."""

import os
import platform
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

Work = Callable[[], int]
"""Does some work and gives how many pieces of it were done."""


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """What was to be reached, and whether it was. `got` is None where it could not be measured."""

    what: str
    want: float
    got: float | None
    holds: bool


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one benchmark. Figures have their units in their names; a text among them is a note."""

    name: str
    machine: dict[str, Any]
    figures: dict[str, Any]
    aims: tuple[Aim, ...]


class OutOfTime(Exception):
    """A peer did not finish within its limit."""


def at_least(what: str, want: float, got: float | None) -> Aim:
    """An aim that holds where `got` is at least `want`, and not where it is missing."""
    rounded = None if got is None else round(got, 3)
    return Aim(what=what, want=want, got=rounded, holds=got is not None and got >= want)


def at_most(what: str, want: float, got: float | None) -> Aim:
    """An aim that holds where `got` is at most `want`, and not where it is missing."""
    rounded = None if got is None else round(got, 3)
    return Aim(what=what, want=want, got=rounded, holds=got is not None and got <= want)


def machine() -> dict[str, Any]:
    """What the figures depend on: processor, cores, system, Python."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def _processor() -> str:
    """The processor's name, as far as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


@contextmanager
def one_core() -> Iterator[None]:
    """Keeps this process on one core for a while, where the system lets it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Ends what runs inside after so long. Raises `OutOfTime`; only for the main thread."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime(f"not finished within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def rate(work: Work, for_s: float) -> float:
    """Pieces of work a second, over at least so long."""
    done, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < for_s:
        done += work()
    return done / spent


def rates_in_rounds(
    peers: Mapping[str, Work], *, rounds: int = 5, for_s: float = 0.5, limit_s: float = 30
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Each peer's rate in each round, peer after peer in every round, so that a slow moment meets them all.

    The second part says why a peer gave out: it raised, or one round took it longer than `limit_s`. Its rates are
    left out then.
    """
    rates: dict[str, list[float]] = {name: [] for name in peers}
    failed: dict[str, str] = {}
    for _ in range(rounds):
        for name, work in peers.items():
            if name in failed:
                continue
            try:
                with limit(limit_s):
                    rates[name].append(rate(work, for_s))
            except Exception as error:  # noqa: BLE001 - a peer that fails in any way must not end the others
                failed[name] = f"{type(error).__name__}: {error}"
                del rates[name]
    return rates, failed


def ratio(rates: Mapping[str, list[float]], one: str, other: str) -> float | None:
    """The median over the rounds of one peer's rate by another's of the same round; None where one is missing."""
    if one not in rates or other not in rates:
        return None
    return statistics.median(a / b for a, b in zip(rates[one], rates[other], strict=True))
