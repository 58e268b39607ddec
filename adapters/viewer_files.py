"""The viewer's files as they ship, and a replay as one HTML file that works without a server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from uuid import UUID

import msgspec

from adapters.http.words import CHINESE
from replays.notation import Comment
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
) -> str:
    """A replay as one file, with what all could know through each hand: a second or two a thousand steps.

    `each_hand` hands on the hands as they are worked out.
    """
    sources = Sources(names=names, chinese=CHINESE, comments=comments, each_hand=each_hand)
    return one_file(msgspec.json.encode(replay_document(timeline, sources)), viewer_assets())
