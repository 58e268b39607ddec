"""Damaged files: a clear error that names the file, or the right result; never a traceback or half a match."""

import asyncio
import re
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import psycopg
import pytest

from adapters.exports.manifest import KINDS
from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport
from adapters.postgres.recorder import open_pool
from adapters.record_files import BUNDLED_HANDS
from adapters.restoring.found import Faulty
from adapters.restoring.lines import LONGEST_LINE, matches_in_lines
from adapters.restoring.paths import import_paths
from replays.recorded_hands import RecordedMatch, read_records
from tests.support.exports import ended_matches, exported, publics_in, publics_of, store
from tests.support.mutations import BINARY, FOLDER, HARMLESS, TEXT
from tests.support.services import START, service_on

MATCHES: Final = [match for number, match in enumerate(ended_matches(3)) if number in (1, 3, 9)]
WHOLE: Final = publics_of(MATCHES)
RECORDS: Final = b"".join(BUNDLED_HANDS.read_bytes().splitlines(keepends=True)[:2])
RECORDED: Final = publics_of(
    [
        list(one.events)
        for one in read_records(RECORDS.splitlines(), "hands", START)
        if isinstance(one, RecordedMatch)
    ]
)
MUTANTS = 200
MUTANTS_IN_THE_LONG_RUN = 5_000
_LONGEST_S = 20
_FEWER_RECORDS: Final = ("records, deleted line", "records, cut")
"""A file of recorded hands without some of them is a file of recorded hands."""


class Mutant(NamedTuple):
    """A damaged file or folder; `harmless`: it has to be read whole all the same."""

    name: str
    path: Path
    harmless: bool


@pytest.fixture(scope="module")
def exports(new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export of each kind."""
    database_url = new_database()
    store(database_url, MATCHES)
    folder = tmp_path_factory.mktemp("exports")
    for kind in KINDS:
        exported(database_url, kind, folder / kind, part_bytes=1)
        exported(database_url, kind, folder / f"{kind}-one", part_bytes=10**9)
    return folder


def mutants(exports: Path, folder: Path, count: int) -> Iterator[Mutant]:
    """So many damaged files and folders, of every kind and damage in turn."""
    bare = {
        "ndjson": "matches-00001.ndjson",
        "notation": "matches-00001.txt",
        "parquet": "events/part-00001.parquet",
    }
    kinds: list[tuple[str, str]] = [
        *[(kind, name) for kind in ("ndjson", "notation", "records") for name in TEXT],
        *[("parquet", name) for name in BINARY],
        *[(f"{kind} folder", name) for kind in KINDS for name in FOLDER],
    ]
    for number in range(count):
        kind, name = kinds[number % len(kinds)]
        random = Random(f"{kind}/{name}/{number}")
        path = folder / f"mutant-{number}"
        if kind.endswith(" folder"):
            shutil.copytree(exports / kind.removesuffix(" folder"), path)
            FOLDER[name](path, random)
        else:
            whole = RECORDS if kind == "records" else (exports / f"{kind}-one" / bare[kind]).read_bytes()
            path.write_bytes((BINARY if kind == "parquet" else TEXT)[name](whole, random))
        yield Mutant(f"{kind}, {name}, {number}", path, name in HARMLESS)


def check(mutant: Mutant, report: ImportReport, database_url: str, took_s: float) -> None:
    """What has to hold after a damaged file was imported."""
    found = publics_in(database_url)
    for match, publics in found.items():
        recorded = RECORDED.get(match)
        same = [re.sub(rb'"at":"[^"]*"', b"", one) for one in publics]
        assert publics == WHOLE.get(match) or (
            recorded is not None and same == [re.sub(rb'"at":"[^"]*"', b"", one) for one in recorded]
        ), mutant.name
    assert report.restored + report.stored == len(found), mutant.name
    expected = RECORDED if mutant.name.startswith("records") else WHOLE
    if mutant.harmless:
        assert (found.keys(), report.errors) == (expected.keys(), []), mutant.name
    if found.keys() != expected.keys() and not mutant.name.startswith(_FEWER_RECORDS):
        assert report.errors, mutant.name
    assert len(report.errors) == report.refused + report.faulty, mutant.name
    for error in report.errors:
        assert mutant.path.name in error, (mutant.name, error)
        assert error.isprintable(), (mutant.name, error)
        assert len(error) < 1_500, (mutant.name, error)
    assert took_s < _LONGEST_S, mutant.name


async def import_each(mutants: Iterator[Mutant], database_url: str, keys: Path) -> dict[str, int]:
    """Imports each into an empty log; how many gave an error and how many did not."""
    outcomes = {"errors": 0, "fine": 0}
    with (
        psycopg.connect(database_url, autocommit=True) as connection,
        open_pool(database_url, most=1) as pool,
    ):
        async with service_on(database_url, keys) as service, GroupCommit(database_url) as commits:
            for mutant in mutants:
                connection.execute("TRUNCATE log.events, log.commands, log.snapshots")
                began = time.monotonic()
                report = await import_paths([mutant.path], service, pool, commits, START)
                check(mutant, report, database_url, time.monotonic() - began)
                outcomes["errors" if report.errors else "fine"] += 1
                (shutil.rmtree if mutant.path.is_dir() else Path.unlink)(mutant.path)
    return outcomes


def test_damaged_files_give_a_clear_error_or_the_right_result(
    exports: Path, new_database: Callable[[], str], tmp_path: Path
) -> None:
    outcomes = asyncio.run(import_each(mutants(exports, tmp_path, MUTANTS), new_database(), tmp_path))
    assert sum(outcomes.values()) == MUTANTS
    assert outcomes["errors"] > MUTANTS // 2
    assert outcomes["fine"] >= 2 * len(HARMLESS)


@pytest.mark.long
def test_thousands_of_damaged_files_give_a_clear_error_or_the_right_result(
    exports: Path, new_database: Callable[[], str], tmp_path: Path
) -> None:
    found = mutants(exports, tmp_path, MUTANTS_IN_THE_LONG_RUN)
    asyncio.run(import_each(found, new_database(), tmp_path))


def test_line_of_100_megabytes_is_passed_over_without_being_held(exports: Path, tmp_path: Path) -> None:
    whole = (exports / "ndjson-one" / "matches-00001.ndjson").read_bytes()
    path = tmp_path / "long.ndjson"
    with path.open("wb") as file:
        file.write(whole + b'{"type":"')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b"\n" + b"\n" + whole)
    tracemalloc.start()
    try:
        with path.open("rb") as stream:
            found = list(matches_in_lines(stream, "long.ndjson"))
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_LINE + 3 * len(whole)
    finally:
        tracemalloc.stop()
    faults = [one for one in found if isinstance(one, Faulty)]
    assert len(found) - len(faults) == 2 * len(WHOLE)
    line = whole.count(b"\n") + 1
    assert [fault.describe() for fault in faults] == [
        f"long.ndjson line {line}: the line has more than 1,000,000 bytes; no event is so long"
    ]
