"""How the command line speaks: tables and text to standard output, progress and complaints to standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

out: Final = Console(highlight=False)
"""Where answers go."""
err: Final = Console(stderr=True, highlight=False)
"""Where progress, notes and complaints go."""


def complain(what: str) -> None:
    """One line that says why the command failed."""
    err.print(Text.assemble(("gongzhu: ", "bold red"), what), soft_wrap=True)


def note(what: str) -> None:
    """One line about what is going on."""
    err.print(Text(what, style="dim"), soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON value on standard output, indented."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


@contextmanager
def progress() -> Iterator[Progress]:
    """Progress bars on standard error, gone when done; nothing where standard error is no terminal."""
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with bars:
        yield bars


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar that is told how many are done, and of how many."""
    with progress() as bars:
        bar = bars.add_task(what, total=None)
        yield lambda done, of: bars.update(bar, completed=done, total=of)
