"""`projections`: how far the read models are, and whether they are what the log says."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich import box
from rich.progress import TaskID
from rich.table import Table

from adapters.command_line.arguments import Json
from adapters.command_line.console import complain, out, print_json, progress
from adapters.command_line.sessions import servers_for
from adapters.feed import PROJECTIONS
from adapters.postgres.comparison import Difference, TableComparison
from adapters.postgres.standings import ProjectionStanding, standings
from adapters.rebuilding import Comparison, rebuild
from adapters.verifying import Sample, verify_sample
from projections.runner import Projection

_MOST_PRINTED = 10

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME…]", help=f"Of {', '.join(one.name for one in PROJECTIONS)}; all if none."),
]

projections_app = typer.Typer(
    name="projections", help="The read models: how far they are, and proof of them.", no_args_is_help=True
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    projections_app.command("status", epilog="Example: `gongzhu projections status --json`")(status)
    projections_app.command(
        "rebuild",
        epilog="Examples: `gongzhu projections rebuild`, `gongzhu projections rebuild leaderboards --accept`",
    )(rebuild_)
    projections_app.command(
        "verify",
        epilog="Examples: `gongzhu projections verify --sample 200`, `gongzhu projections verify --all`",
    )(verify)
    app.add_typer(projections_app)


def projections_named(names: Sequence[str] | None) -> list[Projection]:
    """The projections of these names, all if none; a usage error lists them."""
    known = {projection.name: projection for projection in PROJECTIONS}
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"there is no projection {name!r}; choose of {', '.join(known)}")
    return [known[name] for name in names] if names else list(PROJECTIONS)


def status(context: typer.Context, json: Json = False) -> None:
    """Show of each projection its position, what it lacks, the generation that is read, and the stream's epoch."""
    with servers_for(context, "projections status") as (settings, servers):
        found = standings(servers.database_url, PROJECTIONS, settings.log_name)
    if json:
        print_json(found)
    else:
        out.print(standings_table(found))
        complain_of_stopped(found)
    if any(one.stopped for one in found):
        raise typer.Exit(1)


def standings_table(found: Sequence[ProjectionStanding]) -> Table:
    """How projections stand, within 80 columns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for header in ("projection", "position", "behind", "seconds", "generation", "epoch", "state"):
        text = header in ("projection", "epoch", "state")
        table.add_column(header, no_wrap=True, justify="left" if text else "right")
    for one in found:
        state = "stopped" if one.stopped else "behind" if one.behind else "current"
        table.add_row(
            one.projection, str(one.position), str(one.behind), f"{one.behind_s:.0f}",
            "—" if one.generation is None else str(one.generation), one.epoch or "—",
            "empty" if one.generation is None else state,
        )  # fmt: skip
    return table


def complain_of_stopped(found: Sequence[ProjectionStanding]) -> None:
    """A line for each projection that cannot go on: its event, and what to do."""
    for one in found:
        if one.stopped:
            complain(f"{one.projection}: {one.stopped}")


def rebuild_(
    context: typer.Context,
    names: NamesArgument = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Read what was rebuilt also where it differs; that is recorded.")
    ] = False,
    json: Json = False,
) -> None:
    """Build read models anew from the log, compare row for row, and read the new ones where they are equal.

    What is read meanwhile stays as it is. Where rows differ both are kept and nothing changes, unless `--accept`.
    An interrupted rebuild goes on where it was.
    """
    wanted = projections_named(names)
    with servers_for(context, "projections rebuild") as (settings, servers):
        found = _rebuilt(servers.database_url, settings.log_name, wanted, accept=accept)
    _report(found, json=json)
    if not all(one.flipped for one in found):
        raise typer.Exit(1)


def _rebuilt(
    url: str, log: str, wanted: Sequence[Projection], *, accept: bool = False, flip: bool = True
) -> list[Comparison]:
    """Rebuilds one after another, with a bar each."""
    found = []
    with progress() as bars:
        for projection in wanted:
            bar = bars.add_task(projection.name, total=None)

            def tell(done: int, total: int, bar: TaskID = bar) -> None:
                bars.update(bar, completed=done, total=total)

            found.append(rebuild(url, projection, log=log, accept=accept, flip=flip, progress=tell))
    return found


def verify(
    context: typer.Context,
    names: NamesArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="Recompute all there is.")] = False,
    sample: Annotated[int, typer.Option("--sample", min=1, help="Recompute so many matches.")] = 20,
    json: Json = False,
) -> None:
    """Recompute read models from the log and report differences; what is read is not touched.

    A sample compares all rows of some matches, and the boards of their players with the ledger. `--all` compares
    every row of every table, ratings too.
    """
    wanted = projections_named(names)
    with servers_for(context, "projections verify") as (settings, servers):
        found: Sequence[Comparison | Sample] = (
            _rebuilt(servers.database_url, settings.log_name, wanted, flip=False)
            if everything
            else [verify_sample(servers.database_url, one, sample, log=settings.log_name) for one in wanted]
        )
    _report(found, json=json)
    if not all(one.equal for one in found):
        raise typer.Exit(1)


def _report(found: Sequence[Comparison | Sample], *, json: bool) -> None:
    if json:
        print_json(found)
        return
    for one in found:
        out.print(_summary(one), soft_wrap=True)
        for difference in _shown(one):
            complain(_told(one.projection, difference))


def _summary(one: Comparison | Sample) -> str:
    rows = sum(table.rows for table in one.tables)
    different = sum(table.different for table in one.tables)
    head = f"{one.projection}: position {one.position}, {rows} rows"
    if isinstance(one, Sample):
        return f"{head} of {one.matches} matches recomputed, {different} differ"
    if not one.comparable:
        return f"{head} rebuilt; there was nothing to compare them with"
    outcome = (
        f"generation {one.rebuilt} is read now" if one.flipped else f"generation {one.live} is still read"
    )
    return f"{head} rebuilt in {one.seconds:.1f} s, {different} differ; {outcome}"


def _shown(one: Comparison | Sample) -> list[Difference]:
    tables: Sequence[TableComparison] = one.tables
    shown = [difference for table in tables for difference in table.shown[:_MOST_PRINTED]]
    return shown if isinstance(one, Sample) else [*one.checkpoints, *shown]


def _told(projection: str, difference: Difference) -> str:
    read, rebuilt = difference.live or "nothing", difference.rebuilt or "nothing"
    return f"{projection}.{difference.table}: read is {read}, rebuilt is {rebuilt}"
