"""`leaderboard`: a board; `explain` and `what-if` say more of it."""

from typing import Annotated

import typer
from rich import box
from rich.table import Table

from adapters.command_line import explaining
from adapters.command_line.arguments import Json, RulesetOption, ruleset_of
from adapters.command_line.console import out, print_json
from adapters.command_line.reading import Answer, LimitOption, read_models, say_behind
from adapters.player_names import name_of_player
from adapters.postgres.queries import BoardLine
from projections.leaderboards import LEADERBOARDS
from projections.periods import end_of

leaderboard_app = typer.Typer(
    name="leaderboard",
    invoke_without_command=True,
    epilog="Examples: `gongzhu leaderboard -r zero_sum-1 --origin all`, `gongzhu leaderboard explain 'bot 3'`",
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    leaderboard_app.callback(invoke_without_command=True)(leaderboard)
    explaining.add_to(leaderboard_app)
    app.add_typer(leaderboard_app)


def leaderboard(
    context: typer.Context,
    ruleset: RulesetOption = "zero_sum-1",
    period: Annotated[
        str,
        typer.Option("--period", help="all, a year (2026), a month (2026-11) or a day (2026-11-30), in UTC."),
    ] = "all",
    origin: Annotated[
        str,
        typer.Option("--origin", help="served (at least one person played), bots, seeded, imported, or all."),
    ] = "served",
    limit: LimitOption = 20,
    json: Json = False,
) -> None:
    """Show a leaderboard: one ruleset, one period, one origin (or all). `explain` and `what-if` say more of it."""
    if context.invoked_subcommand is not None:
        return
    name = ruleset_of(ruleset).name
    _check_period(period)
    with read_models(context, "leaderboard", LEADERBOARDS) as models:
        lines = models.leaderboard(
            name, period=period, origin=None if origin == "all" else origin, limit=limit
        )
        behind = say_behind(models)
    if json:
        print_json(Answer(behind, lines))
        return
    out.print(board_table(f"{name}, {period}, origin {origin}", lines))
    if not lines:
        out.print("nobody is on this board yet" + ("; try `--origin all`" if origin == "served" else ""))


def _check_period(period: str) -> None:
    try:
        end_of(period)
    except ValueError:
        raise typer.BadParameter(f"{period!r} is no period; write all, 2026, 2026-11 or 2026-11-30") from None


def board_table(title: str, lines: list[BoardLine]) -> Table:
    """A leaderboard as a table, within 80 columns; ratings only where they are of one origin."""
    rated = any(line.mu is not None for line in lines)
    columns = ["", "player", "points", "matches", "hands", "a hand", "wins", "slams", "pigs"]
    table = Table(
        *columns,
        *(["rating"] if rated else []),
        title=title,
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1),
    )
    for column in table.columns:
        column.no_wrap = True
        column.justify = "left" if column.header == "player" else "right"
    for line in lines:
        rating = (
            []
            if not rated
            else ["" if line.mu is None or line.sigma is None else f"{line.mu - 3 * line.sigma:.1f}"]
        )
        table.add_row(
            str(line.rank), name_of_player(line.player), f"{line.points:+d}", str(line.matches), str(line.hands),
            f"{line.points_per_hand:+.0f}", str(line.wins), str(line.slams), str(line.pigs), *rating,
        )  # fmt: skip
    return table
