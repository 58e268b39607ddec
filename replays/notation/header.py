"""The tags at the top of a notation: `[Name "value"]`, first those that say how the match was opened.

The tags of `TAGS` may stand in any order and letter case; all others are kept as they are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from domain.events import ORIGINS, Clocks, MatchOpened, Origin
from domain.rulesets import RULESETS, Ruleset, as_recorded
from domain.seats import SEATS
from replays.notation.lexing import Cursor, Token
from replays.notation.texts import filled, instant, quoted, read_instant

FORMAT: Final = "1"
"""The version of this notation."""

AS_GIVEN: Final = "as_given"

TAGS: Final = (
    "Gongzhu", "Match", "Ruleset", "FirstLead", "RulesetValue", "Hands", "Origin", "Opened", "OpenedBy", "Clocks",
    "Abandonment", "Anchor", "ChainLength", "Player0", "Player1", "Player2", "Player3",
)  # fmt: skip
"""The tags that say how a match was opened and who sat down last at each seat, in canonical order."""

_KNOWN: Final = {tag.lower(): tag for tag in TAGS}
_RULESET: Final = re.compile(r"\s*(\S(?:.*\S)?)\s+revision\s+(-?[0-9]{1,18})\s*", re.DOTALL)
_INSTANT: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}){2}[Tt][0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]{1,6})?[Zz]")
_CLOCK: Final = re.compile(r"\s*(\w+)\s+(-?[0-9]{1,18})\s*")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")

T = TypeVar("T")


class Tag(NamedTuple):
    """A tag the notation has no meaning for; kept as it is."""

    name: str
    value: str


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the tags say: the match's opening, who sat down last at each seat, and the tags of others."""

    opened: MatchOpened
    sitters: tuple[UUID | None, ...]
    tags: tuple[Tag, ...] = ()


# --- writing ----------------------------------------------------------------------------------------------------


def header_lines(header: Header) -> Iterator[str]:
    """The lines of the tags, in canonical order."""
    known = dict(_known_tags(header))
    written = [(name, known[name]) for name in TAGS if name in known]
    for name, value in [*written, *header.tags]:
        pieces = quoted(value)
        pieces[-1] += "]"
        yield from filled([f"[{name}", *pieces])


def _known_tags(header: Header) -> Iterator[tuple[str, str]]:
    opened = header.opened
    yield "Gongzhu", FORMAT
    yield "Match", str(opened.match)
    yield from _ruleset_tags(opened.ruleset)
    if opened.hands_agreed is not None:
        yield "Hands", str(opened.hands_agreed)
    yield "Origin", opened.origin
    yield "Opened", instant(opened.at)
    if opened.opened_by is not None:
        yield "OpenedBy", str(opened.opened_by)
    yield "Clocks", ", ".join(f"{name[:-2]} {value}" for name, value in _clocks(opened.clocks))
    yield "Abandonment", opened.abandonment
    if opened.anchor is not None:
        yield "Anchor", opened.anchor
    if opened.chain_length is not None:
        yield "ChainLength", str(opened.chain_length)
    for seat, sitter in enumerate(header.sitters):
        if sitter is not None:
            yield f"Player{seat}", str(sitter)


def _clocks(clocks: Clocks) -> Iterable[tuple[str, int]]:
    values: dict[str, int] = msgspec.structs.asdict(clocks)
    return values.items()


