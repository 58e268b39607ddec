"""Simulated seasons played on every core, into a file that a broken-off run goes on with."""

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from adapters.errors import AdapterError
from adapters.investigating.scoring import Told, begin_process
from replays.investigation.evaluators import Evaluator
from replays.investigation.simulation.seasons import Season, SimulatedScore, season_scores

_CHUNK: Final = 10
"""Deals a process plays at a time."""


class OtherSeason(AdapterError):
    """A file that another season or evaluator was played into."""


class _Head(msgspec.Struct, frozen=True):
    """The first line of the file: what is played."""

    season: Season
    evaluator: Evaluator


def play_season(
    season: Season, evaluator: Evaluator, path: Path, *, jobs: int | None = None, told: Told | None = None
) -> int:
    """Plays what is missing of a season into a file, a score a line; gives how many deals that were.

    Raises `OtherSeason`.
    """
    done = _begun(season, evaluator, path)
    work = partial(_played, head=msgspec.json.encode(_Head(season, evaluator)))
    starts = range(done, len(season), _CHUNK)
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(
            jobs or os.cpu_count(), mp_context=context, initializer=begin_process
        ) as processes,
        path.open("ab") as file,
    ):
        for start, lines in zip(starts, processes.map(work, starts), strict=True):
            file.write(lines)
            file.flush()
            if told is not None:
                told(min(start + _CHUNK, len(season)), len(season))
    return len(season) - done


def read_season(path: Path) -> tuple[Season, Evaluator, Iterator[SimulatedScore]]:
    """What was played into a file: the season, the evaluator and the scores. Raises `OtherSeason`."""
    with path.open("rb") as file:
        head = _head(path, file.readline())
    return head.season, head.evaluator, _scores(path)


def _scores(path: Path) -> Iterator[SimulatedScore]:
    decoder = msgspec.json.Decoder(SimulatedScore)
    with path.open("rb") as file:
        file.readline()
        for line in file:
            if line.endswith(b"\n"):
                yield decoder.decode(line)


def _head(path: Path, line: bytes) -> _Head:
    try:
        return msgspec.json.decode(line, type=_Head)
    except msgspec.DecodeError as error:
        raise OtherSeason(f"{path} holds no simulated season: {error}; name another file") from error


def _begun(season: Season, evaluator: Evaluator, path: Path) -> int:
    """How many deals are in the file, which is cut after the last whole chunk of them."""
    wanted = _Head(season, evaluator)
    if not path.exists() or not path.stat().st_size:
        path.write_bytes(msgspec.json.encode(wanted) + b"\n")
        return 0
    with path.open("r+b") as file:
        line = file.readline()
        if _head(path, line) != wanted:
            raise OtherSeason(f"{path} holds another season or another evaluator's; name another file")
        lines = [each for each in file if each.endswith(b"\n")]
        whole = len(lines) // (4 * _CHUNK) * _CHUNK if len(lines) < 4 * len(season) else len(season)
        file.truncate(len(line) + sum(map(len, lines[: 4 * whole])))
    return whole


def _played(start: int, head: bytes) -> bytes:
    """A chunk of deals in a process of its own."""
    found = msgspec.json.decode(head, type=_Head)
    numbers = range(start, min(start + _CHUNK, len(found.season)))
    scores = (score for number in numbers for score in season_scores(found.season, number, found.evaluator))
    return b"".join(msgspec.json.encode(score) + b"\n" for score in scores)
