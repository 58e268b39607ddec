"""`matches` and `tables`: what the read models say, and how far behind the log they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer
from rich import box
from rich.table import Table

from adapters.command_line.arguments import Json, ruleset_of
from adapters.command_line.console import note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.player_names import names_by_seat
from adapters.postgres.generations import open_where_missing
from adapters.postgres.match_rows import Pool
from adapters.postgres.queries import ReadModels
from adapters.postgres.recorder import open_pool
from adapters.settings import Settings
from adapters.terminal.table_drawing import table_drawing
from domain.visibility import MatchView
from projections.runner import Projection
from projections.tables import TABLES, ListedMatch, spectators_view

LimitOption = Annotated[int, typer.Option("--limit", min=1, help="At most so many rows.")]


_WIDE_COLUMNS = ("origin", "players", "points")
_WIDE = 140


class Answer(msgspec.Struct, frozen=True):
    """What a reading command prints as JSON: how many events behind the log, and the rows."""

    behind: int
    rows: Any


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("matches", epilog="Example: `gongzhu matches --ruleset blood-1 --json`")(matches)
    app.command("tables", epilog="Examples: `gongzhu tables`, `gongzhu tables --json`")(tables)


@contextmanager
def read_models(context: typer.Context, role: str, projection: Projection) -> Iterator[ReadModels]:
    """The read models, as they now are, with that of a projection to be read."""
    with pool_for_reading(context, role, projection) as (settings, pool):
        yield ReadModels(pool, settings.log_name)


@contextmanager
def pool_for_reading(
    context: typer.Context, role: str, projection: Projection
) -> Iterator[tuple[Settings, Pool]]:
    """A database with the read model of a projection, which is empty where nothing has filled it yet."""
    with servers_for(context, role) as (settings, servers), open_pool(servers.database_url) as pool:
        with pool.connection() as connection:
            open_where_missing(connection, projection, settings.log_name)
        yield settings, pool


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
    with read_models(context, "matches", TABLES) as models:
        found = models.matches(ruleset=wanted, origin=origin, limit=limit)
        behind = say_behind(models)
    if json:
        print_json(Answer(behind, found))
        return
    out.print(_match_table(found) if found else "no matches yet: `gongzhu play`, `gongzhu import FILE`")


def _match_table(found: list[ListedMatch]) -> Table:
    """Matches as a table; a narrow terminal shows the first columns, ids always whole."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for header in (
        "match",
        "ruleset",
        "phase",
        "hands",
        *_WIDE_COLUMNS[: len(_WIDE_COLUMNS) * (out.width >= _WIDE)],
    ):
        table.add_column(header, no_wrap=header != "points")
    for one in found:
        points = " ".join(f"{points:+d}" for points in one.points)
        cells = (str(one.match), one.ruleset, _phase(one), str(one.hands), one.origin)
        players = " ".join(names_by_seat(one.players))
        table.add_row(*(*cells, players, points)[: len(table.columns)])
    return table


def _phase(match: ListedMatch) -> str:
    marks = [match.phase.replace("_", " ")]
    marks += ["annulled"] if match.annulled else []
    marks += ["corrected"] if match.corrected else []
    return ", ".join(marks)


def tables(context: typer.Context, json: Json = False) -> None:
    """Show the live tables as a spectator may see them."""
    with read_models(context, "tables", TABLES) as models:
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
