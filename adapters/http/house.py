"""Routes of the house: what this site offers, and its own bots for a table that lacks company."""

from typing import Annotated, Final
from uuid import UUID

import msgspec
from litestar import get, post
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import Body
from msgspec import Meta

from adapters.http.actions import player_of
from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.documented import errors
from adapters.http.problems import ProblemRaised, problem
from adapters.http.refusals import NotYourSeat
from adapters.http.site import Bots
from domain.decisions.story import require_phase
from domain.seats import Seat


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a site offers: whether guests are admitted, whether it keeps bots, and the longest clock of a match."""

    guests: bool
    bots: bool
    most_clock_s: int


class FillBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Asks for bots. `seats`: how many at most; all that are free where it is not said."""

    seats: Annotated[int, Meta(ge=1, le=3)] = 3


class Filled(msgspec.Struct, frozen=True):
    """The seats at which bots have sat down; none where no seat was free."""

    match: UUID
    seats: tuple[Seat, ...]


@get("/site", tags=["matches"], summary="See what this site offers", responses=errors(), opt={"query": ()})
async def read_offer(site: TheSite) -> Offer:
    """For pages, which show only what can be had."""
    return Offer(guests=site.terms.guests, bots=site.bots is not None, most_clock_s=site.terms.most_clock_s)


@post(
    "/matches/{match:uuid}/bots",
    tags=["seats"],
    summary="Fill free seats with bots",
    status_code=200,
    responses=errors(400, 401, 403, 404, 409, 413),
    opt={"query": ()},
)
async def fill_with_bots(
    site: TheSite,
    bearer: TheBearer,
    match: MatchPath,
    data: Annotated[FillBody, Body(examples=[Example(summary="two bots", value={"seats": 2})])],
) -> Filled:
    """For whoever sits at the table, before the deal. 404 where the site keeps no bots, 503 while all of them play."""
    bots = _bots_of(site)
    state = await site.live.service.fresh(match)
    if player_of(bearer) not in state.players:
        raise NotYourSeat
    require_phase(state, "sitting down", "seating")
    if bots.free < min(data.seats, state.players.count(None)):
        raise ProblemRaised(
            problem(
                503,
                "BotsBusy",
                "all bots of this site are playing",
                "本站的机器人都在牌桌上",
                retry_after_s=30,
            )
        )
    return Filled(match, await bots.fill(match, data.seats))


def _bots_of(site: TheSite) -> Bots:
    if site.bots is None:
        raise NotFoundException("this site keeps no bots")
    return site.bots


ROUTES: Final = (read_offer, fill_with_bots)
