"""Routes of replays: a match at any step as someone saw it, and what a seat or a spectator could know there.

All of it is made from public events. Of a hand that is not finished only the spectator's side is given.
"""

import asyncio
from typing import Annotated, Any, Final, Literal, cast
from uuid import UUID

import msgspec
from litestar import get
from litestar.params import FromQuery, PathParameter, QueryParameter

from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.bodies import PublicEvent
from adapters.http.documented import errors
from adapters.http.freshness import CHECKED, FRESHNESS
from adapters.serialization import encode_public
from domain.visibility import EVERYTHING, SPECTATOR, MatchView, Viewer
from replays.captions import Caption
from replays.knowledge import KnowledgeTold, knowledge_at, told

_TAGS: Final = ["replays"]
_SEATS: Final = ("seat0", "seat1", "seat2", "seat3")

KnowerName = Literal["spectator", "seat0", "seat1", "seat2", "seat3"]
ViewerName = KnowerName | Literal["all"]
StepNumber = Annotated[int, PathParameter(ge=1, le=1_000_000, description="a step of the match, from 1")]


class StepShown(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a match, of `steps` so far: the event that led to it, what it changed, and the view after it."""

    match: UUID
    step: int
    steps: int
    caption: Caption
    event: PublicEvent
    view: MatchView


@get(
    "/matches/{match:uuid}/steps/{step:int}",
    tags=_TAGS,
    summary="See a match at a step",
    responses=errors(400, 401, 404, 409),
    opt={"query": ("viewer",), FRESHNESS: CHECKED},
)
async def read_step(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    step: StepNumber,
    viewer: FromQuery[ViewerName] = "spectator",
) -> StepShown:
    """As a seat, a spectator, or with everyone's cards (`all`); seats and `all` of finished hands only."""

    def shown() -> StepShown:
        timeline = site.timelines.of(match)
        seen = timeline.view(step, viewer_of(viewer))
        at = timeline.step(step)
        event = cast("dict[str, Any]", msgspec.Raw(encode_public(at.event)))
        return StepShown(
            match=match, step=step, steps=len(timeline), caption=at.caption, event=event, view=seen
        )

    return await asyncio.to_thread(shown)


@get(
    "/matches/{match:uuid}/knowledge",
    tags=_TAGS,
    summary="Read what someone could know",
    responses=errors(400, 401, 404, 409),
    opt={"query": ("step", "viewer"), FRESHNESS: CHECKED},
)
async def read_knowledge(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    step: Annotated[int, QueryParameter(ge=1, le=1_000_000, description="a step of the match, from 1")],
    viewer: FromQuery[KnowerName] = "spectator",
) -> KnowledgeTold:
    """Where the unseen cards can lie for a seat or a spectator after a step, every reason with its rule.

    Beside it stands the truth, once the hand is finished. A seat of a hand that is not finished is refused.
    """
    knower = viewer_of(viewer)
    assert knower != EVERYTHING, "it is no choice"

    def known() -> KnowledgeTold:
        return told(knowledge_at(site.timelines.of(match), step, knower))

    async with site.reasoning:
        return await asyncio.to_thread(known)


ROUTES: Final = (read_step, read_knowledge)


def viewer_of(name: ViewerName) -> Viewer:
    """The viewer of this name."""
    if name in _SEATS:
        return _SEATS.index(name)
    return EVERYTHING if name == "all" else SPECTATOR
