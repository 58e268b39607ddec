"""Recorded hands are read from files line by line, and some come with the program."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from adapters.record_files import FileUnreadable, bundled_records, capped_lines, records_in
from replays.hand_records import MOST_BYTES
from replays.recorded_hands import RecordedMatch, RecordError

AT = datetime(2026, 5, 6, tzinfo=UTC)


def test_bundled_hands_all_import() -> None:
    found = list(bundled_records(AT))
    assert len(found) == 18
    assert all(isinstance(match, RecordedMatch) for match in found)


def test_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_bytes(b"{}\n" + b"x" * (3 * MOST_BYTES) + b"\n\n[]")
    found = list(records_in(path, AT))
    assert all(isinstance(error, RecordError) for error in found)
    assert [str(error).split(":")[0] for error in found] == [f"hands.jsonl line {line}" for line in (1, 2, 4)]


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileUnreadable, match="cannot read"):
        list(records_in(tmp_path / name, AT))


def test_lines_longer_than_the_cap_are_cut_and_still_one_line() -> None:
    stream = BytesIO(b"ab\n" + b"c" * 10 + b"\n" + b"defg\n" + b"h" * 9)
    assert list(capped_lines(stream, 4)) == [b"ab\n", b"ccccc", b"defg\n", b"hhhhh"]
