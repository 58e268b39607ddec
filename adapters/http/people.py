"""Routes of people: what players are called, and hands they report."""

import asyncio
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

import msgspec
from litestar import get, post, put
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, PathParameter, QueryParameter
from msgspec import Meta

from adapters.http.actions import player_of
from adapters.http.asking import MatchPath, TheBearer, TheCaller, TheSite
from adapters.http.bodies import Reason, SentMs
from adapters.http.callers import note_command
from adapters.http.documented import errors
from adapters.http.refusals import NotYourSeat, RoleRefused
from adapters.identity.bearers import Bearer
from adapters.people.connections import KnownConnection
from adapters.people.names import LONGEST_NAME
from adapters.people.reports import Report
from domain.errors import NoSuchHand

Players = Annotated[
    list[UUID], QueryParameter(name="player", max_items=100, description="player ids, up to 100")
]
Case = Annotated[str, QueryParameter(min_length=1, max_length=100, description="the case it is read for")]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="how many at most")]


class NameBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a player wants to be called."""

    name: Annotated[str, Meta(min_length=1, max_length=4 * LONGEST_NAME)]


class ReportBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a hand is reported. Players of the match who are named in it will stand there by their ids."""

    reason: Reason
    sent_ms: SentMs | None = None


class Named(msgspec.Struct, frozen=True):
    """A player and what he is called; None where he has no name."""

    player: UUID
    name: str | None


class Reported(msgspec.Struct, frozen=True):
    """A report was kept."""

    report: int
    match: UUID
    hand_no: int
    at: datetime


@get(
    "/names",
    tags=["people"],
    summary="Look up what players are called",
    responses=errors(400, 401),
    opt={"query": ("player",)},
)
async def look_up_names(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    player: Players,
) -> list[Named]:
    """In the order asked for."""
    names = await asyncio.to_thread(site.people.names.of, player)
    return [Named(who, names.get(who)) for who in player]


@put(
    "/players/{player:uuid}/name",
    tags=["people"],
    summary="Choose a name",
    responses=errors(400, 401, 403, 413, 422),
    opt={"query": ()},
)
async def choose_name(
    site: TheSite,
    bearer: TheBearer,
    player: FromPath[UUID],
    data: Annotated[NameBody, Body(examples=[Example(summary="a name", value={"name": "小猪"})])],
) -> Named:
    """Each player his own; it is kept beside the log and can be erased."""
    if player_of(bearer) != player:
        raise RoleRefused(needed="this player")
    name = await asyncio.to_thread(site.people.names.rename, player, data.name, site.clock.now())
    return Named(player, name)


@post(
    "/matches/{match:uuid}/hands/{hand_no:int}/report",
    tags=["people"],
    summary="Report a finished hand",
    responses=errors(400, 401, 403, 404, 413),
    opt={"query": ()},
)
async def report_hand(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    hand_no: Annotated[int, PathParameter(ge=1, le=256)],
    data: Annotated[ReportBody, Body(examples=[Example(summary="a reason", value={"reason": "signals"})])],
) -> Reported:
    """For who played in the match; it is how a case starts. A second report replaces the reason."""
    player = player_of(caller.bearer)
    state = await site.live.service.fresh(match)
    note_command(site, caller, match, "report", data.sent_ms)
    if player not in state.players:
        raise NotYourSeat
    if hand_no > state.hands_ended:
        raise NoSuchHand(hand_no=hand_no)
    kept = await asyncio.to_thread(
        site.people.report,
        match,
        hand_no,
        player,
        data.reason,
        at=site.clock.now(),
        players=[one for one in state.players if one is not None],
    )
    return Reported(kept.id, kept.match, kept.hand_no, kept.at)


@get(
    "/reports",
    tags=["people"],
    summary="Read reports",
    responses=errors(400, 401, 403),
    opt={"query": ("limit",)},
)
async def read_reports(site: TheSite, bearer: TheBearer, limit: Limit = 50) -> list[Report]:
    """For investigators; each reading is written to the operators' audit trail."""
    by = _investigator(bearer)
    await asyncio.to_thread(site.people.trail.add, site.clock.now(), by, "read reports", "all")
    return await asyncio.to_thread(site.people.reports.newest, limit)


@get(
    "/players/{player:uuid}/connections",
    tags=["people"],
    summary="Read a player's connection records",
    responses=errors(400, 401, 403),
    opt={"query": ("case",)},
)
async def read_connections(
    site: TheSite, bearer: TheBearer, player: FromPath[UUID], case: Case
) -> list[KnownConnection]:
    """For investigators, in a case; each reading is written to the operators' audit trail before it is answered."""
    by = _investigator(bearer)
    return await asyncio.to_thread(site.people.connections_of, player, by=by, at=site.clock.now(), case=case)


def _investigator(bearer: Bearer) -> str:
    """Who reads, as the trail names him. Raises `RoleRefused`."""
    if bearer.role != "investigator":
        raise RoleRefused(needed="investigator")
    return bearer.told


ROUTES: Final = (look_up_names, choose_name, report_hand, read_reports, read_connections)
