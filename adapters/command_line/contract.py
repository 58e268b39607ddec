"""`contract`: the files that tell other services what the feed holds."""

from pathlib import Path
from typing import Annotated

import typer

from adapters.command_line.console import complain, out

contract_app = typer.Typer(
    name="contract",
    help="The contract of the feed: JSON Schemas and the AsyncAPI document, generated from the code.",
    no_args_is_help=True,
)
Folder = Annotated[
    Path | None, typer.Option("--folder", metavar="FOLDER", help="Another folder than infra/contract.")
]


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    contract_app.command("write", epilog="Example: `gongzhu contract write`")(write)
    contract_app.command("check", epilog="Example: `gongzhu contract check`")(check)
    app.add_typer(contract_app)


def write(
    folder: Folder = None,
    breaking: Annotated[
        bool,
        typer.Option("--breaking", help="Also where readers lose something: before a first release only."),
    ] = False,
) -> None:
    """Write the files that are not as the code has them; refused where readers would lose something."""
    from adapters.contract import files

    written = files.write(folder or files.FOLDER, breaking=breaking)
    for path in written:
        out.print(f"wrote {path}", soft_wrap=True)
    if not written:
        out.print("the contract is as the code has it")


def check(folder: Folder = None) -> None:
    """Compare the files with the code, and the code with what readers were told."""
    from adapters.contract import files

    where = folder or files.FOLDER
    found = [*files.differing(where), *(f"readers would lose {loss}" for loss in files.broken(where))]
    for line in found:
        complain(line)
    if found:
        out.print("`gongzhu contract write` writes them; commit what it writes")
        raise typer.Exit(1)
    out.print(f"the contract in {where} is as the code has it", soft_wrap=True)
