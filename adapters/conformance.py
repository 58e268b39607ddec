"""Worked cases in a folder of JSON lines, checked against our rules and counted by file."""

from pathlib import Path
from typing import Any, Final

import msgspec

from adapters.errors import AdapterError
from replays.conformance import Mismatch, check_line

FIRST_FAILURES: Final = 20
"""How many failing lines a report shows."""


class VectorsMissing(AdapterError):
    """The folder has no worked cases."""


class Count(msgspec.Struct):
    """The lines of one file."""

    passed: int = 0
    failed: int = 0


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a line of a file wants otherwise; lines count from 1."""

    file: str
    line: int
    what: str
    want: Any
    got: Any


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The lines that hold and those that do not, all together and by file, with the first failures."""

    passed: int
    failed: int
    files: dict[str, Count]
    first_failures: tuple[Failure, ...] = ()


def run(directory: Path) -> Report:
    """Checks every `*.jsonl` of a folder. Raises `VectorsMissing` where there is none."""
    paths = sorted(directory.glob("*.jsonl"))
    if not paths:
        raise VectorsMissing(f"{directory} has no *.jsonl; name the folder that holds the worked cases")
    files: dict[str, Count] = {}
    failures: list[Failure] = []
    for path in paths:
        files[path.name], failed = _check_file(path)
        failures += failed
    return Report(
        passed=sum(count.passed for count in files.values()),
        failed=sum(count.failed for count in files.values()),
        files=files,
        first_failures=tuple(failures[:FIRST_FAILURES]),
    )


def _check_file(path: Path) -> tuple[Count, list[Failure]]:
    """The count of a file and its failures; empty lines are no cases."""
    count, failures = Count(), list[Failure]()
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        mismatches = check_line(path.stem, line)
        count.failed += bool(mismatches)
        count.passed += not mismatches
        failures += [_failure(path.name, number, mismatch) for mismatch in mismatches]
    return count, failures


def _failure(file: str, line: int, mismatch: Mismatch) -> Failure:
    return Failure(file=file, line=line, what=mismatch.what, want=mismatch.want, got=mismatch.got)
