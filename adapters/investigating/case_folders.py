"""A case as a folder: frozen events, data, a page to read and print, a script to recompute all, digests of all."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from adapters.errors import AdapterError
from adapters.event_files import read_events
from adapters.investigating.citing import CitedEvidence
from adapters.postgres.cases import Case, CaseItem
from domain.events import Event
from replays.investigation.case_decisions import CaseDecision, case_decisions
from replays.investigation.case_page import CasePage, Cited, case_page
from replays.investigation.evaluators import Evaluator
from replays.investigation.limits import LIMITS
from replays.investigation.player_evidence import player_evidence

T = TypeVar("T")
_DIGESTS: Final = "SHA256SUMS"
_CASE: Final = "case.json"
_DECISIONS: Final = "decisions.json"
_SCRIPT: Final = """#!/bin/sh
# Computes every number of this case anew from its frozen events and deals, and compares. Needs gongzhu installed.
set -e
cd "$(dirname "$0")"
sha256sum --check --quiet SHA256SUMS
exec gongzhu case recompute .
"""


class CaseFolderWrong(AdapterError):
    """A case's folder that is not what was exported; the text says in which file and what."""


class CaseData(msgspec.Struct, frozen=True, kw_only=True):
    """What `case.json` holds; the bodies of items are files beside it."""

    case: Case
    evaluator: Evaluator
    items: tuple[Cited, ...]
    limits: tuple[str, ...] = LIMITS


def write_case(case: Case, items: Sequence[CaseItem], evaluator: Evaluator, folder: Path) -> int:
    """Writes a case into a new folder; gives the number of decisions it shows. Raises `CaseFolderWrong`."""
    if folder.exists():
        raise CaseFolderWrong(f"{folder} exists; name a new folder")
    folder.mkdir(parents=True)
    for item in items:
        (folder / _file_of(item.item, item.kind)).write_bytes(item.body)
    cited = tuple(_cited(item) for item in items)
    data = CaseData(case=case, evaluator=evaluator, items=cited)
    decisions = tuple(_decisions(data, folder))
    (folder / _CASE).write_bytes(_pretty(data))
    (folder / _DECISIONS).write_bytes(_pretty(decisions))
    (folder / "case.html").write_text(case_page(_page(data, decisions, folder)), encoding="utf-8")
    script = folder / "recompute.sh"
    script.write_text(_SCRIPT, encoding="ascii")
    script.chmod(0o755)
    (folder / _DIGESTS).write_text(_digests(folder), encoding="ascii")
    return len(decisions)


def recompute(folder: Path) -> tuple[int, int]:
    """Computes a folder's numbers anew; gives how many decisions and statistics are as recorded.

    Raises `CaseFolderWrong` at the first that is not, or where a digest differs.
    """
    _check_digests(folder)
    data = _read(folder / _CASE, CaseData)
    recorded = _read(folder / _DECISIONS, tuple[CaseDecision, ...])
    if tuple(_decisions(data, folder)) != recorded:
        raise CaseFolderWrong(f"{folder / _DECISIONS}: its decisions are not what the frozen events come to")
    found = list(_evidence(data, folder))
    for path, each in found:
        if player_evidence(each.evidence.player, each.scores, each.population) != each.evidence:
            raise CaseFolderWrong(f"{path}: its statistics are not what its deals come to")
    return len(recorded), len(found)


def _page(data: CaseData, decisions: tuple[CaseDecision, ...], folder: Path) -> CasePage:
    found = [each for _, each in _evidence(data, folder)]
    return CasePage(
        number=data.case.number,
        why=data.case.why,
        opened=f"{data.case.opened_at:%Y-%m-%d %H:%M} UTC by {data.case.opened_by}"
        + (f", from report {data.case.report}" if data.case.report is not None else ""),
        players=tuple(map(str, data.case.players)),
        evaluator=data.evaluator.name,
        screened=max((each.screened for each in found), default=None),
        evidence=tuple(each.evidence for each in found),
        decisions=decisions,
        cited=data.items,
    )


def _decisions(data: CaseData, folder: Path) -> Iterator[CaseDecision]:
    for item in data.items:
        if item.kind == "match":
            events: list[Event] = read_events(folder / _file_of(item.item, item.kind))
            yield from case_decisions(events, data.case.players, data.evaluator)


def _evidence(data: CaseData, folder: Path) -> Iterator[tuple[Path, CitedEvidence]]:
    for item in data.items:
        if item.kind == "evidence":
            path = folder / _file_of(item.item, item.kind)
            yield path, _read(path, CitedEvidence)


def _cited(item: CaseItem) -> Cited:
    text = item.body.decode() if item.kind == "note" else ""
    at = f"{item.at:%Y-%m-%d %H:%M} UTC"
    return Cited(
        item=item.item, kind=item.kind, about=item.about, at=at, by=item.by, digest=item.digest, text=text
    )


def _file_of(item: int, kind: str) -> str:
    ending = {"match": "jsonl", "note": "txt"}.get(kind, "json")
    return f"{item:03}-{kind}.{ending}"


def _read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise CaseFolderWrong(f"{path} cannot be read: {error}") from error


def _pretty(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def _digests(folder: Path) -> str:
    files = sorted(path for path in folder.iterdir() if path.name != _DIGESTS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _check_digests(folder: Path) -> None:
    try:
        recorded = (folder / _DIGESTS).read_text(encoding="ascii")
    except OSError as error:
        raise CaseFolderWrong(f"{folder} is no exported case: {error}") from error
    for line in set(_digests(folder).splitlines()) ^ set(recorded.splitlines()):
        raise CaseFolderWrong(f"{folder}: {line.split()[-1]} is not what was exported")
