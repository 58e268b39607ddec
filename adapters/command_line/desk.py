"""The desk of who investigates: every deal that has ended is scored, and the audit trail hears what is looked at."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import typer

from adapters.command_line.console import counted, note, out
from adapters.command_line.sessions import servers_for
from adapters.composition import system_ports
from adapters.investigating.scoring import bring_up_to_date
from adapters.investigating.shipped import EVALUATOR
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import open_pool
from adapters.terminal.evidence_tables import unjudged_lines
from replays.investigation.limits import LIMITS
from replays.investigation.populations import Unjudged

CaseOption = Annotated[str, typer.Option("--case", help="The case this is looked at for.")]


class Desk(NamedTuple):
    """What an investigation works with."""

    pool: Pool
    database_url: str

    def tell_trail(self, by: str | None, what: str, about: object, case: str = "") -> None:
        """Written down before anything of it is shown."""
        Trail(self.pool).add(system_ports().clock.now(), whoever_asks(by), what, about, case)


@contextmanager
def open_desk(context: typer.Context, jobs: int | None) -> Iterator[Desk]:
    """The servers, with every deal that has ended scored."""
    with servers_for(context, "investigate") as (_, servers), open_pool(servers.database_url) as pool:
        with counted("deals") as told:
            scored = bring_up_to_date(pool, EVALUATOR, jobs=jobs, told=told)
        note(f"{scored} matches scored anew with {EVALUATOR.name}")
        yield Desk(pool, servers.database_url)


def say_limits(unjudged: Sequence[Unjudged] = ()) -> None:
    """What every answer of an investigation says of itself, and what it could not judge."""
    for line in unjudged_lines(unjudged):
        out.print(line)
    for limit in LIMITS:
        out.print(f"· {limit}", style="dim")
