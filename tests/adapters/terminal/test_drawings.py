"""What is drawn in a terminal fits 80 columns, shows what the view holds and nothing more, and is plain in a file."""

from io import StringIO
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from adapters.terminal.card_text import Names, card_text, hand_lines
from adapters.terminal.score_table import score_table
from adapters.terminal.table_drawing import table_drawing
from adapters.terminal.trick_list import trick_list
from domain.events import CardsPlayed, HandEnded
from domain.rulesets import RULESETS
from domain.visibility import Viewer
from replays.timeline import Timeline
from tests.replays.matches import public, recorded_match

NAMES: Names = ("Anna", "王小明", "一个很长很长的名字在这里写着", "[red]dave[/red]")
GOLDEN = Path(__file__).parent / "drawings.txt"
EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS)


def drawn(what: RenderableType, *, colour: bool = False) -> str:
    """What a console of 80 columns writes."""
    text = StringIO()
    Console(file=text, width=80, force_terminal=colour, color_system="standard" if colour else None).print(
        what
    )
    return text.getvalue()


def lines(text: str) -> list[str]:
    assert all(cell_len(line) <= 80 for line in text.splitlines())
    return [line.rstrip() for line in text.splitlines()]


def timeline(ruleset: str, seed: int = 1) -> Timeline:
    return Timeline(public(recorded_match(ruleset, seed, hands=1)))


@EVERY_RULESET
@pytest.mark.parametrize("viewer", [0, 3, "spectator", "all"])
@pytest.mark.parametrize("names", [None, NAMES])
def test_every_step_fits(ruleset: str, viewer: Viewer, names: Names | None) -> None:
    shown = timeline(ruleset)
    for number in range(1, len(shown) + 1, 5):
        text = drawn(table_drawing(shown.view(number, viewer), names))
        assert lines(text)
        assert "\x1b" not in text


@EVERY_RULESET
def test_lists_and_scores_fit(ruleset: str) -> None:
    events = public(recorded_match(ruleset, 1, hands=1))
    ended = next(event for event in events if isinstance(event, HandEnded))
    for names in (None, NAMES):
        assert lines(drawn(trick_list(events, 1, names)))
        assert lines(drawn(score_table(ended, names)))


def test_names_are_no_markup() -> None:
    text = drawn(table_drawing(timeline("blood-1").view(30, 3), NAMES))
    assert "[red]dave[/red]" in text


def test_spectator_sees_no_hand() -> None:
    shown = timeline("blood-1")
    text = drawn(table_drawing(shown.view(shown.step_of(1), "spectator")))
    assert text.count("13 cards") == 4
    own = drawn(table_drawing(shown.view(shown.step_of(1), 2)))
    assert own.count("13 cards") == 3


def test_own_seat_is_at_the_bottom_and_the_next_to_its_right() -> None:
    shown = timeline("blood-1")
    rows = [row for row in lines(drawn(table_drawing(shown.view(shown.step_of(1), 3)))) if "seat" in row]
    middle = next(row for row in rows if "seat 2" in row and "seat 0" in row)
    assert middle.index("seat 2") < middle.index("seat 0")
    assert rows.index(next(r for r in rows if r.strip() == "seat 1")) < rows.index(middle)


def test_colours_are_for_terminals_only() -> None:
    assert "\x1b[31m" in drawn(card_text("H5"), colour=True)
    assert drawn(card_text("H5")) == "♥5\n"


def test_hand_is_shown_by_suit_from_high_to_low() -> None:
    assert [line.plain for line in hand_lines(["C2", "SQ", "ST", "SA", "HT"])] == ["♠ A Q 10", "♥ 10", "♣ 2"]
    assert [line.plain for line in hand_lines(["SQb", "SQa", "DJa"])] == ["♠ Qa Qb", "♦ Ja"]


def test_deadline_is_told_of_live_matches_only() -> None:
    shown = timeline("blood-1")
    view = shown.view(shown.step_of(1, 2), "spectator")
    assert "UTC" in drawn(table_drawing(view))
    assert "UTC" not in drawn(table_drawing(view, live=False))


def test_list_of_a_hand_in_progress_ends_with_its_last_card() -> None:
    events = public(recorded_match("blood-1", 1, hands=1))
    last = [index for index, event in enumerate(events) if isinstance(event, CardsPlayed)][5]
    text = drawn(trick_list(events[: last + 1], 1))
    assert "hand 1, in progress" in text
    assert text.count("*") == 1 + 1  # the first trick's taker, and the legend


def test_drawings_are_as_ever() -> None:
    """Read the difference; when it is meant, write the file anew with what this test shows."""
    shown = timeline("blood-2", 3)
    events = public(recorded_match("blood-2", 3, hands=1))
    ended = next(event for event in events if isinstance(event, HandEnded))
    parts: list[RenderableType] = [
        table_drawing(shown.view(shown.step_of(1, 4) + 2, 1), NAMES),
        table_drawing(shown.view(shown.step_of(1, 4) + 2, "all"), live=False),
        trick_list(events, 1, NAMES),
        score_table(ended, NAMES),
    ]
    now = "\n".join("\n".join(lines(drawn(part))) + "\n" for part in parts)
    assert now == GOLDEN.read_text(encoding="utf-8")
