"""A match as its notation holds it: the events, and what people wrote beside them."""

from collections.abc import Sequence

import msgspec

from domain.errors import GongzhuError
from domain.events import Event
from replays.notation.header import Tag
from replays.notation.texts import tidy


class NotWritable(GongzhuError):
    """Events that are no match from its opening on, or a comment on a step that is not there."""


class Comment(msgspec.Struct, frozen=True):
    """A comment on a step: on what the event of that version changed; 0 for the match as a whole.

    Of its spaces and line ends nothing is kept but that they part words.
    """

    step: int
    text: str


class Notation(msgspec.Struct, frozen=True, kw_only=True):
    """A match from its opening on, in public forms; the tags of others, and comments in the order of their steps.

    `complete`: the text ends with `end` and its number of steps, so nothing was cut off.
    """

    events: tuple[Event, ...]
    tags: tuple[Tag, ...] = ()
    comments: tuple[Comment, ...] = ()
    complete: bool = True


def by_step(comments: Sequence[Comment]) -> dict[int, list[str]]:
    """The texts of comments, tidied, by their step."""
    texts: dict[int, list[str]] = {}
    for comment in comments:
        texts.setdefault(comment.step, []).append(tidy(comment.text))
    return texts
