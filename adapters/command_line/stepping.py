"""Stepping through a match in the terminal."""

import sys

from adapters.command_line.console import complain, out
from adapters.terminal.card_text import Names
from adapters.terminal.table_drawing import table_drawing
from domain.errors import GongzhuError
from domain.visibility import Viewer
from replays.timeline import Timeline

KEYS = "Enter next, b back, a number to jump, q to end: "


def step_through(timeline: Timeline, first: int, last: int, viewer: Viewer, names: Names) -> None:
    """Shows the steps from `first` to `last`; a person says where to go, else they follow one another."""
    number = first
    while True:
        _show(timeline, number, viewer, names)
        if not sys.stdin.isatty():
            if number == last:
                return
            number += 1
            continue
        answer = out.input(KEYS).strip().lower()
        if answer == "q" or (answer == "" and number == last):
            return
        number = _next(number, answer, first, last)


def _show(timeline: Timeline, number: int, viewer: Viewer, names: Names) -> None:
    out.rule(f"step {number} of {len(timeline)}")
    out.print(timeline.step(number).caption.text)
    try:
        out.print(table_drawing(timeline.view(number, viewer), names))
    except GongzhuError as error:
        complain(str(error))


def _next(number: int, answer: str, first: int, last: int) -> int:
    if answer == "":
        return number + 1
    if answer == "b":
        return max(first, number - 1)
    if answer.isdecimal() and first <= int(answer) <= last:
        return int(answer)
    complain(f"steps go from {first} to {last}")
    return number