def _ruleset_tags(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Name and revision; and the whole value unless it is the newest one known of this name."""
    yield "Ruleset", f"{ruleset.name} revision {ruleset.revision}"
    newest = RULESETS.get(ruleset.name)
    if newest is not None and ruleset == as_recorded(newest):
        yield "FirstLead", AS_GIVEN
    elif ruleset != newest:
        yield "RulesetValue", msgspec.json.encode(ruleset).decode()


# --- reading ----------------------------------------------------------------------------------------------------


class _Tags:
    """The known tags of a text with their places. Reading a value raises `NotationError` at its place."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.values: dict[str, tuple[str, Token]] = {}
        self.others: list[Tag] = []

    def read(self) -> None:
        """Goes past one tag."""
        cursor = self.cursor
        cursor.expect("[")
        name = cursor.next
        if name.kind not in ("word", "card", "factor") or not name.text.isidentifier():
            raise cursor.error("the name of a tag")
        cursor.take()
        value = cursor.string(f"the value of {name.text}, in quotes")
        cursor.expect("]")
        known = _KNOWN.get(name.text.lower())
        if known is None:
            self.others.append(Tag(name.text, value))
        elif known in self.values:
            raise cursor.wrong(f"expected one tag {known}, found a second", name)
        else:
            self.values[known] = (value, name)

    def get(self, name: str, reader: Callable[[str], T], wanted: str) -> T | None:
        """The value of a tag, None where it is missing."""
        if name not in self.values:
            return None
        value, token = self.values[name]
        try:
            return reader(value)
        except (ValueError, msgspec.MsgspecError, RecursionError) as wrong:
            raise self.cursor.wrong(
                f"expected {wanted} in [{name}], found other text ({wrong})", token
            ) from None

    def need(self, name: str, reader: Callable[[str], T], wanted: str) -> T:
        """The value of a tag that must be there."""
        value = self.get(name, reader, wanted)
        if value is None:
            raise self.cursor.error(f"a tag [{name} …] at the top")
        return value


def read_header(cursor: Cursor) -> tuple[Header, int]:
    """What the tags at the top say, and how many comments stand before the last of them. Raises `NotationError`."""
    tags = _Tags(cursor)
    comments_before = 0
    while cursor.sees("["):
        comments_before = len(cursor.comments)
        tags.read()
    if tags.get("Gongzhu", str.strip, "a version") not in (None, FORMAT):
        token = tags.values["Gongzhu"][1]
        raise cursor.wrong(f'expected notation of version "{FORMAT}", found a later one', token)
    opened = MatchOpened(
        match=tags.need("Match", UUID, "a match id"),
        version=1,
        at=tags.need("Opened", _moment, "a time such as 2026-03-01T09:00:00Z"),
        ruleset=_read_ruleset(tags),
        hands_agreed=tags.get("Hands", _number, "a number"),
        clocks=tags.get("Clocks", _read_clocks, "clocks such as `seat 30, play 20`") or Clocks(),
        abandonment=tags.get("Abandonment", _abandonment, "play_on or abandon") or "play_on",
        origin=tags.need("Origin", _origin, " or ".join(ORIGINS)),
        anchor=tags.get("Anchor", str, "an anchor"),
        chain_length=tags.get("ChainLength", _number, "a number"),
        opened_by=tags.get("OpenedBy", UUID, "an id"),
    )
    sitters = tuple(tags.get(f"Player{seat}", UUID, "a player's id") for seat in SEATS)
    return Header(opened=opened, sitters=sitters, tags=tuple(tags.others)), comments_before


def _read_ruleset(tags: _Tags) -> Ruleset:
    name, revision = tags.need("Ruleset", _named, "a ruleset such as `blood-1 revision 1`")
    value = tags.get("RulesetValue", _ruleset_value, "a ruleset as JSON")
    as_given = tags.get("FirstLead", _as_given, AS_GIVEN)
    token = tags.values["Ruleset"][1]
    if value is None:
        newest = RULESETS.get(name)
        if newest is None or newest.revision != revision:
            text = f"expected a ruleset of a revision known here, or its [RulesetValue …], found {name[:40]} {revision}"
            raise tags.cursor.wrong(text, token)
        return as_recorded(newest) if as_given else newest
    if (value.name, value.revision) != (name, revision):
        raise tags.cursor.wrong(f"expected the ruleset of [RulesetValue …], {value.name[:40]}", token)
    return as_recorded(value) if as_given else value


def _named(text: str) -> tuple[str, int]:
    found = _RULESET.fullmatch(text)
    if found is None:
        raise ValueError("it does not end with `revision` and a number")
    return found[1], int(found[2])


def _ruleset_value(text: str) -> Ruleset:
    ruleset = msgspec.json.decode(text, type=Ruleset)
    if ruleset.decks not in (1, 2):
        raise ValueError("matches have one deck or two")
    return ruleset


def _as_given(text: str) -> bool:
    return _choice(text, (AS_GIVEN,)) == AS_GIVEN


def _moment(text: str) -> datetime:
    if not _INSTANT.fullmatch(text.strip()):
        raise ValueError("it is no UTC time")
    return read_instant(text.strip())


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError("it is no number")
    return int(text)


def _origin(text: str) -> Origin:
    return next(origin for origin in ORIGINS if origin == _choice(text, ORIGINS))


def _abandonment(text: str) -> Literal["play_on", "abandon"]:
    return "abandon" if _choice(text, ("play_on", "abandon")) == "abandon" else "play_on"


def _choice(text: str, choices: Sequence[str]) -> str:
    chosen = text.strip().lower()
    if chosen not in choices:
        raise ValueError("it is none of them")
    return chosen


def _read_clocks(text: str) -> Clocks:
    values: dict[str, Any] = {}
    for part in text.lower().split(","):
        found = _CLOCK.fullmatch(part)
        if found is None or f"{found[1]}_s" not in Clocks.__struct_fields__ or f"{found[1]}_s" in values:
            raise ValueError("each clock is a name and seconds")
        values[f"{found[1]}_s"] = int(found[2])
    return Clocks(**values)
