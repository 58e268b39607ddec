"""What could be known fits 80 columns at every step, shows its reasons, and is drawn as ever."""

from pathlib import Path

import pytest

from adapters.terminal.knowledge_table import knowledge_table
from domain.rulesets import RULESETS
from replays.knowledge import Knower, knowledge_at, told
from replays.timeline import Timeline
from tests.adapters.terminal.test_drawings import NAMES, drawn, lines, timeline
from tests.replays.matches import abandoned_match

GOLDEN = Path(__file__).parent / "knowledge.txt"


def table_at(shown: Timeline, step: int, knower: Knower) -> str:
    return drawn(knowledge_table(told(knowledge_at(shown, step, knower)), NAMES))


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("knower", [0, 3, "spectator"])
def test_every_step_fits(ruleset: str, knower: Knower) -> None:
    shown = timeline(ruleset)
    for step in range(shown.hands[0].first, shown.hands[0].last, 6):
        text = table_at(shown, step, knower)
        assert lines(text)
        assert "\x1b" not in text
        assert "[red]dave[/red]" in text or knower == 3


def test_truth_is_shown_of_public_hands_only() -> None:
    shown = timeline("blood-1")
    assert "what it held" in table_at(shown, shown.step_of(1, 3), 1)
    closed = Timeline(abandoned_match("blood-1", 5, plays=7, with_key=False))
    assert "what it held" not in table_at(closed, closed.step_of(1) + 3, "spectator")


def test_knowledge_is_drawn_as_ever() -> None:
    """Read the difference; when it is meant, write the file anew with what this test shows."""
    shown = timeline("blood-2", 3)
    parts = [table_at(shown, shown.step_of(1, 12) + 2, 1), table_at(shown, shown.step_of(1, 1), "spectator")]
    now = "\n".join("\n".join(lines(part)) + "\n" for part in parts)
    assert now == GOLDEN.read_text(encoding="utf-8")
