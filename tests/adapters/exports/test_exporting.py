"""What is exported: which matches, from which log, under which names, to which stream."""

import io
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec
import psycopg
import pyarrow.parquet as pq
import pytest

from adapters.exports.exporting import ExportOrder, export, export_to_stream
from adapters.exports.manifest import KINDS, Filters, Kind, read_manifest
from adapters.people.names import Names
from adapters.postgres.recorder import open_pool
from domain.errors import BrokenLog
from domain.events import Event, MatchAbandoned, MatchOpened, MatchSettled
from tests.support.exports import AT, ended_matches, exported, files_in, store

MATCHES: Final = ended_matches()


@pytest.fixture(scope="module")
def log(new_database: Callable[[], str]) -> str:
    """A log of matches that have ended."""
    database_url = new_database()
    store(database_url, MATCHES)
    return database_url


def _opened(events: list[Event]) -> MatchOpened:
    assert isinstance(events[0], MatchOpened)
    return events[0]


def _ending(events: list[Event]) -> MatchSettled | MatchAbandoned:
    return next(event for event in events if isinstance(event, MatchSettled | MatchAbandoned))


def matches_exported(log: str, folder: Path, filters: Filters) -> set[UUID]:
    """The matches in an export."""
    export(log, ExportOrder(kind="ndjson", filters=filters), folder, AT)
    lines = b"".join(files_in(folder).values()).split(b"\n")
    return {UUID(msgspec.json.decode(line)["match"]) for line in lines if line}


def _wanted(condition: Callable[[list[Event]], bool]) -> set[UUID]:
    return {events[0].match for events in MATCHES if condition(events)}


MIDDLE: Final[datetime] = sorted(_ending(events).at for events in MATCHES)[len(MATCHES) // 2]
PLAYER: Final = next(player for player in _ending(MATCHES[0]).players if player is not None)
TWO: Final = (MATCHES[2][0].match, MATCHES[5][0].match)
FILTERS: Final[list[tuple[Filters, Callable[[list[Event]], bool]]]] = [
    (Filters(), lambda _: True),
    (
        Filters(rulesets=("blood-1", "zero_sum-2")),
        lambda events: _opened(events).ruleset.name in ("blood-1", "zero_sum-2"),
    ),
    (Filters(origins=("imported",)), lambda events: _opened(events).origin == "imported"),
    (Filters(players=(PLAYER,)), lambda events: PLAYER in _ending(events).players),
    (Filters(matches=TWO), lambda events: events[0].match in TWO),
    (Filters(since=MIDDLE), lambda events: _ending(events).at >= MIDDLE),
    (Filters(until=MIDDLE), lambda events: _ending(events).at < MIDDLE),
    (
        Filters(origins=("served",), players=(PLAYER,), until=MIDDLE + timedelta(days=1)),
        lambda events: _opened(events).origin == "served" and PLAYER in _ending(events).players,
    ),
]


@pytest.mark.parametrize("number", range(len(FILTERS)))
def test_filters_let_through_what_they_say(number: int, log: str, tmp_path: Path) -> None:
    filters, condition = FILTERS[number]
    wanted = _wanted(condition)
    assert wanted
    assert (len(wanted) < len(MATCHES)) == (filters != Filters())
    assert matches_exported(log, tmp_path / "export", filters) == wanted
    assert read_manifest(tmp_path / "export").filters == filters


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_export_is_an_export_all_the_same(
    kind: str, database_url: str, log: str, tmp_path: Path
) -> None:
    for place, url in (("empty", database_url), ("other", log)):
        order = msgspec.convert(
            {"kind": kind, "filters": {"rulesets": ["whist"]} if url == log else {}}, ExportOrder
        )
        manifest = export(url, order, tmp_path / place, AT)
        assert (manifest.counts.matches, len(manifest.parts)) == (0, 1)
        assert sum(file.rows for file in manifest.files) == 0


def test_names_are_only_in_an_export_that_was_asked_for_them(log: str, tmp_path: Path) -> None:
    with open_pool(log, most=1) as pool:
        names = Names(pool)
        names.rename(PLAYER, "Wang Xiaoming", AT)
        for kind in KINDS:
            exported(log, kind, tmp_path / kind)
            assert not any(b"Xiaoming" in content for content in files_in(tmp_path / kind).values())
            named = tmp_path / f"named-{kind}"
            manifest = export(log, ExportOrder(kind=kind, names=True), named, AT, names_of=names.of)
            assert manifest.names
            others = {
                name: content for name, content in files_in(named).items() if not name.startswith("players")
            }
            assert not any(b"Xiaoming" in content for content in others.values())
    ndjson = (tmp_path / "named-ndjson" / "players-00001.ndjson").read_bytes()
    assert msgspec.json.decode(ndjson) == {"player": str(PLAYER), "name": "Wang Xiaoming"}
    table = pq.read_table(tmp_path / "named-parquet" / "players" / "part-00001.parquet")
    assert table.to_pylist() == [{"player": str(PLAYER), "name": "Wang Xiaoming"}]


@pytest.mark.parametrize("kind", ["ndjson", "notation"])
def test_stream_is_what_the_files_hold(kind: Kind, log: str, tmp_path: Path) -> None:
    exported(log, kind, tmp_path / kind)
    stream = io.BytesIO()
    told: list[tuple[int, int]] = []
    counts = export_to_stream(log, kind, Filters(), stream, lambda done, of: told.append((done, of)))
    assert stream.getvalue() == b"".join(files_in(tmp_path / kind).values())
    assert counts == read_manifest(tmp_path / kind).counts
    assert told[-1] == (len(MATCHES), len(MATCHES))
    assert told == sorted(told)


def test_damaged_log_is_not_exported(database_url: str, tmp_path: Path) -> None:
    store(database_url, MATCHES[:3])
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE log.events SET body = convert_to(replace(convert_from(body, 'UTF8'), 'seat', 'taes'), 'UTF8') "
            "WHERE tag = 'PlayerSeated.1' AND match = %s",
            [MATCHES[1][0].match],
        )
    with pytest.raises(BrokenLog, match="differs from the digest it was recorded with"):
        exported(database_url, "ndjson", tmp_path / "export")
    assert not (tmp_path / "export" / "manifest.json").exists()
