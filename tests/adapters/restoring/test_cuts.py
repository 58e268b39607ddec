"""A file that is cut anywhere gives whole matches or none, in every form."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from adapters.exports.manifest import KINDS, Kind
from adapters.restoring.found import Faulty, FoundMatch
from adapters.restoring.lines import matches_in_lines
from adapters.restoring.tables import matches_in_table
from adapters.restoring.texts import matches_in_text
from tests.support.exports import (
    Publics,
    ended_matches,
    exported,
    files_in,
    import_into,
    publics_in,
    publics_of,
    store,
)

MATCHES = ended_matches()[:4]
"""The second is annulled, the third was and counts again, the fourth is corrected."""
WHOLE = publics_of(MATCHES)


@pytest.fixture(scope="module")
def log(new_database: Callable[[], str]) -> str:
    """A log of a few matches."""
    database_url = new_database()
    store(database_url, MATCHES)
    return database_url


def only_file(folder: Path, kind: Kind) -> Path:
    """The file that the matches are read from."""
    return (
        folder
        / {
            "ndjson": "matches-00001.ndjson",
            "notation": "matches-00001.txt",
            "parquet": "events/part-00001.parquet",
        }[kind]
    )


def found_in(path: Path, kind: Kind, content: bytes) -> Iterator[FoundMatch | Faulty]:
    """What is found in a file with this content."""
    if kind == "parquet":
        path.write_bytes(content)
        return matches_in_table(path, "cut")
    return (matches_in_lines if kind == "ndjson" else matches_in_text)(io.BytesIO(content), "cut")


def places(kind: Kind, content: bytes) -> list[int]:
    """Where to cut: around the ends of all matches, at many line ends, and anywhere."""
    random = Random(kind)
    lines = [place for place, byte in enumerate(content) if byte == ord("\n")]
    near = [place + more for place in lines[-8:] for more in (-1, 0, 1)]
    ends = [content.find(word, place) for word in (b"MatchSettled", b"\nend ") for place in lines[::40]]
    anywhere = [random.randrange(len(content)) for _ in range(30)]
    some = random.sample(lines, min(20, len(lines)))
    return sorted({place for place in [0, *near, *ends, *anywhere, *some] if place >= 0})


@pytest.mark.parametrize("kind", KINDS)
def test_file_cut_anywhere_gives_whole_matches_or_none(kind: Kind, log: str, tmp_path: Path) -> None:
    exported(log, kind, tmp_path / "export", part_bytes=10**9)
    content = only_file(tmp_path / "export", kind).read_bytes()
    cuts = places(kind, content)
    assert len(cuts) > 30
    given = 0
    for place in cuts:
        found = list(found_in(tmp_path / "cut", kind, content[:place]))
        whole: Publics = {one.match: list(one.publics) for one in found if isinstance(one, FoundMatch)}
        assert whole.items() <= WHOLE.items(), place
        assert (
            place == 0
            or len(whole) == len(WHOLE)
            or any(isinstance(one, Faulty) for one in found)
            or (content[:place].endswith(b"\n\n"))
        ), place
        given += len(whole)
    assert given > 0 or kind == "parquet"


@pytest.mark.parametrize("kind", KINDS)
def test_cut_file_of_an_export_is_refused_whole_and_alone_it_gives_its_whole_matches(
    kind: Kind, log: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    exported(log, kind, folder, part_bytes=10**9)
    path = only_file(folder, kind)
    path.write_bytes(path.read_bytes()[:-3])
    copy = new_database()
    report = import_into(copy, tmp_path, folder)
    assert (report.restored, report.refused) == (0, 1)
    assert f"{path}: " in report.errors[0]
    assert "cut off" in report.errors[0]
    report = import_into(copy, tmp_path, path)
    assert (report.restored, report.refused) == (0 if kind == "parquet" else len(WHOLE) - 1, 1)
    assert publics_in(copy).items() < WHOLE.items()


def test_part_that_is_missing_is_named_and_the_others_are_restored(
    log: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    manifest = exported(log, "ndjson", folder, part_bytes=1)
    assert len(manifest.parts) == len(files_in(folder)) == len(WHOLE)
    (folder / manifest.parts[1].files[0].path).unlink()
    copy = new_database()
    report = import_into(copy, tmp_path, folder)
    assert (report.restored, report.refused) == (len(WHOLE) - 1, 1)
    assert "matches-00002.ndjson: cannot be read (No such file or directory)" in report.errors[0]
    missing = manifest.parts[1].first_match
    assert publics_in(copy) == {match: told for match, told in WHOLE.items() if match != missing}
