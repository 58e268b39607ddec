"""Routes of the replay viewer: the document of a match, what could be known through a hand, and notes as notation."""

import asyncio
from typing import Annotated, Final

import msgspec
from litestar import Response, get, post
from litestar.exceptions import ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import Body, FromQuery, PathParameter
from msgspec import Meta

from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.documented import errors
from adapters.http.freshness import CHECKED, FRESHNESS
from adapters.http.steps import KnowerName, viewer_of
from adapters.viewer_files import document_of
from domain.errors import NoSuchHand
from domain.events import PlayerSeated
from domain.visibility import EVERYTHING
from replays.notation import Comment, NotWritable, write
from replays.timeline import Timeline
from replays.viewer.document import ReplayDocument, last_public_step
from replays.viewer.knowing import KnowledgeShown, knowledge_shown

_TAGS: Final = ["replays"]
_NOTES_BYTES: Final = 1_000_000


class CommentBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A comment on a step of the match; 0 for the match as a whole."""

    step: Annotated[int, Meta(ge=0, le=1_000_000)]
    text: Annotated[str, Meta(min_length=1, max_length=20_000)]


class CommentsBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Comments to write into a match's notation; they are not kept."""

    comments: Annotated[tuple[CommentBody, ...], Meta(max_length=5_000)] = ()


@get(
    "/matches/{match:uuid}/replay",
    tags=_TAGS,
    summary="Read the finished hands of a match for a viewer",
    responses=errors(400, 401, 404),
    opt={"query": (), FRESHNESS: CHECKED},
)
async def read_replay(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
) -> ReplayDocument:
    """Every step with its caption in English and Chinese, the cards, the scores explained, and players' names.

    Nothing of a hand in progress is in it.
    """

    def shown() -> ReplayDocument:
        timeline = site.timelines.of(match)
        players = {step.event.player for step in timeline if isinstance(step.event, PlayerSeated)}
        return document_of(timeline, site.people.names.of(players))

    async with site.reasoning:
        return await asyncio.to_thread(shown)


@get(
    "/matches/{match:uuid}/hands/{hand_no:int}/knowledge",
    tags=_TAGS,
    summary="Read what someone could know through a hand",
    responses=errors(400, 401, 404),
    opt={"query": ("viewer",), FRESHNESS: CHECKED},
)
async def read_hand_knowledge(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    hand_no: Annotated[int, PathParameter(ge=1, le=256)],
    viewer: FromQuery[KnowerName] = "spectator",
) -> KnowledgeShown:
    """Of a finished hand, for a seat or a spectator: from which step to which who cannot hold what, and why."""
    knower = viewer_of(viewer)
    assert knower != EVERYTHING, "it is no choice"

    def known() -> KnowledgeShown:
        timeline = site.timelines.of(match)
        last = last_public_step(timeline)
        hands = [hand for hand in timeline.hands if hand.number == hand_no and hand.last <= last]
        if not hands:
            raise NoSuchHand(hand_no=hand_no)
        return knowledge_shown(timeline, hands, [knower])

    async with site.reasoning:
        return await asyncio.to_thread(known)


@post(
    "/matches/{match:uuid}/notation",
    tags=_TAGS,
    summary="Write a match with comments in the notation",
    status_code=200,
    request_max_body_size=_NOTES_BYTES,
    responses={
        **errors(400, 401, 404, 413),
        200: ResponseSpec(str, description="The notation", media_type="text/plain", generate_examples=False),
    },
    opt={"query": ()},
)
async def write_notation(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    data: Annotated[
        CommentsBody,
        Body(examples=[Example(summary="a note", value={"comments": [{"step": 40, "text": "!"}]})]),
    ],
) -> Response[str]:
    """Its finished hands as text, each comment on its step. Comments on steps that are not there are left out."""

    def written() -> str:
        timeline = site.timelines.of(match)
        return _with_comments(timeline, data.comments)

    return Response(await asyncio.to_thread(written), media_type="text/plain; charset=utf-8")


def _with_comments(timeline: Timeline, comments: tuple[CommentBody, ...]) -> str:
    """The steps up to the last that is public; of a match in its first hand, its opening alone."""
    last = max(1, last_public_step(timeline))
    events = [timeline.step(number).event for number in range(1, last + 1)]
    known = [Comment(comment.step, comment.text) for comment in comments if comment.step <= last]
    try:
        return write(events, comments=sorted(known, key=lambda comment: comment.step))
    except NotWritable as refused:
        raise ValidationException(f"comments: {refused}") from None


ROUTES: Final = (read_replay, read_hand_knowledge, write_notation)
