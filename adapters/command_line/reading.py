"""`matches`, `tables` and `leaderboard`: what the read models say, and how far behind the log they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table

from adapters.command_line.arguments import Json, RulesetOption, ruleset_of
from adapters.command_line.console import note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.player_names import name_of_player, names_by_seat
from adapters.postgres.queries import BoardLine, ReadModels
from adapters.postgres.recorder import open_pool
from adapters.terminal.table_drawing import table_drawing
from domain.visibility import MatchView
from projections.periods import end_of
from projections.tables import ListedMatch, spectators_view

LimitOption = Annotated[int, typer.Option("--limit", min=1, help="At most so many rows.")]


class Answer(msgspec.Struct, frozen=True):
    """What a reading command prints as JSON: how many events behind the log, and the rows."""

    behind: int
    rows: Any


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("matches", epilog="Example: `gongzhu matches --ruleset blood-1 --json`")(matches)
    app.command("tables")(tables)
    app.command("leaderboard", epilog="Example: `gongzhu leaderboard -r zero_sum-1 --origin all`")(
        leaderboard
    )


@contextmanager
def read_models(context: typer.Context, role: str) -> Iterator[ReadModels]:
    """The read models, as they now are."""
    with servers_for(context, role) as (settings, servers), open_pool(servers.database_url) as pool:
        yield ReadModels(pool, settings.log_name)


def say_behind(models: ReadModels) -> int:
    """Says how many events the slowest read model is behind the log; how many."""
    behind = models.behind()
    note(
        "up to date with the log"
        if behind == 0
        else f"{behind} events behind the log; `gongzhu serve` catches up"
    )
    return behind


def matches(
    context: typer.Context,
    ruleset: Annotated[str | None, typer.Option("--ruleset", "-r", help="Only this ruleset.")] = None,
    origin: Annotated[
        str | None, typer.Option("--origin", help="Only this origin: served, bots, seeded, imported.")
    ] = None,
    limit: LimitOption = 30,
    json: Json = False,
) -> None:
    """List matches, live and ended, the newest first."""
    wanted = ruleset_of(ruleset).name if ruleset else None
    with read_models(context, "matches") as models:
        found = models.matches(ruleset=wanted, origin=origin, limit=limit)
        behind = say_behind(models)
    if json:
        print_json(Answer(behind, found))
        return
    table = Table("match", "ruleset", "origin", "phase", "hands", "players", "points")
    for one in found:
        table.add_row(
            str(one.match), one.ruleset, one.origin, _phase(one), str(one.hands),
            " ".join(names_by_seat(one.players)), " ".join(f"{points:+d}" for points in one.points),
        )  # fmt: skip
    out.print(table if found else "no matches yet: `gongzhu play`, `gongzhu import FILE` or `gongzhu demo`")


def _phase(match: ListedMatch) -> str:
    marks = [match.phase.replace("_", " ")]
    marks += ["annulled"] if match.annulled else []
    marks += ["corrected"] if match.corrected else []
    return ", ".join(marks)


def tables(context: typer.Context, json: Json = False) -> None:
    """Show the live tables as a spectator may see them."""
    with read_models(context, "tables") as models:
        views: list[MatchView] = [spectators_view(table) for table in models.live_tables()]
        behind = say_behind(models)
    if json:
        print_json(Answer(behind, views))
        return
    for view in views:
        out.rule(f"{view.match} {view.ruleset}")
        out.print(table_drawing(view, names_by_seat(view.players)))
    if not views:
        out.print("no live tables")


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
    """Show a leaderboard: one ruleset, one period, one origin (or all)."""
    name = ruleset_of(ruleset).name
    _check_period(period)
    with read_models(context, "leaderboard") as models:
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
