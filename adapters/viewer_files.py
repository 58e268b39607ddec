"""The viewer's files as they ship, and a replay as one HTML file that works without a server."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from uuid import UUID

import msgspec

from adapters.http.words import CHINESE
from replays.notation import Comment
from replays.timeline import Timeline
from replays.viewer.document import ReplayDocument, Sources, replay_document
from replays.viewer.one_file import one_file


def document_of(
    timeline: Timeline,
    names: Mapping[UUID, str],
    comments: Sequence[Comment] = (),
    *,
    with_knowledge: bool = False,
) -> ReplayDocument:
    """The viewer's document of a match, of at least one step."""
    sources = Sources(names=names, chinese=CHINESE, comments=comments, with_knowledge=with_knowledge)
    return replay_document(timeline, sources)


def viewer_assets() -> dict[str, str]:
    """The texts of the viewer's files, by name."""
    folder = files("replays").joinpath("viewer/assets")
    return {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.is_file()}


def replay_html(timeline: Timeline, names: Mapping[UUID, str], comments: Sequence[Comment] = ()) -> str:
    """A replay as one file, with all that can be known of each hand worked out: a second or two a thousand steps."""
    document = document_of(timeline, names, comments, with_knowledge=True)
    return one_file(msgspec.json.encode(document), viewer_assets())
