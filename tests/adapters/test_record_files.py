"""Lines of recorded hands are read without ever holding more of one than a record may have."""

from datetime import UTC, datetime
from io import BytesIO

from adapters.record_files import BUNDLED_HANDS, capped_lines
from replays.hand_records import MOST_BYTES
from replays.recorded_hands import RecordedMatch, RecordError, read_records

AT = datetime(2026, 5, 6, tzinfo=UTC)


def test_bundled_hands_all_import() -> None:
    with BUNDLED_HANDS.open("rb") as stream:
        found = list(read_records(capped_lines(stream, MOST_BYTES), BUNDLED_HANDS.name, AT))
    assert len(found) == 18
    assert all(isinstance(match, RecordedMatch) for match in found)


def test_line_without_end_is_one_error_and_the_next_keep_their_numbers() -> None:
    stream = BytesIO(b"{}\n" + b"x" * (3 * MOST_BYTES) + b"\n\n[]")
    found = list(read_records(capped_lines(stream, MOST_BYTES), "hands.jsonl", AT))
    assert all(isinstance(error, RecordError) for error in found)
    assert [str(error).split(":")[0] for error in found] == [f"hands.jsonl line {line}" for line in (1, 2, 4)]


def test_lines_longer_than_the_cap_are_cut_and_still_one_line() -> None:
    stream = BytesIO(b"ab\n" + b"c" * 10 + b"\n" + b"defg\n" + b"h" * 9)
    assert list(capped_lines(stream, 4)) == [b"ab\n", b"ccccc", b"defg\n", b"hhhhh"]
