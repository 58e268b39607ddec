"""`annul`, `unannul` and `correct`: what integrity staff decide about ended matches, and where it shows at once."""

import asyncio
from typing import Annotated, Final, TypeAlias

import msgspec
import typer

from adapters.command_line.arguments import Json, MatchArgument, match_meant
from adapters.command_line.console import out, print_json, progress
from adapters.command_line.feeding import catch_up
from adapters.command_line.lasting_words import refuse_names
from adapters.command_line.sessions import servers_for
from adapters.composition import ended_match_service, system_ports
from adapters.embedded import Servers
from adapters.match_service import Accepted
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.match_rows import known_matches, rows_of_match
from adapters.postgres.recorder import open_pool
from adapters.serialization import decode_row
from adapters.settings import Settings
from adapters.terminal.integrity_notes import integrity_notes
from domain.commands import AnnulMatch, CorrectHand, LiftAnnulment
from domain.events import Event
from domain.seats import BySeat

CaseOption = Annotated[str, typer.Option("--case", help="The case this was decided in.")]
CauseOption = Annotated[
    str, typer.Option("--cause", help="Why; it stands in the log for ever. Name players by seat or id.")
]
ByOption = Annotated[str, typer.Option("--by", help="Who decides.")]


class Decided(msgspec.Struct, frozen=True):
    """What is printed as JSON: the events that were appended."""

    events: tuple[Event, ...]


Decision: TypeAlias = AnnulMatch | LiftAnnulment | CorrectHand
"""What is decided in a case on an ended match."""
_TOLD: Final[dict[type[Decision], str]] = {
    AnnulMatch: "annulled a match",
    LiftAnnulment: "lifted an annulment",
    CorrectHand: "corrected a hand",
}
"""What the audit trail says of each."""


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command("annul", epilog="Example: `gongzhu annul 019abc --case 17 --cause 'shared cards'`")(annul)
    app.command("unannul", epilog="Example: `gongzhu unannul 019abc --case 17 --cause 'appeal upheld'`")(
        unannul
    )
    app.command(
        "correct",
        epilog="Example: `gongzhu correct 019abc --hand 2 --raw -200,0,100,-80 --case 18 --cause 'scored twice'`",
    )(correct)


def annul(
    context: typer.Context,
    match: MatchArgument,
    case: CaseOption,
    cause: CauseOption,
    by: ByOption = "operator",
    json: Json = False,
) -> None:
    """Take an ended match off the boards; nothing of it is lost, and `gongzhu unannul` puts it back.

    `gongzhu leaderboard what-if --annul MATCH` shows the board before you decide.
    """
    _decide(context, match, AnnulMatch(case=case, cause=cause, by=by), json=json)


def unannul(
    context: typer.Context,
    match: MatchArgument,
    case: CaseOption,
    cause: CauseOption,
    by: ByOption = "operator",
    json: Json = False,
) -> None:
    """Let an annulled match count again; the boards are then what they were, to the digit."""
    _decide(context, match, LiftAnnulment(case=case, cause=cause, by=by), json=json)


def correct(
    context: typer.Context,
    match: MatchArgument,
    hand: Annotated[int, typer.Option("--hand", min=1, metavar="N", help="The hand's number.")],
    raw: Annotated[
        str, typer.Option("--raw", metavar="A,B,C,D", help="The four raw scores, from seat 0 on.")
    ],
    case: CaseOption,
    cause: CauseOption,
    by: ByOption = "operator",
    json: Json = False,
) -> None:
    """Replace a finished hand's raw scores in an ended match, and recompute what follows from them.

    What was recorded stays: `gongzhu replay` and the hand's document show both.
    """
    command = CorrectHand(case=case, cause=cause, by=by, hand_no=hand, raw_scores=raw_scores_of(raw))
    _decide(context, match, command, json=json)


def raw_scores_of(text: str) -> BySeat[int]:
    """Four whole numbers with commas between them; anything else is a usage error."""
    try:
        first, second, third, fourth = (int(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not four raw scores, as in -200,0,100,-80") from None
    return (first, second, third, fourth)


def _decide(context: typer.Context, text: str, command: Decision, *, json: bool) -> None:
    with servers_for(context, type(command).__name__) as (settings, servers):
        accepted, story = asyncio.run(_decided(settings, servers, text, command))
    if json:
        print_json(Decided(accepted.events))
        return
    for line in integrity_notes(story):
        out.print(line, soft_wrap=True, markup=False)


async def _decided(
    settings: Settings, servers: Servers, text: str, command: Decision
) -> tuple[Accepted, list[Event]]:
    """Appends what was decided, brings the read models up to it, and tells the match's story.

    The operators' audit trail is told first; what it cannot be told is not decided.
    """
    ports = system_ports()
    with open_pool(servers.database_url) as pool:
        match = match_meant(text, [known.id for known in known_matches(pool)])
        refuse_names(pool, match, command.case, command.cause, command.by)
        told = Trail(pool).telling(
            ports.clock.now(), whoever_asks(command.by), _TOLD[type(command)], match, command.case
        )
        async with ended_match_service(servers.database_url, ports) as service:
            with told:
                accepted = await service.handle(match, command)
        story = [decode_row(row) for row in rows_of_match(pool, match)]
    with progress() as bars:
        await catch_up(settings, servers, bars)
    return accepted, story
