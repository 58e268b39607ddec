"""`diff` and `notation` over files: no server is needed."""

from pathlib import Path

import pytest
from msgspec import json
from typer.testing import CliRunner

from adapters.command_line.app import app
from adapters.event_files import read_events
from adapters.match_files import written
from replays.notation import Comment, Notation, Tag, parse, write

RECORDED = Path(__file__).parents[1] / "recorded"
EVENTS = RECORDED / "matches" / "zero_sum-1-integrity.jsonl"
NOTATION = RECORDED / "notation" / "zero_sum-1-integrity.txt"


@pytest.fixture(name="other")
def other_fixture(tmp_path: Path) -> Path:
    """The same match, one second later from some step on."""
    path = tmp_path / "other.txt"
    path.write_text(NOTATION.read_text(encoding="utf-8").replace("done 1 (", "done 1 (1"), encoding="utf-8")
    return path


def test_same_match_in_two_forms_has_no_difference() -> None:
    result = CliRunner().invoke(app, ["diff", str(EVENTS), str(NOTATION)])
    assert (result.exit_code, result.stdout) == (0, "no difference in 158 steps\n")


def test_first_difference_is_told_and_is_the_exit_code(other: Path) -> None:
    result = CliRunner().invoke(app, ["diff", str(NOTATION), str(other)])
    assert result.exit_code == 1
    assert "hand 1 (step " in result.stdout
    assert "seat 1, time: 2026-03-01T" in result.stdout
    ignoring = CliRunner().invoke(app, ["diff", str(NOTATION), str(other), "--ignore", "times"])
    assert (ignoring.exit_code, ignoring.stdout) == (0, "no difference in 158 steps; not compared: times\n")
    as_json = CliRunner().invoke(app, ["diff", str(NOTATION), str(other), "--json"])
    assert as_json.exit_code == 1
    assert '"field": "at"' in as_json.stdout


def test_what_cannot_be_ignored_is_a_usage_error() -> None:
    result = CliRunner().invoke(app, ["diff", str(NOTATION), str(NOTATION), "--ignore", "cards"])
    assert result.exit_code == 2
    assert "cannot be ignored" in result.stderr


def test_match_is_written_in_each_form(tmp_path: Path) -> None:
    run = CliRunner()
    assert run.invoke(app, ["notation", str(EVENTS)]).stdout == NOTATION.read_text(encoding="utf-8")
    target = tmp_path / "match.json"
    assert run.invoke(app, ["notation", str(NOTATION), "--format", "json", "-o", str(target)]).exit_code == 0
    assert target.read_bytes() == written(Notation(events=tuple(read_events(EVENTS))), "json")
    lines = run.invoke(app, ["notation", str(target), "--format", "ndjson"]).stdout
    assert lines == EVENTS.read_text(encoding="utf-8") + "\n", "an empty line closes the match"
    assert '"title": "Match"' in run.invoke(app, ["notation", str(EVENTS), "--format", "schema"]).stdout
    assert run.invoke(app, ["notation", str(EVENTS), "--format", "pgn"]).exit_code == 2


def test_file_can_be_replayed_and_asked_who_knew_what() -> None:
    run = CliRunner()
    shown = run.invoke(app, ["replay", str(NOTATION), "--hand", "1"])
    assert shown.exit_code == 0
    assert "zero_sum-1, seeded, 158 steps" in shown.stdout
    known = run.invoke(app, ["replay", str(NOTATION), "--at", "60", "--as", "seat2", "--knowledge"])
    assert known.exit_code == 0
    assert "what seat 2 could know after step 60, hand 1" in known.stdout
    assert "what it held" in known.stdout
    as_json = run.invoke(
        app, ["replay", str(EVENTS), "--at", "60", "--as", "spectator", "--knowledge", "--json"]
    )
    assert '"knower": "spectator"' in as_json.stdout


@pytest.mark.parametrize("arguments", [["--as", "seat1"], ["--at", "60"], ["--at", "60", "--as", "all"]])
def test_knowledge_wants_a_step_and_eyes_that_do_not_see_all(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["replay", str(NOTATION), "--knowledge", *arguments])
    assert result.exit_code == 2
    assert "--knowledge wants a step" in result.stderr


def test_comments_are_kept_or_it_is_said_that_they_are_not(tmp_path: Path) -> None:
    run, events = CliRunner(), read_events(EVENTS)
    text = write(events, [Tag("Event", "Friday")], [Comment(40, "a bold lead")])
    path = tmp_path / "commented.txt"
    path.write_text(text.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert run.invoke(app, ["notation", str(path)]).stdout == text
    assert "are left out" in run.invoke(app, ["notation", str(path), "--format", "json"]).stderr
    compared = run.invoke(app, ["diff", str(path), str(NOTATION)])
    assert (compared.exit_code, compared.stdout) == (0, "no difference in 158 steps\n")
    assert "their comments, or tags of others, differ" in compared.stderr


def test_cut_text_is_read_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    path.write_text(NOTATION.read_text(encoding="utf-8").partition("annulled")[0], encoding="utf-8")
    cut = CliRunner().invoke(app, ["diff", str(NOTATION), str(path)])
    assert cut.exit_code == 1
    assert "the other ends before step 156; the one goes on: the match is annulled" in cut.stdout
    assert "something may have been cut off" in cut.stderr.replace("\n", " ")


def test_file_without_its_beginning_is_named(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(EVENTS.read_bytes().splitlines(keepends=True)[3:]))
    for command in ("replay", "notation"):
        result = CliRunner().invoke(app, [command, str(path)])
        assert result.exit_code == 1
        assert "MatchOpened" in f"{result.stderr} {result.exception}"


def test_notation_carries_what_proves_its_deals(tmp_path: Path) -> None:
    verified = CliRunner().invoke(app, ["verify", str(NOTATION)])
    assert verified.exit_code == 0
    assert "consistent, but seeded" in verified.stdout
    path = tmp_path / "changed.txt"
    path.write_text(NOTATION.read_text(encoding="utf-8").replace('seed "', 'seed "0', 1), encoding="utf-8")
    assert CliRunner().invoke(app, ["verify", str(path)]).exit_code == 1


def test_notes_of_the_viewer_become_comments(tmp_path: Path) -> None:
    (match,) = {event.match for event in read_events(EVENTS)}
    notes = tmp_path / "notes.json"

    def written_with(*of_file: dict[str, object], of: str = str(match)) -> tuple[int, str]:
        notes.write_bytes(json.encode({"format": "gongzhu notes 1", "match": of, "notes": of_file}))
        result = CliRunner().invoke(app, ["notation", str(EVENTS), "--notes", str(notes)])
        return result.exit_code, result.stdout + str(result.exception)

    code, text = written_with({"step": 40, "text": "好牌", "at": "2026-03-01T00:00:00Z"})
    assert code == 0
    assert parse(text.removesuffix("None")).comments == (Comment(40, "好牌"),)
    code, text = written_with({"step": 4000, "text": "nowhere"})
    assert (code, "step 4000; the match has 158" in text) == (1, True)
    code, text = written_with(of="019abc00-0000-7000-8000-000000000000")
    assert (code, "holds notes on match 019abc00" in text) == (1, True)
    notes.write_text("notes", encoding="utf-8")
    refused = CliRunner().invoke(app, ["notation", str(EVENTS), "--notes", str(notes)])
    assert "no file of notes" in str(refused.exception)
