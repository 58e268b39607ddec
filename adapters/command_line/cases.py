"""`case`: what an investigation found, kept as it was cited, to read, to print, and to compute anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from uuid import UUID

import typer
from rich.markup import escape
from rich.table import Table

from adapters.command_line.arguments import By, Json, PopulationOption, match_meant
from adapters.command_line.console import counted, out, print_json
from adapters.command_line.console import note as say
from adapters.command_line.players_meant import anyone_meant
from adapters.command_line.sessions import servers_for
from adapters.composition import register_of, system_ports
from adapters.investigating.case_folders import recompute, write_case
from adapters.investigating.citing import cited_clients, cited_evidence, cited_match
from adapters.investigating.scoring import bring_up_to_date, direct
from adapters.investigating.shipped import EVALUATOR, population
from adapters.people.names import without_names
from adapters.people.register import Register
from adapters.people.trail import whoever_asks
from adapters.postgres.cases import Cases
from adapters.postgres.match_rows import Pool, known_matches, rows_of_match
from adapters.postgres.recorder import open_pool
from adapters.serialization import decode_row
from domain.events import HandEnded

case_app: Final = typer.Typer(
    name="case", help="Case files of investigators. Every access is in the audit trail.", no_args_is_help=True
)
add_app: Final = typer.Typer(name="add", help="Cite something in a case, as it is now.", no_args_is_help=True)
Number = Annotated[int, typer.Argument(metavar="CASE", help="The case's number.")]


class _Office(NamedTuple):
    """What work on a case needs."""

    cases: Cases
    people: Register
    pool: Pool
    database_url: str
    now: datetime
    by: str

    def tell(self, what: str, about: object, case: int | str = "") -> None:
        """Writes to the audit trail what is about to be done."""
        self.people.trail.add(self.now, self.by, what, about, str(case))


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    case_app.command(
        "open",
        epilog="Examples: `gongzhu case open 019abc --why 'z 5.2 in a screening'`, `gongzhu case open --report 7`",
    )(open_)
    add_app.command("match", epilog="Example: `gongzhu case add match 1 019abc`")(add_match)
    add_app.command("evidence", epilog="Example: `gongzhu case add evidence 1`")(add_evidence)
    add_app.command("clients", epilog="Example: `gongzhu case add clients 1`")(add_clients)
    add_app.command(
        "note", epilog="Example: `gongzhu case add note 1 'he explains hand 3 by the lead of trick 2'`"
    )(add_note)
    case_app.add_typer(add_app)
    case_app.command("list", epilog="Examples: `gongzhu case list`, `gongzhu case list --json`")(list_cases)
    case_app.command("show", epilog="Example: `gongzhu case show 1`")(show)
    case_app.command("export", epilog="Example: `gongzhu case export 1 --to case-1`")(export)
    case_app.command("recompute", epilog="Example: `gongzhu case recompute case-1`")(recompute_)
    app.add_typer(case_app)


def open_(
    context: typer.Context,
    players: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAYER]...", help="Whom it is about.")
    ] = None,
    report: Annotated[
        int | None, typer.Option("--report", help="A player's report that it starts from.")
    ] = None,
    why: Annotated[
        str, typer.Option("--why", help="What it starts from, in words; name players by id.")
    ] = "",
    by: By = None,
) -> None:
    """Open a case about players, or from a player's report: then it is about the others at that table."""
    if not players and report is None:
        raise typer.BadParameter("name the players it is about, or the report it starts from")
    with _office(context, by) as office:
        meant = [anyone_meant(office.database_url, text) for text in players or ()]
        if report is not None:
            office.tell("read a report", report)
            meant += [player for player in _reported(office, report) if player not in meant]
        reason = _nameless(office, why, meant) or (f"report {report}" if report is not None else "")
        office.tell("opened a case", " ".join(map(str, meant)))
        number = office.cases.open(office.now, office.by, meant, reason, report)
    out.print(f"case {number} is open, about {', '.join(map(str, meant))}")


def add_match(
    context: typer.Context,
    number: Number,
    match: Annotated[str, typer.Argument(metavar="MATCH", help="An ended match, or enough of its id.")],
    by: By = None,
) -> None:
    """Cite a match: its public events are frozen in the case, byte for byte."""
    with _office(context, by) as office:
        meant = match_meant(match, (known.id for known in known_matches(office.pool)))
        office.tell("cited a match", meant, number)
        item = office.cases.add(
            number, office.now, office.by, "match", meant, cited_match(office.pool, meant)
        )
    out.print(f"item {item} of case {number}: match {meant}")


