"""`export verify`: a sound export is sound, and whatever is wrong with one is found and named."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adapters.exports.checking import check_export
from adapters.exports.manifest import KINDS, MANIFEST, NotAnExport, read_manifest
from tests.support.exports import ended_matches, exported, store

MATCHES: Final = ended_matches()


@pytest.fixture(scope="module")
def exports(new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export of each kind."""
    database_url = new_database()
    store(database_url, MATCHES)
    folder = tmp_path_factory.mktemp("exports")
    for kind in KINDS:
        exported(database_url, kind, folder / kind)
    return folder


@pytest.fixture
def copied(exports: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies the export of a kind, to be damaged."""

    def copy(kind: str) -> Path:
        shutil.copytree(exports / kind, tmp_path / kind)
        return tmp_path / kind

    return copy


def forge(folder: Path, path: str, content: bytes) -> None:
    """Puts a file into an export in the place of another, and its digest into the manifest."""
    (folder / path).write_bytes(content)
    manifest: dict[str, Any] = msgspec.json.decode((folder / MANIFEST).read_bytes())
    for part in manifest["parts"]:
        for file in part["files"]:
            if file["path"] == path:
                file["bytes"], file["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))


@pytest.mark.parametrize("kind", KINDS)
def test_export_that_is_as_it_was_written_is_sound(kind: str, exports: Path) -> None:
    told = []
    check = check_export(exports / kind, on_match=lambda: told.append(1))
    assert check.faults == []
    counts = read_manifest(exports / kind).counts
    assert (check.matches, check.hands, check.events) == (counts.matches, counts.hands, counts.events)
    assert len(told) == len(MATCHES)
    quick = check_export(exports / kind, digests_only=True)
    assert (quick.faults, quick.matches) == ([], counts.matches)


def test_changed_missing_and_foreign_files_are_named(copied: Callable[[str], Path]) -> None:
    folder = copied("ndjson")
    (folder / "matches-00001.ndjson").unlink()
    second = folder / "matches-00002.ndjson"
    second.write_bytes(second.read_bytes().replace(b"MatchOpened", b"MatchOpenee", 1))
    third = folder / "matches-00003.ndjson"
    third.write_bytes(third.read_bytes()[:-10])
    (folder / "matches-00099.ndjson").write_bytes(b"")
    for digests_only in (True, False):
        check = check_export(folder, digests_only=digests_only)
        assert check.wrong == 4
        assert [fault.partition(": ")[0].rpartition("/")[2] for fault in check.faults] == [
            f"matches-000{number}.ndjson" for number in ("99", "01", "02", "03")
        ]
        for fault, says in zip(
            check.faults, ("not in the manifest", "cannot be read", "was changed", "was cut off"), strict=True
        ):
            assert says in fault


def test_match_that_was_changed_with_its_digest_is_found(copied: Callable[[str], Path]) -> None:
    folder = copied("ndjson")
    content = (folder / "matches-00001.ndjson").read_bytes()
    lines = content.splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if b'"HandEnded"' in line)
    lines[place] = lines[place].replace(b'"raw_scores":[', b'"raw_scores":[1', 1)
    forge(folder, "matches-00001.ndjson", b"".join(lines))
    check = check_export(folder)
    assert f"matches-00001.ndjson line {place + 1}, match " in check.faults[0]
    assert "the audit fails" in check.faults[0]
    assert any("its counts are not those of its files" in fault for fault in check.faults)


def test_match_that_is_there_twice_is_found(copied: Callable[[str], Path]) -> None:
    folder = copied("notation")
    forge(folder, "matches-00002.txt", (folder / "matches-00001.txt").read_bytes())
    assert any("in this export a second time" in fault for fault in check_export(folder).faults)


@pytest.mark.parametrize(
    ("table", "change", "says"),
    [
        ("hands", lambda rows: [*rows[:5], {**rows[5], "points": 99}, *rows[6:]], "00001.parquet: row 6, points: 99"),
        ("plays", lambda rows: rows[:-1], "it ends after"),
        ("declarations", lambda rows: [*rows, rows[-1]], "do not come from its events"),
        ("matches", lambda rows: rows[::-1], "matches/part-00001.parquet: row 1, match"),
        ("events", lambda rows: [{**rows[0], "schema": 4}, *rows[1:]], "events/part-00001.parquet: row 1, schema: 4"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_tables_that_are_not_what_the_events_say_are_found(
    table: str, change: Callable[[list[Any]], list[Any]], says: str, copied: Callable[[str], Path]
) -> None:
    folder = copied("parquet")
    path = folder / table / "part-00001.parquet"
    read = pq.read_table(path)
    pq.write_table(pa.Table.from_pylist(change(read.to_pylist()), read.schema), path)
    forge(folder, f"{table}/part-00001.parquet", path.read_bytes())
    faults = check_export(folder).faults
    assert len(faults) == 1, faults
    assert says in faults[0]


def test_counts_that_are_not_those_of_the_files_are_found(copied: Callable[[str], Path]) -> None:
    folder = copied("ndjson")
    manifest: dict[str, Any] = msgspec.json.decode((folder / MANIFEST).read_bytes())
    manifest["parts"][0]["counts"]["hands"] += 1
    manifest["parts"][1]["last_ended_at"] = "2020-01-01T00:00:00Z"
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    faults = check_export(folder).faults
    assert [
        "sums of its parts" in faults[0],
        "part 1: its counts" in faults[1],
        "part 2: its first" in faults[2],
    ] == [True] * 3


def test_folder_without_a_manifest_is_no_export(tmp_path: Path, copied: Callable[[str], Path]) -> None:
    with pytest.raises(NotAnExport, match="holds no finished export"):
        check_export(tmp_path)
    folder = copied("ndjson")
    (folder / MANIFEST).write_bytes(b"{}")
    with pytest.raises(NotAnExport, match="no manifest of an export"):
        check_export(folder)
