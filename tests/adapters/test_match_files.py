"""A match comes back from a file of any form, and what is no match is named."""

from pathlib import Path

import jsonschema
import msgspec
import pytest

from adapters.errors import AdapterError
from adapters.event_files import NotAnEventFile, read_events
from adapters.match_files import (
    FORMS,
    MOST_BYTES,
    Form,
    NotOneMatch,
    match_schema,
    read_match,
    read_matches,
    written,
)
from replays.notation import Comment, Notation, write

MATCHES = sorted((Path(__file__).parents[1] / "recorded" / "matches").glob("*.jsonl"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.stem)
def test_match_comes_back_from_every_form(path: Path, form: Form, tmp_path: Path) -> None:
    events = read_events(path)
    file = tmp_path / "match"
    file.write_bytes(written(Notation(events=tuple(events)), form))
    assert read_match(file) == Notation(events=tuple(events))
    if form == "ndjson":
        assert file.read_bytes() == path.read_bytes() + b"\n"


def test_notation_that_begins_with_a_comment_is_no_json(tmp_path: Path) -> None:
    events = read_events(MATCHES[0])
    file = tmp_path / "match"
    for text in ("a mail", "[x] y", ' quoted "type"'):
        file.write_text(write(events, comments=[Comment(0, text)]), encoding="utf-8")
        read = read_match(file)
        assert (list(read.events), len(read.comments)) == (events, 1)


def test_schema_describes_the_json_form() -> None:
    schema = match_schema()
    validator = jsonschema.Draft202012Validator(schema)
    for path in MATCHES:
        if path.stem not in ("zero_sum-1-left", "blood-1-abandoned"):
            continue  # the others would take their time
        document = msgspec.json.decode(written(Notation(events=tuple(read_events(path))), "json"))
        assert list(validator.iter_errors(document)) == []
        document[1]["seat"] = "north"
        assert list(validator.iter_errors(document))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "holds no matches"),
        (b"x", "match.txt, line 1, column 1: expected a tag [Match"),
        (b"[]", "holds no matches"),
        (b"[{}]", "is not an array of public events"),
        (b"[{", "is not an array of public events"),
        (b"[" * 100_000, "line 1, column 2: expected the name of a tag"),
        (b'[{"type":' + b"[" * 100_000, "is not an array of public events"),
        (b'{"type": 1}', "line 1 is not a stored public event"),
        (b'{"type":"MatchOpened"', "line 1 is not a stored public event"),
        ("[Gongzhu".encode("utf-16"), "line 1, column 1: expected a text in UTF-8"),
        (MATCHES[0].read_bytes() + MATCHES[1].read_bytes(), "holds 2 matches"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_file_that_is_no_match_is_named(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_bytes(content)
    with pytest.raises(AdapterError) as raised:
        read_match(file)
    assert says in str(raised.value)


def test_huge_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    with file.open("wb") as hole:
        hole.truncate(MOST_BYTES + 1)
    with pytest.raises(NotOneMatch, match="a match is far smaller"):
        read_match(file)
    with pytest.raises(NotOneMatch, match="cannot read"):
        read_match(tmp_path / "missing")


def test_line_of_many_megabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.txt"
    file.write_bytes(b"x" * 20_000_000)
    with pytest.raises(NotOneMatch, match="at most 16,000,000 characters"):
        read_match(file)
    file.write_bytes(b'{"' + b"x" * 20_000_000)
    with pytest.raises(NotAnEventFile):
        read_match(file)


def test_file_of_several_matches_is_read_match_by_match(tmp_path: Path) -> None:
    two = [Notation(events=tuple(read_events(path))) for path in MATCHES[:2]]
    file = tmp_path / "matches"
    file.write_bytes(written(two[0], "notation") + b"\n" + written(two[1], "notation"))
    assert read_matches(file) == two
    file.write_bytes(written(two[0], "ndjson") + written(two[1], "ndjson"))
    assert read_matches(file) == two
    with pytest.raises(NotOneMatch, match="holds 2 matches"):
        read_match(file)
