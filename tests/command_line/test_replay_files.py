"""`replay --html` over files: no server is needed, and the file asks for nothing from anywhere."""

import re
from pathlib import Path

import pytest
from msgspec import json
from typer.testing import CliRunner

from adapters.bots import BOT_NAMES
from adapters.command_line.app import app
from adapters.event_files import read_events
from adapters.viewer_files import replay_html
from replays.timeline import Timeline

RECORDED = Path(__file__).parents[1] / "recorded"
EVENTS = RECORDED / "matches" / "zero_sum-1-integrity.jsonl"
NOTATION = RECORDED / "notation" / "zero_sum-1-integrity.txt"


@pytest.mark.parametrize("source", [EVENTS, NOTATION], ids=["events", "notation"])
def test_match_of_a_file_becomes_one_page(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "match.html"
    result = CliRunner().invoke(app, ["replay", str(source), "--html", str(target)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "open it in a browser" in result.stderr
    html = target.read_text(encoding="utf-8")
    assert html == replay_html(Timeline(read_events(EVENTS)), BOT_NAMES)
    assert not re.search(r"""(src|href)=["'](?!#)""", html), "it names no other file"
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html


def test_comments_of_a_notation_come_with_the_page(tmp_path: Path) -> None:
    commented, target = tmp_path / "commented.txt", tmp_path / "match.html"
    text = NOTATION.read_text(encoding="utf-8")
    head, closed, rest = text.partition("closed all_done")
    line, _, rest = rest.partition("\n")
    commented.write_text(f"{head}{closed}{line}\n  {{watch </script> this}}\n{rest}", encoding="utf-8")
    result = CliRunner().invoke(app, ["replay", str(commented), "--html", str(target)])
    assert result.exit_code == 0, result.output
    html = target.read_text(encoding="utf-8")
    data = re.search(r'id="document">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    (comment,) = json.decode(data[1])["comments"]
    assert comment["text"] == "watch </script> this"


def test_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(EVENTS), "--html", str(tmp_path / "no" / "match.html")])
    assert result.exit_code == 2
    assert "cannot write" in result.stderr