def add_evidence(
    context: typer.Context, number: Number, honest: PopulationOption = None, by: By = None
) -> None:
    """Cite the statistics of the case's players as they are now, with the deals behind them."""
    known = population(honest)
    with _office(context, by) as office:
        bring_up_to_date(office.pool, EVALUATOR)
        for player in office.cases.get(number).players:
            office.tell("cited statistics of a player", player, number)
            with counted("leaks and softness") as told:
                direct(office.pool, EVALUATOR, player, told=told)
            body = cited_evidence(office.pool, player, EVALUATOR, known)
            item = office.cases.add(number, office.now, office.by, "evidence", player, body)
            out.print(f"item {item} of case {number}: statistics of {player}")


def add_clients(context: typer.Context, number: Number, by: By = None) -> None:
    """Cite the connection records of the case's players: keyed digests of where from, never addresses."""
    with _office(context, by) as office:
        for player in office.cases.get(number).players:
            found = office.people.connections_of(player, by=office.by, at=office.now, case=str(number))
            item = office.cases.add(
                number, office.now, office.by, "clients", player, cited_clients(player, found)
            )
            out.print(f"item {item} of case {number}: {len(found)} connections of {player}")


def add_note(
    context: typer.Context,
    number: Number,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="For or against; players are named by id.")],
    by: By = None,
) -> None:
    """Put a note into a case. Players who are called by name in it stand there by their ids."""
    with _office(context, by) as office:
        kept = _nameless(office, text, office.cases.get(number).players)
        office.tell("noted in a case", number, number)
        item = office.cases.add(number, office.now, office.by, "note", number, kept.encode())
    out.print(f"item {item} of case {number}: a note")


def list_cases(context: typer.Context, by: By = None, json: Json = False) -> None:
    """List all cases."""
    with _office(context, by) as office:
        office.tell("listed cases", "all")
        found = office.cases.all()
    if json:
        print_json(found)
        return
    table = Table("case", "opened", "by", "players", "report", "why")
    for case in found:
        who = "\n".join(map(str, case.players))
        table.add_row(
            str(case.number), f"{case.opened_at:%Y-%m-%d %H:%M}", escape(case.opened_by), who,
            "" if case.report is None else str(case.report), escape(case.why),
        )  # fmt: skip
    out.print(table if found else "no case is open; `gongzhu case open --help` says how one begins")


def show(context: typer.Context, number: Number, by: By = None, json: Json = False) -> None:
    """Show a case and what is cited in it; `case export` gives all of it."""
    with _office(context, by) as office:
        office.tell("read a case", number, number)
        case, items = office.cases.get(number), office.cases.items(number)
    if json:
        shown = [
            {"item": each.item, "kind": each.kind, "about": each.about, "digest": each.digest}
            for each in items
        ]
        print_json({"case": case, "items": shown})
        return
    out.print(
        f"case {case.number}, opened {case.opened_at:%Y-%m-%d %H:%M} by {case.opened_by}: {case.why}",
        markup=False,
    )
    out.print(f"about {', '.join(map(str, case.players))}")
    table = Table("item", "what", "about", "cited", "by", "SHA-256")
    for each in items:
        cited = f"{each.at:%Y-%m-%d %H:%M}"
        table.add_row(str(each.item), each.kind, each.about, cited, escape(each.by), f"{each.digest[:12]}…")
    out.print(table if items else "nothing is cited yet; `gongzhu case add --help` says how")


def export(
    context: typer.Context,
    number: Number,
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="A new folder.")],
    by: By = None,
) -> None:
    """Write a case into a folder: data, frozen events, a page to print, digests, a script that computes all anew."""
    with _office(context, by) as office:
        office.tell("exported a case", number, number)
        case, items = office.cases.get(number), office.cases.items(number)
        say("each decision of the cited matches is computed")
        decisions = write_case(case, items, EVALUATOR, to)
    out.print(
        f"case {number} with {len(items)} items and {decisions} decisions is in {to}; read {to / 'case.html'}"
    )


def recompute_(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `case export` wrote.")],
) -> None:
    """Compute every number of an exported case anew from its frozen events, without any server, and compare."""
    decisions, statistics = recompute(folder)
    out.print(f"{folder}: digests hold; {decisions} decisions and {statistics} statistics are as recorded")


@contextmanager
def _office(context: typer.Context, by: str | None) -> Iterator[_Office]:
    with servers_for(context, "case") as (settings, servers), open_pool(servers.database_url) as pool:
        ports = system_ports()
        people = register_of(pool, settings.data, ports)
        yield _Office(Cases(pool), people, pool, servers.database_url, ports.clock.now(), whoever_asks(by))


def _reported(office: _Office, report: int) -> list[UUID]:
    """Everyone at the reported table but who reported."""
    found = office.people.reports.get(report)
    events = [decode_row(row) for row in rows_of_match(office.pool, found.match)]
    hand = next(e for e in events if isinstance(e, HandEnded) and e.hand_no == found.hand_no)
    return [player for player in hand.players if player != found.player]


def _nameless(office: _Office, text: str, players: list[UUID] | tuple[UUID, ...]) -> str:
    return without_names(text, office.people.names.of(players))
