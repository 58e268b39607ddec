"""The viewer's files as they ship, and a replay as one HTML file that works without a server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from adapters.http.words import CHINESE
from replays.notation import Comment
from replays.review import LIMITS, LIMITS_ZH, HandReview
from replays.timeline import HandSteps, Timeline
from replays.viewer.document import ReplayDocument, Sources, replay_document
from replays.viewer.one_file import one_file

EachHand = Callable[[Sequence[HandSteps]], Iterable[HandSteps]]


def document_of(timeline: Timeline, names: Mapping[UUID, str]) -> ReplayDocument:
    """The viewer's document of a match, of at least one step, as it is served."""
    return replay_document(timeline, Sources(names=names, chinese=CHINESE))


def viewer_assets() -> dict[str, str]:
    """The texts of the viewer's files, by name."""
    folder = files("replays").joinpath("viewer/assets")
    return {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.is_file()}


def replay_html(
    timeline: Timeline,
    names: Mapping[UUID, str],
    comments: Sequence[Comment] = (),
    each_hand: EachHand = iter,
    reviews: Sequence[HandReview] = (),
) -> str:
    """A replay as one file, with what all could know through each hand: a second or two a thousand steps.

    `each_hand` hands on the hands as they are worked out. `reviews` are those of its hands that were reviewed.
    """
    sources = Sources(names=names, chinese=CHINESE, comments=comments, each_hand=each_hand)
    document = replace(replay_document(timeline, sources), review=_told(reviews))
    return one_file(msgspec.json.encode(document), viewer_assets())


def _told(reviews: Sequence[HandReview]) -> dict[str, Any] | None:
    """Reviews as the viewer wants them, with what their numbers assume."""
    return {"hands": reviews, "limits": LIMITS, "limits_zh": LIMITS_ZH} if reviews else None
