"""Notation: a text form of a whole match that people can read, mail and compare (replays/README.md has the grammar).

`write` gives the canonical form; `parse` reads it and anything like it. parse(write(events)).events == the public
forms of the events, for every match our code can produce; a canonical text comes back byte for byte.
"""

from replays.notation.documents import Comment, Notation, NotWritable
from replays.notation.header import FORMAT, Tag
from replays.notation.lexing import NotationError, decoded
from replays.notation.many import parse_all, parse_placed
from replays.notation.reading import parse
from replays.notation.writing import rewrite, write

__all__ = [
    "FORMAT",
    "Comment",
    "NotWritable",
    "Notation",
    "NotationError",
    "Tag",
    "decoded",
    "parse",
    "parse_all",
    "parse_placed",
    "rewrite",
    "write",
]
