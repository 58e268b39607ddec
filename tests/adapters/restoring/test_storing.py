"""What may be put into a log from a file: nothing over what is there, nothing that only looks like ours."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from adapters import serialization
from adapters.auditing import audit_match
from adapters.exports.manifest import Kind
from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport
from adapters.postgres.recorder import open_pool
from adapters.restoring.sources import matches_in_file
from adapters.restoring.storing import Restorer
from adapters.serialization import encode_public
from adapters.upcasts import UPCASTS
from domain.events import Event, HandCorrected, MatchOpened, public_form
from tests.support.commands import ROOT
from tests.support.exports import (
    ended_matches,
    exported,
    files_in,
    import_into,
    publics_in,
    publics_of,
    store,
    unfinished,
)
from tests.support.recording import RECORDED
from tests.support.stored_matches import abandoned, annulled, lifted

ENDED = ended_matches()
LIVE = unfinished(Random("live"))


def lines_of(events: Sequence[Event]) -> bytes:
    """A match as an export writes it."""
    return b"".join(encode_public(event) + b"\n" for event in events) + b"\n"


def imported(database_url: str, folder: Path, content: bytes) -> ImportReport:
    """What comes of importing a file with this content."""
    path = folder / "match.ndjson"
    path.write_bytes(content)
    return import_into(database_url, folder, path)


@pytest.mark.parametrize(
    ("there", "given", "says"),
    [
        (LIVE, abandoned(LIVE), "is being played here; nothing of it is replaced"),
        (annulled(ENDED[0]), lifted(annulled(ENDED[0])), "has 1 more events of it than the log"),
        (lifted(annulled(ENDED[0])), annulled(ENDED[0]), "the log knows 1 more events of it"),
        (
            annulled(ENDED[0]),
            [*ENDED[0], replace(annulled(ENDED[0])[-1], cause="no")],
            "other bytes, first at version",
        ),
    ],
    ids=["live", "longer", "shorter", "other"],
)
def test_match_that_is_there_is_never_touched(
    there: list[Event], given: list[Event], says: str, database_url: str, tmp_path: Path
) -> None:
    store(database_url, [there])
    before = publics_in(database_url)
    report = imported(database_url, tmp_path, lines_of(given))
    assert (report.restored, report.there_already, report.refused) == (0, 0, 1)
    assert says in report.errors[0]
    assert publics_in(database_url) == before
    assert imported(database_url, tmp_path, lines_of(there)).there_already == (there is not LIVE)


def _told(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(encode_public(event)) for event in events]


def _lines(told: list[dict[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in told) + b"\n"


def _with_ruleset(**changes: Any) -> bytes:
    opened = ENDED[0][0]
    assert isinstance(opened, MatchOpened)
    return lines_of([replace(opened, ruleset=replace(opened.ruleset, **changes)), *ENDED[0][1:]])


def _with_field(number: int, **fields: Any) -> bytes:
    told = _told(ENDED[0])
    told[number] |= fields
    return _lines(told)


def _corrected_otherwise() -> bytes:
    place = next(place for place, event in enumerate(ENDED[3]) if isinstance(event, HandCorrected))
    told = _told(ENDED[3])
    told[place]["match_points"] = [9000, 0, 0, 0]
    return _lines(told)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (lines_of(LIVE), "line 1, match .* has not ended"),
        (_with_ruleset(revision=2), "revision 2 is no ruleset known here"),
        (_with_ruleset(name="whist"), "whist revision 1 is no ruleset known here"),
        (_with_ruleset(hand_points_factor=99), "audit fails"),
        (lines_of(ENDED[0]).replace(b'"pause_s":5', b'"pause_s":18446744073709551615'), "clocks go beyond all measure"),
        (_with_field(3, name="someone"), "line 4, .* not written as gongzhu writes it"),
        (_with_field(0, secret=["cm9vdA=="]), "line 1, "),
        (lines_of(ENDED[0]).replace(b'"schema":1', b'"schema": 1', 1), "line 1, .* not written as gongzhu writes it"),
        (lines_of(ENDED[0]).replace(b'"schema":1', b'"schema":7', 1), "MatchOpened.7: unknown tag"),
        (lines_of(ENDED[0][1:]), "whose beginning is not in the file"),
        (_corrected_otherwise(), r"line \d+, .* audit fails: .*match_points\[0\]"),
        (lines_of(ENDED[0]) [:-1], "no empty line closes match"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_match_that_only_looks_like_ours_is_refused(
    content: bytes, says: str, database_url: str, tmp_path: Path
) -> None:
    report = imported(database_url, tmp_path, content)
    assert (report.restored, report.refused) == (0, 1)
    assert re.search(says, report.errors[0]), report.errors[0]
    assert publics_in(database_url) == {}


def test_deals_that_are_not_the_promised_ones_are_refused(database_url: str, tmp_path: Path) -> None:
    told = _told(ENDED[0])
    told[0]["anchor"] = "00" * 64
    report = imported(database_url, tmp_path, _lines(told))
    assert "the deals are not what was promised: hand 1, seed" in report.errors[0]
    assert publics_in(database_url) == {}


def test_fields_that_came_later_may_be_missing(database_url: str, tmp_path: Path) -> None:
    told = _told(ENDED[8])
    assert told[-1].pop("deal_unavailable") is False
    report = imported(database_url, tmp_path, _lines(told))
    assert report.errors == []
    assert publics_in(database_url) == {ENDED[8][0].match: _lines(told).splitlines()[:-1]}


def test_every_recorded_match_that_has_ended_is_restored(database_url: str, tmp_path: Path) -> None:
    ended = {
        path: content
        for path in sorted((RECORDED / "matches").glob("*.jsonl"))
        if b'"type":"MatchSettled"' in (content := path.read_bytes()) or b'"type":"MatchAbandoned"' in content
    }
    report = imported(database_url, tmp_path, b"".join(content + b"\n" for content in ended.values()))
    assert (report.restored, report.errors) == (len(ended), [])
    assert sorted(publics_in(database_url).values()) == sorted(one.splitlines() for one in ended.values())


@pytest.fixture
def older_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """There was a time when a seated player gave no commitment."""
    monkeypatch.setitem(serialization._OLDER_TAGS, "PlayerSeated.0", "PlayerSeated.1")
    monkeypatch.setitem(UPCASTS, ("PlayerSeated", 0), lambda fields: {**fields, "commitment": None})


@pytest.mark.usefixtures("older_schema")
@pytest.mark.parametrize("kind", ["ndjson", "parquet", "notation"])
def test_events_of_older_versions_are_restored_as_they_were_recorded(
    kind: Kind, database_url: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    told = _told(next(match for match in ENDED if all(one.get("commitment") is None for one in _told(match))))
    for one in told:
        if one["type"] == "PlayerSeated":
            del one["commitment"]
            one["schema"] = 0
    assert imported(database_url, tmp_path, _lines(told)).errors == []
    with open_pool(database_url, most=1) as pool:
        assert audit_match(pool, next(iter(publics_in(database_url)))).what is None
    manifest = exported(database_url, kind, tmp_path / "export")
    assert manifest.counts.schemas["PlayerSeated.0"] == 4
    copy = new_database()
    report = import_into(copy, tmp_path, tmp_path / "export")
    if kind == "notation":
        assert "recorded by an older version; import the match from NDJSON or Parquet" in report.errors[0]
        return
    assert report.errors == []
    assert publics_in(copy) == publics_in(database_url)
    exported(copy, kind, tmp_path / "again")
    assert files_in(tmp_path / "again") == files_in(tmp_path / "export")


def test_match_that_two_import_at_once_is_stored_once(database_url: str, tmp_path: Path) -> None:
    path = tmp_path / "matches.ndjson"
    path.write_bytes(b"".join(map(lines_of, ENDED)))
    reports = [ImportReport(), ImportReport()]

    async def run(report: ImportReport) -> None:
        async with GroupCommit(database_url) as commits:
            with open_pool(database_url, most=1) as pool:
                await Restorer(pool, commits, report).restore(matches_in_file(path, "events"))

    async def both() -> None:
        await asyncio.gather(*map(run, reports))

    asyncio.run(both())
    assert [report.errors for report in reports] == [[], []]
    assert sum(report.restored for report in reports) == len(ENDED)
    assert sum(report.there_already for report in reports) == len(ENDED)
    assert publics_in(database_url) == publics_of(ENDED)


def test_import_killed_anywhere_leaves_whole_matches_and_is_gone_on_with(
    database_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "matches.ndjson"
    path.write_bytes(b"".join(map(lines_of, ENDED)))
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from adapters.restoring import storing\n"
        "from tests.support.exports import import_into\n"
        "storing._AT_ONCE = 2\n"
        "sound, left = storing.sound_rows, iter(range(6, -1, -1))\n"
        "def killed(found):\n"
        "    next(left) or os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return sound(found)\n"
        "storing.sound_rows = killed\n"
        "import_into(sys.argv[1], Path(sys.argv[2]).parent, Path(sys.argv[2]))\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, database_url, str(path)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = publics_in(database_url)
    assert 0 < len(left) < len(ENDED)
    assert left.items() <= publics_of(ENDED).items()
    report = import_into(database_url, tmp_path, path)
    assert (report.there_already, report.restored) == (len(left), len(ENDED) - len(left))
    assert publics_in(database_url) == publics_of(ENDED)


def test_json_array_of_a_match_is_restored(database_url: str, tmp_path: Path) -> None:
    objects = [encode_public(public_form(event)) for event in annulled(ENDED[0])]
    report = imported(database_url, tmp_path, b"[\n" + b",\n".join(objects) + b"\n]\n")
    assert (report.restored, report.errors) == (1, [])
    report = imported(database_url, tmp_path, b"[\n" + b",\n".join(objects) + b"\n")
    assert "not an array of public events" in report.errors[0]
