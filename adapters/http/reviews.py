"""Routes of reviews: how good each decision of a match's finished hands was."""

import asyncio
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from litestar import Response, get
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromQuery, QueryParameter

from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.documented import errors
from adapters.http.freshness import CHECKED, FRESHNESS
from adapters.http.site import Site
from adapters.reviewing import ended_hands
from domain.errors import NoSuchHand
from replays.review import LIMITS, LIMITS_ZH, HandReview
from replays.viewer.document import last_public_step

_TAGS: Final = ["replays"]
_RETRY_S: Final = 5


class MatchReview(msgspec.Struct, frozen=True, kw_only=True):
    """Reviews of finished hands, and the hands that wait to be reviewed; `limits` says what the numbers assume."""

    match: UUID
    hands: tuple[HandReview, ...]
    waiting: tuple[int, ...]
    limits: tuple[str, ...] = LIMITS
    limits_zh: tuple[str, ...] = LIMITS_ZH


@get(
    "/matches/{match:uuid}/review",
    tags=_TAGS,
    summary="Read how good each decision of finished hands was",
    responses={
        **errors(400, 401, 404),
        202: ResponseSpec(
            MatchReview,
            description="Some hands are being reviewed; ask again after `Retry-After` seconds",
            generate_examples=False,
        ),
    },
    opt={"query": ("hand", "order"), FRESHNESS: CHECKED},
)
async def read_review(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    hand: Annotated[int | None, QueryParameter(ge=1, le=256, description="only this hand")] = None,
    order: FromQuery[Literal["yes", "no"]] = "yes",
) -> Response[MatchReview]:
    """Each decision's cost by what its player knew, and with all cards shown; of one hand, or of all that have ended.

    A hand that was not reviewed before is reviewed now, beside everything else, one at a time: until that is done the
    answer is 202 with what there is. With `order=no` nothing is begun. A hand in progress is no hand here.
    """
    known = await asyncio.to_thread(_known, site, match, hand)
    waiting = tuple(number for number, review in known.items() if review is None)
    for number in waiting if order == "yes" else ():
        site.reviews.order(match, number)
    found = MatchReview(
        match=match, hands=tuple(review for review in known.values() if review is not None), waiting=waiting
    )
    headers = {"Retry-After": str(_RETRY_S)} if waiting else {}
    return Response(found, status_code=202 if waiting else 200, headers=headers)


def _known(site: Site, match: UUID, hand: int | None) -> dict[int, HandReview | None]:
    """The finished hands asked for, each with its review if there is one."""
    timeline = site.timelines.of(match)
    last = last_public_step(timeline)
    public = {one.number for one in timeline.hands if one.last <= last}
    wanted = [number for number in ended_hands(timeline) if number in public and hand in (None, number)]
    if hand is not None and not wanted:
        raise NoSuchHand(hand_no=hand)
    return {number: site.reviews.stored.find(match, number, site.reviews.settings) for number in wanted}


ROUTES: Final[tuple[Any, ...]] = (read_review,)
