"""Finished hands put through the battery on every core, and only those that are new.

Scores are functions of the hand and the evaluator, so how work is shared out changes nothing.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from adapters.postgres.deal_scores import ScoredDeal, keep, matches_with_hands, reached, undirected_matches
from adapters.postgres.match_rows import Pool, last_position, rows_of_match
from adapters.serialization import Row, decode_row
from domain.events import Event, MatchOpened
from replays.investigation.battery import finished_deals, scores_of
from replays.investigation.evaluators import Evaluator
from replays.investigation.moments import moments_of
from replays.rollouts.evaluation import compiled_kernel
from replays.timeline import Timeline

T = TypeVar("T")

_AHEAD: Final = 4
"""Matches given out ahead of each process."""

Told = Callable[[int, int], None]
"""Hears how many matches are done, of how many."""


def scores_of_match(events: Sequence[Event], evaluator: Evaluator, *, directed: bool) -> list[ScoredDeal]:
    """The scores of every finished hand of a match that it shows the cards of."""
    opened = events[0]
    assert isinstance(opened, MatchOpened), "a match begins with it"
    timeline = Timeline(events)
    return [
        ScoredDeal(score=score, origin=opened.origin, ended_at=ended.at, directed=directed)
        for deal, ended in finished_deals(timeline)
        for score in scores_of(deal, moments_of(timeline, ended.hand_no), evaluator, directed=directed)
    ]


def bring_up_to_date(
    pool: Pool, evaluator: Evaluator, *, jobs: int | None = None, told: Told | None = None
) -> int:
    """Scores every hand that has ended since the last time; gives how many matches that were.

    What is done is kept as it goes: a run that is broken off goes on where it was.
    """
    until = last_position(pool)
    found = matches_with_hands(pool, reached(pool, evaluator.name), until)
    done = _score(pool, evaluator, found, directed=False, jobs=jobs, told=told)
    keep(pool, evaluator.name, (), until)
    return done


def direct(
    pool: Pool, evaluator: Evaluator, player: UUID, *, jobs: int | None = None, told: Told | None = None
) -> int:
    """Measures leaks and softness too in all deals of a player; gives how many matches that were."""
    found = [(match, 0) for match in undirected_matches(pool, evaluator.name, player)]
    return _score(pool, evaluator, found, directed=True, jobs=jobs, told=told)


def _score(
    pool: Pool,
    evaluator: Evaluator,
    matches: Sequence[tuple[UUID, int]],
    *,
    directed: bool,
    jobs: int | None,
    told: Told | None,
) -> int:
    work = partial(_scored, evaluator=msgspec.json.encode(evaluator), directed=directed)
    rows = (rows_of_match(pool, match) for match, _ in matches)
    processes = min(jobs or os.cpu_count() or 1, len(matches) // _AHEAD + 1)
    for number, (deals, (_, position)) in enumerate(
        zip(spread(work, rows, processes), matches, strict=True), 1
    ):
        keep(pool, evaluator.name, deals, position)
        if told is not None:
            told(number, len(matches))
    return len(matches)


def _scored(rows: Sequence[Row], evaluator: bytes, *, directed: bool) -> list[ScoredDeal]:
    """One match in a process of its own."""
    found = msgspec.json.decode(evaluator, type=Evaluator)
    return scores_of_match([decode_row(row) for row in rows], found, directed=directed)


def begin_process() -> None:
    """A process loads the compiled kernel, where there is one, before its first match."""
    compiled_kernel()


def spread(
    work: Callable[[T], list[ScoredDeal]], given: Iterable[T], many: int
) -> Iterator[list[ScoredDeal]]:
    """What comes of each, in order, from so many processes; one is this one."""
    if many == 1:
        compiled_kernel()
        yield from map(work, given)
        return
    # Not forked: this process has threads of the connection pool.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(many, mp_context=context, initializer=begin_process) as processes:
        left = iter(given)
        waiting = [processes.submit(work, each) for each in islice(left, many * _AHEAD)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [processes.submit(work, each) for each in islice(left, 1)]
