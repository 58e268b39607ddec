"""`investigate`: who is to be looked at, and what the deals of a player, a pair or a match say. Leads, not verdicts."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from adapters.command_line.arguments import (
    By,
    JobsOption,
    Json,
    MatchArgument,
    PopulationOption,
    match_meant,
    ruleset_of,
)
from adapters.command_line.console import counted, note, out, print_json
from adapters.command_line.players_meant import anyone_meant
from adapters.command_line.sessions import servers_for
from adapters.composition import system_ports
from adapters.investigating.exported import exported_scores
from adapters.investigating.scoring import bring_up_to_date, direct
from adapters.investigating.shipped import EVALUATOR, population
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.deal_scores import Wanted, stored_scores
from adapters.postgres.match_rows import Pool, known_matches
from adapters.postgres.recorder import open_pool
from adapters.terminal.evidence_tables import (
    match_table,
    pair_table,
    player_tables,
    screening_table,
)
from domain.events import ORIGINS
from replays.investigation.limits import LIMITS
from replays.investigation.player_evidence import pair_evidence, player_evidence
from replays.investigation.populations import Population
from replays.investigation.screening import screen

investigate_app: Final = typer.Typer(
    name="investigate",
    help="Does somebody act on cards that he could not see? Leads for integrity staff, never verdicts.",
    no_args_is_help=True,
)

CaseOption = Annotated[str, typer.Option("--case", help="The case this is looked at for.")]
RulesetOption = Annotated[str | None, typer.Option("--ruleset", "-r", help="Only deals of this ruleset.")]
OriginOption = Annotated[str, typer.Option(help="served, bots, seeded, imported, or all.")]
SinceOption = Annotated[
    datetime | None, typer.Option("--since", help="Only deals that ended from then on (UTC).")
]
Player = Annotated[str, typer.Argument(metavar="PLAYER", help="An id, or enough of it, or a bot's name.")]


class _Desk(NamedTuple):
    """What an investigation works with."""

    pool: Pool
    database_url: str
    honest: Population


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    investigate_app.command(
        "screen",
        epilog="Examples: `gongzhu investigate screen`, `gongzhu investigate screen -r blood-1 --json`, "
        "`gongzhu investigate screen --from export-2026`",
    )(screen_)
    investigate_app.command(
        "player", epilog="Example: `gongzhu investigate player 019abc --case 17 --by anna`"
    )(player)
    investigate_app.command("pair", epilog="Example: `gongzhu investigate pair 019abc 019def --case 17`")(
        pair
    )
    investigate_app.command("match", epilog="Example: `gongzhu investigate match 019abc`")(match)
    app.add_typer(investigate_app)


def screen_(
    context: typer.Context,
    ruleset: RulesetOption = None,
    origin: OriginOption = "served",
    since: SinceOption = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="EXPORT", exists=True, help="An export of any format, instead of the log."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many players to show.")] = 20,
    honest: PopulationOption = None,
    jobs: JobsOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Look at all players at once and say who stands out. Deals that ended since the last time are scored first.

    From an export no server is asked, and no audit trail is written.
    """
    wanted = _wanted(ruleset, origin, since)
    if source is not None:
        note(f"every deal of {source} is scored with {EVALUATOR.name}")
        found = screen(exported_scores(source, EVALUATOR, wanted, jobs), population(honest))
    else:
        with _desk(context, honest, jobs) as desk:
            _tell_trail(desk, by, "screened players", "all")
            found = screen(stored_scores(desk.pool, EVALUATOR.name, wanted), desk.honest)
    if json:
        print_json({"screening": found, "limits": LIMITS})
        return
    out.print(screening_table(found, top) if found.players else "no deals to look at; try --origin all")
    _say_limits()


def player(
    context: typer.Context,
    text: Player,
    honest: PopulationOption = None,
    jobs: JobsOption = None,
    case: CaseOption = "",
    by: By = None,
    json: Json = False,
) -> None:
    """Show all that a player's deals say, towards nobody and towards each who sat with him."""
    with _desk(context, honest, jobs) as desk:
        who = anyone_meant(desk.database_url, text)
        _tell_trail(desk, by, "investigated a player", who, case)
        with counted("leaks and softness") as told:
            direct(desk.pool, EVALUATOR, who, jobs=jobs, told=told)
        scores = stored_scores(desk.pool, EVALUATOR.name, Wanted(player=who))
        found = player_evidence(who, scores, desk.honest)
    if json:
        print_json({"player": found, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    for table in player_tables(found):
        out.print(table)
    _say_limits()


def pair(
    context: typer.Context,
    first: Player,
    second: Player,
    honest: PopulationOption = None,
    jobs: JobsOption = None,
    case: CaseOption = "",
    by: By = None,
    json: Json = False,
) -> None:
    """Show what the deals that two players sat through together say, in both directions."""
    with _desk(context, honest, jobs) as desk:
        both = (anyone_meant(desk.database_url, first), anyone_meant(desk.database_url, second))
        for who in both:
            _tell_trail(desk, by, "investigated a pair", who, case)
        with counted("leaks and softness") as told:
            for who in both:
                direct(desk.pool, EVALUATOR, who, jobs=jobs, told=told)
        scores = (
            score for who in both for score in stored_scores(desk.pool, EVALUATOR.name, Wanted(player=who))
        )
        found = pair_evidence(*both, scores, desk.honest)
    if json:
        print_json({"pair": found, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    out.print(pair_table(found))
    _say_limits()


def match(
    context: typer.Context,
    text: MatchArgument,
    honest: PopulationOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Show the deals of one match as they count, by seat. One match is never evidence."""
    with _desk(context, honest, jobs=None) as desk:
        meant = match_meant(text, (known.id for known in known_matches(desk.pool)))
        _tell_trail(desk, by, "investigated a match", meant)
        scores = list(stored_scores(desk.pool, EVALUATOR.name, Wanted(match=meant)))
    if json:
        print_json({"deals": scores, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    out.print(
        match_table(scores, desk.honest)
        if scores
        else "no hand of this match has ended with its cards public"
    )
    _say_limits()


def _wanted(ruleset: str | None, origin: str, since: datetime | None) -> Wanted:
    if ruleset is not None:
        ruleset_of(ruleset)
    origins = (*ORIGINS, "all")
    if origin not in origins:
        raise typer.BadParameter(f"there is no origin {origin!r}; choose one of {', '.join(origins)}")
    start = since.replace(tzinfo=UTC) if since is not None else None
    return Wanted(ruleset=ruleset, origin=None if origin == "all" else origin, since=start)


@contextmanager
def _desk(context: typer.Context, honest: Path | None, jobs: int | None) -> Iterator[_Desk]:
    """The servers, with every deal that has ended scored."""
    known = population(honest)
    with servers_for(context, "investigate") as (_, servers), open_pool(servers.database_url) as pool:
        with counted("deals") as told:
            scored = bring_up_to_date(pool, EVALUATOR, jobs=jobs, told=told)
        note(f"{scored} matches scored anew with {EVALUATOR.name}")
        yield _Desk(pool, servers.database_url, known)


def _tell_trail(desk: _Desk, by: str | None, what: str, about: object, case: str = "") -> None:
    """Written down before anything of it is shown."""
    Trail(desk.pool).add(system_ports().clock.now(), whoever_asks(by), what, about, case)


def _say_limits() -> None:
    for limit in LIMITS:
        out.print(f"· {limit}", style="dim")
