"""`investigate`: what the deals of all players, one, a pair or a match say of what was known. Leads, not verdicts."""

from typing import Annotated, Final

import typer

from adapters.command_line import screening
from adapters.command_line.arguments import By, JobsOption, Json, MatchArgument, PopulationOption, match_meant
from adapters.command_line.console import counted, out, print_json
from adapters.command_line.desk import CaseOption, open_desk, say_limits
from adapters.command_line.players_meant import anyone_meant
from adapters.investigating.scoring import direct
from adapters.investigating.shipped import EVALUATOR, population
from adapters.postgres.deal_scores import Wanted, stored_scores
from adapters.postgres.match_rows import known_matches
from adapters.terminal.evidence_tables import match_table, pair_table, player_tables
from replays.investigation.limits import LIMITS
from replays.investigation.player_evidence import pair_evidence, player_evidence

investigate_app: Final = typer.Typer(
    name="investigate",
    help="Does somebody act on cards that he could not see? Leads for integrity staff, never verdicts.",
    no_args_is_help=True,
)


Player = Annotated[str, typer.Argument(metavar="PLAYER", help="An id, or enough of it, or a bot's name.")]


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    screening.add_to(investigate_app)
    investigate_app.command(
        "player", epilog="Example: `gongzhu investigate player 019abc --case 17 --by anna`"
    )(player)
    investigate_app.command("pair", epilog="Example: `gongzhu investigate pair 019abc 019def --case 17`")(
        pair
    )
    investigate_app.command("match", epilog="Example: `gongzhu investigate match 019abc`")(match)
    app.add_typer(investigate_app)


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
    known = population(honest)
    with open_desk(context, jobs) as desk:
        who = anyone_meant(desk.database_url, text)
        desk.tell_trail(by, "investigated a player", who, case)
        with counted("leaks and softness") as told:
            direct(desk.pool, EVALUATOR, who, jobs=jobs, told=told)
        scores = stored_scores(desk.pool, EVALUATOR.name, Wanted(player=who))
        found = player_evidence(who, scores, known)
    if json:
        print_json({"player": found, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    for table in player_tables(found):
        out.print(table)
    say_limits(found.unjudged)


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
    known = population(honest)
    with open_desk(context, jobs) as desk:
        both = (anyone_meant(desk.database_url, first), anyone_meant(desk.database_url, second))
        for who in both:
            desk.tell_trail(by, "investigated a pair", who, case)
        with counted("leaks and softness") as told:
            for who in both:
                direct(desk.pool, EVALUATOR, who, jobs=jobs, told=told)
        scores = (
            score for who in both for score in stored_scores(desk.pool, EVALUATOR.name, Wanted(player=who))
        )
        found = pair_evidence(*both, scores, known)
    if json:
        print_json({"pair": found, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    out.print(pair_table(found))
    say_limits(found.unjudged)


def match(
    context: typer.Context,
    text: MatchArgument,
    honest: PopulationOption = None,
    by: By = None,
    json: Json = False,
) -> None:
    """Show the deals of one match as they count, by seat. One match is never evidence."""
    known = population(honest)
    with open_desk(context, jobs=None) as desk:
        meant = match_meant(text, (known.id for known in known_matches(desk.pool)))
        desk.tell_trail(by, "investigated a match", meant)
        scores = list(stored_scores(desk.pool, EVALUATOR.name, Wanted(match=meant)))
    if json:
        print_json({"deals": scores, "evaluator": EVALUATOR.name, "limits": LIMITS})
        return
    out.print(
        match_table(scores, known) if scores else "no hand of this match has ended with its cards public"
    )
    say_limits()
