"""Deals of an export put through the battery, without any server: for whoever investigates elsewhere."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from adapters.errors import AdapterError
from adapters.event_files import event_of
from adapters.investigating.scoring import scores_of_match, spread
from adapters.postgres.deal_scores import ScoredDeal, Wanted
from adapters.restoring.found import Faulty, FoundMatch
from adapters.restoring.sources import kind_of, matches_in_file, matches_in_folder
from replays.investigation.deal_scores import DealScore
from replays.investigation.evaluators import Evaluator


class ExportFaulty(AdapterError):
    """An export that holds something other than whole matches; the text says where and what."""


def exported_scores(
    path: Path, evaluator: Evaluator, wanted: Wanted, jobs: int | None = None
) -> Iterator[DealScore]:
    """The scores of an export's deals, in the order of its matches, of any format and on every core.

    Raises `ExportFaulty`, `UnknownSource`, `BrokenLog`.
    """
    work = partial(_scored, evaluator=msgspec.json.encode(evaluator))
    for deals in spread(work, _found(path), jobs or os.cpu_count() or 1):
        yield from (deal.score for deal in deals if _is_wanted(deal, wanted))


def _found(path: Path) -> Iterator[FoundMatch]:
    kind = kind_of(path)
    if kind == "records":
        raise ExportFaulty(f"{path} holds recorded hands; import them, or give an export")
    for each in matches_in_folder(path) if kind == "export" else matches_in_file(path, kind):
        if isinstance(each, Faulty):
            raise ExportFaulty(each.describe())
        yield each


def _scored(found: FoundMatch, evaluator: bytes) -> list[ScoredDeal]:
    """One match in a process of its own."""
    events = [event_of(public) for public in found.publics]
    return scores_of_match(events, msgspec.json.decode(evaluator, type=Evaluator), directed=False)


def _is_wanted(deal: ScoredDeal, wanted: Wanted) -> bool:
    return (
        (wanted.ruleset is None or deal.score.ruleset.startswith(f"{wanted.ruleset} revision "))
        and (wanted.origin is None or deal.origin == wanted.origin)
        and (wanted.since is None or deal.ended_at >= wanted.since)
    )
