"""Matches in files of notation.

A text says itself that it is whole: it ends with `end` and its number of steps. Those of an export also carry the
digest of their public events, so that what is restored are the very bytes.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

from adapters.exports.forms import DIGEST_TAG, digest_of
from adapters.record_files import capped_lines
from adapters.restoring.found import MOST_BYTES, Faulty, FoundMatch
from adapters.serialization import encode_public
from replays.notation import Notation, NotationError, parse_placed

_UNFINISHED: Final = (
    "the match does not end with `end` and its number of steps, so something may be missing; write it again"
)
_OTHER_BYTES: Final = (
    f"its events are not those of its tag [{DIGEST_TAG} …]: the text was changed, or tells of a match recorded by an "
    "older version; import the match from NDJSON or Parquet, or take the tag out if it is meant to be as it stands"
)


def matches_in_text(stream: BinaryIO, source: str) -> Iterator[FoundMatch | Faulty]:
    """What each match in a stream of notation comes to, in order. Comments and tags of others are not restored."""
    for line, match in parse_placed(capped_lines(stream, MOST_BYTES)):
        if isinstance(match, NotationError):
            yield Faulty(f"{source} {match}", "nothing of this match is restored")
        else:
            yield _found(source, line, match)


def _found(source: str, line: int, match: Notation) -> FoundMatch | Faulty:
    where = f"{source} line {line}, match {match.events[0].match}"
    if not match.complete:
        return Faulty(where, _UNFINISHED)
    publics = tuple(encode_public(event) for event in match.events)
    digests = [tag.value for tag in match.tags if tag.name.lower() == DIGEST_TAG.lower()]
    if any(digest.lower() != digest_of(publics) for digest in digests):
        return Faulty(where, _OTHER_BYTES)
    return FoundMatch(source, "line", line, match.events[0].match, publics, spread=False)
