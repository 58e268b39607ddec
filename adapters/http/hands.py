"""Routes of the library of hands: search, and one hand with everything that happened in it."""

import asyncio
from typing import Annotated, Final
from uuid import UUID

from litestar import get
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency, Provide
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromQuery, PathParameter, QueryParameter

from adapters.hand_search import FILTERS, HandSearch, Order, checked
from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.documented import MATCH_EXAMPLE, errors
from adapters.http.freshness import CHECKED, FRESHNESS
from adapters.postgres.hand_library import HandLibrary, HandPage
from domain.events import Origin
from projections.hand_replays.rows import FinishedHand
from projections.hand_replays.specials import Special

_TAGS: Final = ["read models"]
_WITH: Final = "of `player`'s table, who must be given: "


def _text(what: str, example: str) -> QueryParameter:
    return QueryParameter(description=what, examples=[Example(summary=example, value=example)])


def _bound(what: str) -> QueryParameter:
    return QueryParameter(ge=-1_000_000_000, le=1_000_000_000, description=what)


def the_search(
    player: Annotated[UUID | None, _text("hands this player sat in", MATCH_EXAMPLE)] = None,
    partner: Annotated[UUID | None, QueryParameter(description=f"{_WITH}his partner")] = None,
    opponent: Annotated[
        list[UUID] | None, QueryParameter(max_items=3, description=f"{_WITH}up to three who play against him")
    ] = None,
    ruleset: Annotated[
        str | None,
        QueryParameter(
            max_length=40, description="a ruleset's name", examples=[Example("blood", value="blood-1")]
        ),
    ] = None,
    origin: FromQuery[Origin | None] = None,
    since: Annotated[
        str | None,
        QueryParameter(
            name="from",
            max_length=40,
            description="ended at or after this year, month, day or time (UTC)",
            examples=[Example("a month", value="2026-11"), Example("a time", value="2026-11-30T20:00:00Z")],
        ),
    ] = None,
    until: Annotated[
        str | None,
        QueryParameter(
            name="to",
            max_length=40,
            description="ended before the end of this year, month or day, or before this time",
        ),
    ] = None,
    special: Annotated[
        list[Special] | None,
        QueryParameter(
            max_items=7,
            description="what the player (or, without `player`, any seat) did; all that are given must hold",
            examples=[Example("slams", value=["slam"])],
        ),
    ] = None,
    score_min: Annotated[int | None, _bound("raw score of the player, or of any one seat, at least")] = None,
    score_max: Annotated[int | None, _bound("… at most")] = None,
    points_min: Annotated[
        int | None, _bound("points of the hand (zero_sum) of the player, or of any one seat, at least")
    ] = None,
    points_max: Annotated[int | None, _bound("… at most")] = None,
    swing_min: Annotated[int | None, _bound("the highest raw score less the lowest, at least")] = None,
    swing_max: Annotated[int | None, _bound("… at most")] = None,
    order: Annotated[
        Order,
        QueryParameter(
            description="newest first; biggest swing; highest or lowest raw score (the player's, if given)"
        ),
    ] = "newest",
) -> HandSearch:
    """The search that the parameters mean. Raises `SearchRefused`."""
    return checked(
        HandSearch(
            player=player,
            partner=partner,
            opponent=tuple(opponent or ()),
            ruleset=ruleset or None,
            origin=origin,
            from_=since or None,
            to=until or None,
            special=tuple(special or ()),
            score_min=score_min,
            score_max=score_max,
            points_min=points_min,
            points_max=points_max,
            swing_min=swing_min,
            swing_max=swing_max,
            order=order,
        )
    )


@get(
    "/hands",
    tags=_TAGS,
    summary="Search finished hands",
    responses=errors(400, 401),
    opt={"query": (*FILTERS, "before", "limit"), FRESHNESS: CHECKED},
    response_headers=[
        ResponseHeader(name="Vary", value="Accept", description="a browser gets the page here")
    ],
    dependencies={"search": Provide(the_search, sync_to_thread=False)},
)
async def list_hands(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    search: NamedDependency[HandSearch],
    before: Annotated[
        str | None, QueryParameter(max_length=40, description="`next` of the page before, to read on")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=200, description="how many at most")] = 50,
) -> HandPage:
    """By who sat there, time, scores and special events; everything that is given must hold.

    The same query is a link to the page `/hands` and an argument of `gongzhu hands`. What the special events mean:
    `infra/api/hands.md`. Corrected hands are found by the scores that now stand; annulled ones say so.
    """
    return await asyncio.to_thread(_library(site).search, search, before=before, limit=limit)


@get(
    "/hands/{match:uuid}/{hand_no:int}",
    tags=_TAGS,
    summary="Read a finished hand",
    responses=errors(400, 401, 404),
    opt={"query": (), FRESHNESS: CHECKED},
)
async def read_hand(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    hand_no: Annotated[int, PathParameter(ge=1, le=256)],
) -> FinishedHand:
    """The whole document: deal, declarations, every play with its think time, the scores and the proof."""
    found = await asyncio.to_thread(_library(site).hand, match, hand_no)
    if found is None:
        raise NotFoundException(f"there is no finished hand {hand_no} of match {match}")
    return found


ROUTES: Final = (list_hands, read_hand)


def _library(site: TheSite) -> HandLibrary:
    return HandLibrary(site.live.log.pool)
