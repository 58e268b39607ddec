"""The screenings of `investigate`: all players at once, by their plays, and by signs that say where else to look."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from uuid import UUID

import typer
from rich.table import Table

from adapters.command_line.arguments import By, JobsOption, Json, PopulationOption, in_utc, one_of, ruleset_of
from adapters.command_line.console import note, out, print_json
from adapters.command_line.desk import CaseOption, open_desk, say_limits
from adapters.command_line.players_meant import known_player
from adapters.command_line.sessions import servers_for
from adapters.composition import register_of, system_ports
from adapters.investigating.exported import exported_scores
from adapters.investigating.shipped import EVALUATOR, population
from adapters.people.trail import whoever_asks
from adapters.postgres.deal_scores import Wanted, stored_scores
from adapters.postgres.recorder import open_pool
from adapters.terminal.evidence_tables import screening_table
from adapters.terminal.sign_tables import clients_table, companies_table, paces_table
from domain.events import ORIGINS
from replays.investigation.company import Pair, companies, shared_clients, tables_of
from replays.investigation.deal_scores import DealScore
from replays.investigation.limits import LIMITS, SIGNS_ARE_NO_EVIDENCE
from replays.investigation.pace import paces
from replays.investigation.screening import screen

RulesetOption = Annotated[str | None, typer.Option("--ruleset", "-r", help="Only deals of this ruleset.")]
OriginOption = Annotated[str, typer.Option(help="served, bots, seeded, imported, or all.")]
SinceOption = Annotated[
    datetime | None, typer.Option("--since", help="Only deals that ended from then on (UTC).")
]
SourceOption = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="EXPORT", exists=True, help="An export of any format, instead of the log."
    ),
]
TopOption = Annotated[int, typer.Option(min=1, help="How many rows to show.")]
WithOption = Annotated[
    str | None,
    typer.Option("--with", metavar="PLAYER", help="Only pairs with this player: a whole id, or a bot."),
]


class _Asked(NamedTuple):
    """Which deals are looked at, from where, and by whom."""

    wanted: Wanted
    source: Path | None
    jobs: int | None
    by: str | None


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(
        "screen",
        epilog="Examples: `gongzhu investigate screen`, `gongzhu investigate screen -r blood-1 --json`, "
        "`gongzhu investigate screen --from export-2026`",
    )(screen_)
    app.command(
        "pace",
        epilog="Examples: `gongzhu investigate pace --since 2026-11-01`, `gongzhu investigate pace --from export-2026`",
    )(pace)
    app.command(
        "company",
        epilog="Examples: `gongzhu investigate company`, `gongzhu investigate company --with 019abc…`",
    )(company)
    app.command("clients", epilog="Example: `gongzhu investigate clients --case 17 --by anna`")(clients)


def screen_(
    context: typer.Context,
    ruleset: RulesetOption = None,
    origin: OriginOption = "served",
    since: SinceOption = None,
    source: SourceOption = None,
    top: TopOption = 20,
    honest: PopulationOption = None,
    jobs: JobsOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Look at all players at once and say who stands out. Deals that ended since the last time are scored first.

    From an export no server is asked, and no audit trail is written.
    """
    known = population(honest)
    asked = _Asked(_wanted(ruleset, origin, since), source, jobs, by)
    with _deals(context, asked, "screened players") as deals:
        found = screen(deals, known)
    if json:
        print_json({"screening": found, "limits": LIMITS})
        return
    out.print(screening_table(found, top) if found.players else "no deals to look at; try --origin all")
    say_limits(found.unjudged)


def pace(
    context: typer.Context,
    ruleset: RulesetOption = None,
    origin: OriginOption = "served",
    since: SinceOption = None,
    source: SourceOption = None,
    top: TopOption = 20,
    jobs: JobsOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Compare how players take their time: how long, how evenly, longer with a choice or not, or not at all.

    A sign of where to look, never evidence. From an export no server is asked, and no audit trail is written.
    """
    asked = _Asked(_wanted(ruleset, origin, since), source, jobs, by)
    with _deals(context, asked, "screened paces") as deals:
        found = paces(deals)
    shown = paces_table(found, top) if found else "no player with plays enough to compare; try --origin all"
    _answer({"paces": found}, shown, json=json)


def company(
    context: typer.Context,
    ruleset: RulesetOption = None,
    origin: OriginOption = "served",
    since: SinceOption = None,
    source: SourceOption = None,
    player: WithOption = None,
    top: TopOption = 20,
    jobs: JobsOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Find pairs of players who sit at one table more often than chance would have it.

    A sign of where to look, never evidence: friends play together. From an export no server is asked, and no audit
    trail is written.
    """
    who = _whole_id(player)
    asked = _Asked(_wanted(ruleset, origin, since), source, jobs, by)
    with _deals(context, asked, "screened company") as deals:
        found = [each for each in companies(tables_of(deals)) if _has(who, each.players)]
    shown = companies_table(found, top) if found else "no pair has met often enough to say anything"
    _answer({"company": found}, shown, json=json)


def clients(
    context: typer.Context,
    player: WithOption = None,
    case: CaseOption = "",
    top: TopOption = 20,
    by: By = None,
    json: Json = False,
) -> None:
    """Find pairs of players who came from the same address or with the same device, by their connection records.

    A sign of where to look, never evidence: families share a line. Records are kept for 90 days.
    """
    who = _whole_id(player)
    ports = system_ports()
    with servers_for(context, "investigate") as (settings, servers), open_pool(servers.database_url) as pool:
        people = register_of(pool, settings.data, ports)
        digests = people.clients_of_all(by=whoever_asks(by), at=ports.clock.now(), case=case)
    found = [each for each in shared_clients(digests) if _has(who, each.players)]
    nothing = f"none of {len(digests)} players with records share a client"
    shown = clients_table(found, top) if found else nothing
    _answer({"clients": found, "players": len(digests)}, shown, json=json)


@contextmanager
def _deals(context: typer.Context, asked: _Asked, what: str) -> Iterator[Iterable[DealScore]]:
    """The deals asked for, scored: of an export, or of the log, which the trail is told before."""
    if asked.source is not None:
        note(f"every deal of {asked.source} is scored with {EVALUATOR.name}")
        yield exported_scores(asked.source, EVALUATOR, asked.wanted, asked.jobs)
        return
    with open_desk(context, asked.jobs) as desk:
        desk.tell_trail(asked.by, what, "all")
        yield stored_scores(desk.pool, EVALUATOR.name, asked.wanted)


def _answer(told: dict[str, object], shown: Table | str, *, json: bool) -> None:
    """What a screening by signs found, as JSON or as it is shown, with its limits."""
    if json:
        print_json({**told, "limits": (SIGNS_ARE_NO_EVIDENCE, *LIMITS)})
        return
    out.print(shown)
    out.print(f"· {SIGNS_ARE_NO_EVIDENCE}", style="dim")
    say_limits()


def _wanted(ruleset: str | None, origin: str, since: datetime | None) -> Wanted:
    if ruleset is not None:
        ruleset_of(ruleset)
    named = one_of("origin", origin, (*ORIGINS, "all"))
    return Wanted(ruleset=ruleset, origin=None if named == "all" else named, since=in_utc(since))


def _whole_id(text: str | None) -> UUID | None:
    if text is None:
        return None
    found = known_player(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no whole id of a player and no bot's name")
    return found


def _has(player: UUID | None, pair: Pair) -> bool:
    return player is None or player in pair
