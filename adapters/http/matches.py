"""Routes of matches: open, list, look, read, abandon."""

import asyncio
from typing import Annotated, Any, Final, Literal, cast
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import Body, FromQuery, QueryParameter

from adapters.http import abandoning, actions
from adapters.http.asking import MatchPath, TheBearer, TheCaller, TheSite
from adapters.http.boards import known_ruleset
from adapters.http.bodies import (
    AbandonAnswer,
    AbandonBody,
    EventList,
    OpenMatchBody,
    PublicEvent,
    Receipt,
    TableLine,
    TableList,
)
from adapters.http.callers import note_command
from adapters.http.documented import COMMAND_ERRORS, errors, example
from adapters.http.freshness import CHECKED, FRESHNESS, KEPT_HOUR
from adapters.http.refusals import NotYourSeat
from adapters.identity.bearers import Bearer
from adapters.live.frames import Snapshot
from adapters.postgres.match_rows import rows_of_match
from adapters.serialization import Row
from domain.errors import MatchNotOpen
from domain.match import Match
from domain.rulesets import RULESETS, Ruleset
from domain.visibility import SPECTATOR, Viewer

As = Annotated[
    Literal["spectator", "seat"],
    QueryParameter(
        name="as", description="whose view: everyone's, or that of the seat the token's player sits at"
    ),
]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="how many at most")]
Phases = FromQuery[Literal["seating", "declaring", "playing", "between_hands"] | None]
_ENDINGS: Final = ("HandEnded.", "MatchSettled.", "MatchAbandoned.")
_AFTERWARDS: Final = ("MatchAnnulled.", "AnnulmentLifted.", "HandCorrected.")


@post(
    "/matches",
    tags=["matches"],
    summary="Open a match",
    responses=errors(400, 401, 403, 409, 413, 422),
    opt={"query": ()},
)
async def open_match(
    site: TheSite,
    caller: TheCaller,
    data: Annotated[
        OpenMatchBody,
        Body(examples=[example("four hands of zero_sum", ruleset="zero_sum-1", hands=4)]),
    ],
) -> Receipt:
    """Put a match on offer; whoever opens it still takes a seat like anyone else."""
    opened = await actions.open_match(site, caller.bearer, data)
    note_command(site, caller, opened.match, "open", data.sent_ms)
    return opened


@get(
    "/tables",
    tags=["matches"],
    summary="List tables in play or on offer",
    responses=errors(400, 401),
    opt={"query": ("ruleset", "phase", "after", "limit")},
)
async def list_tables(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: Annotated[str | None, QueryParameter(max_length=40, description="a ruleset's name")] = None,
    phase: Phases = None,
    after: Annotated[UUID | None, QueryParameter(description="`next` of the page before")] = None,
    limit: Limit = 50,
) -> TableList:
    """Newest first, as everyone may see them."""
    known_ruleset(ruleset)
    tables = sorted(site.live.tables.tended(), key=lambda table: table.match.id, reverse=True)
    found = [
        table.match
        for table in tables
        if (ruleset is None or table.match.ruleset.name == ruleset)
        and (phase is None or table.match.phase == phase)
        and (after is None or table.match.id < after)
    ]
    page = tuple(table_line(match) for match in found[:limit])
    return TableList(tables=page, next=page[-1].match if len(found) > limit else None)


@get(
    "/matches/{match:uuid}",
    tags=["matches"],
    summary="Look at a match",
    responses=errors(400, 401, 403, 404),
    opt={"query": ("as",)},
)
async def look(
    site: TheSite, bearer: TheBearer, request: Request[Any, Any, Any], match: MatchPath, as_: As = "spectator"
) -> Response[Snapshot]:
    """The same snapshot that a socket begins with. Its ETag names the number and the viewer; no seat's is kept."""
    state = await site.live.service.fresh(match)
    viewer = viewer_of(state, bearer, as_)
    etag = f'W/"{state.version}-{viewer}"'
    kept = CHECKED if viewer == SPECTATOR else "no-store"
    headers = {"ETag": etag, "Cache-Control": kept, "Vary": "Authorization"}
    if request.headers.get("if-none-match") == etag:
        return Response(content=cast("Snapshot", None), status_code=304, headers=headers)
    return Response(content=site.live.tables.snapshot_of(state, viewer), headers=headers)


@get(
    "/matches/{match:uuid}/events",
    tags=["matches"],
    summary="Read the events of finished hands",
    responses=errors(400, 401, 404),
    opt={"query": ("after", "limit"), FRESHNESS: CHECKED},
)
async def read_events(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    after: Annotated[int, QueryParameter(ge=0, description="the version after which to read")] = 0,
    limit: Limit = 100,
) -> EventList:
    """As they are stored, in order, up to the end of the last hand that has ended."""
    rows = await asyncio.to_thread(rows_of_match, site.live.log.pool, match)
    if not rows:
        raise MatchNotOpen(match=match)
    finished = [row for row in rows[: _finished(rows)] if row.version > after]
    page = [msgspec.Raw(row.public) for row in finished[:limit]]
    following = finished[limit - 1].version if len(finished) > limit else None
    return EventList(events=cast("tuple[PublicEvent, ...]", tuple(page)), next=following)


@post(
    "/matches/{match:uuid}/abandon",
    tags=["matches"],
    summary="Abandon a match",
    status_code=200,
    responses=errors(*COMMAND_ERRORS),
    opt={"query": ()},
)
async def abandon(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    data: Annotated[AbandonBody, Body(examples=[example("the table breaks up", cause="late")])],
) -> AbandonAnswer:
    """Before the deal its opener may; afterwards an operator, or all four seats, each with this command."""
    await site.live.service.match(match)
    note_command(site, caller, match, "abandon", data.sent_ms)
    return await abandoning.abandon(site, caller.bearer, match, data)


@get(
    "/rulesets",
    tags=["matches"],
    summary="List the rulesets",
    responses=errors(401),
    opt={"query": (), FRESHNESS: KEPT_HOUR},
)
async def list_rulesets(bearer: TheBearer) -> list[Ruleset]:  # noqa: ARG001 - a token that is brought must be good
    """Every ruleset that can be opened, as the value that is stored with a match."""
    return list(RULESETS.values())


def viewer_of(match: Match, bearer: Bearer, as_: str) -> Viewer:
    """Whose view is asked for. Raises `NotYourSeat` where the player sits at no seat of the match."""
    if as_ == "spectator":
        return SPECTATOR
    player = actions.player_of(bearer)
    if player not in match.players:
        raise NotYourSeat
    return match.players.index(player)


def table_line(match: Match) -> TableLine:
    """A match as a line of the list."""
    return TableLine(
        match=match.id,
        number=match.version,
        ruleset=match.ruleset.name,
        phase=match.phase,
        origin=match.opened.origin,
        players=match.players,
        autopilot=match.autopilot,
        hands_ended=match.hands_ended,
        hands_agreed=match.opened.hands_agreed,
        blood=match.blood if match.ruleset.by_blood else None,
        points=match.points,
        clocks=match.opened.clocks,
        opened_by=match.opened.opened_by,
    )


def _finished(rows: list[Row]) -> int:
    """How many rows there are up to the end of the last finished hand, or of the match."""
    ends = [number for number, row in enumerate(rows, 1) if row.tag.startswith((*_ENDINGS, *_AFTERWARDS))]
    return ends[-1] if ends else 0
