"""The notation of recorded matches, and of the examples we publish, is what it ever was."""

import re
from pathlib import Path

import pytest

from adapters.event_files import read_events
from replays.audit import audit
from replays.notation import Comment, Tag, parse, rewrite, write
from tests.replays.notation.corpus import imported_matches

RECORDED = Path(__file__).parents[2] / "recorded"
MATCHES = sorted((RECORDED / "matches").glob("*.jsonl"))
NOTATIONS = sorted((RECORDED / "notation").glob("*.txt"))
README = Path(__file__).parents[3] / "replays" / "README.md"


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.stem)
def test_recorded_matches_come_back(path: Path) -> None:
    events = tuple(read_events(path))
    text = write(events)
    assert parse(text).events == events
    assert 'event "' not in text


@pytest.mark.parametrize("path", NOTATIONS, ids=lambda path: path.stem)
def test_notation_is_as_ever(path: Path) -> None:
    """Texts once written stay readable and canonical; a difference here is a new version of the notation."""
    text = path.read_bytes().decode()
    events = tuple(read_events(RECORDED / "matches" / f"{path.stem}.jsonl"))
    assert parse(text).events == events
    assert write(events) == text


def test_published_example_is_canonical_and_sound() -> None:
    indented = re.search(
        r"\n\n((?:    .*\n|\n)+)", README.read_text(encoding="utf-8").partition("## Notation")[2]
    )
    assert indented is not None
    text = re.sub(r"(?m)^    ", "", indented[1]).strip("\n") + "\n"
    read = parse(text)
    assert rewrite(read) == text
    assert read.events == next(imported_matches(1))
    assert read.tags == (Tag("Event", "a tag of someone else's, kept as it is"),)
    assert read.comments == (Comment(14, "The pig falls under the ace."),)
    assert audit(read.events).ok


def test_published_grammar_names_every_phrase() -> None:
    from replays.notation.header import TAGS
    from replays.notation.phrases import READERS

    text = README.read_text(encoding="utf-8")
    grammar = text.partition("```ebnf")[2].partition("```")[0]
    for word in READERS:
        assert f'"{word}"' in grammar or word == "a card"
    for tag in TAGS:
        assert f"`{tag}`" in text or tag in ("Player1", "Player2")
