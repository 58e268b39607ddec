"""`--help`: what every command says of itself."""

from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from adapters.command_line.app import app


def commands(of: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words that lead to every command."""
    if not isinstance(of, TyperGroup):
        yield path
        return
    for name, each in of.commands.items():
        yield from commands(each, (*path, name))


@pytest.mark.parametrize("path", list(commands(typer.main.get_command(app))), ids=" ".join)
def test_every_command_says_what_it_does_and_gives_an_example(path: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, [*path, "--help"])
    assert told.exit_code == 0
    said = " ".join(told.output.split())
    assert f"gongzhu {' '.join(path)}" in said.partition("Example")[2]
    assert len(said.partition("Example")[0]) > 200
