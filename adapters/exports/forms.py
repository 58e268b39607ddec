"""A match as the bytes an export holds, in the two forms that are text.

NDJSON has the match's public events, byte for byte as they are stored, one a line, and an empty line that closes the
match. Notation has a tag with the digest of these lines, so that whoever reads the text back knows whether it gives
the very bytes again.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from adapters.event_files import closed_lines
from adapters.exports.ended_matches import EndedMatch
from replays.notation import Tag, write

DIGEST_TAG: Final = "Digest"
"""SHA-256 (hex) of a match's public events, each followed by a line end."""


def ndjson(match: EndedMatch) -> bytes:
    """The match as closed lines."""
    return b"".join(closed_lines(match.rows))


def notation(match: EndedMatch) -> bytes:
    """The match as text, and an empty line."""
    tag = Tag(DIGEST_TAG, digest_of(row.public for row in match.rows))
    return write(match.events(), [tag]).encode() + b"\n"


def digest_of(objects: Iterable[bytes]) -> str:
    """SHA-256 (hex) of public objects, each followed by a line end."""
    digest = hashlib.sha256()
    for one in objects:
        digest.update(one + b"\n")
    return digest.hexdigest()
