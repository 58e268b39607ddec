"""What hands can be searched by: one value with one text, the same for the command line, the API and the page.

The text is a URL's query (`player=…&special=slam&order=swing`), so that a search can be kept as a link. Everything in
it must hold of a hand; what is said of a player must hold of that player.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

import msgspec
from msgspec import Meta

from adapters.errors import AdapterError
from domain.events import Origin
from domain.rulesets import RULESETS
from projections.hand_replays.specials import SPECIALS, Special
from projections.periods import begin_of, end_of

Order = Literal["newest", "swing", "highest", "lowest"]
Score = Annotated[int, Meta(ge=-1_000_000_000, le=1_000_000_000)]
Moment = Annotated[str, Meta(max_length=40)]

SEVERAL: Final = ("opponent", "special")
"""What may be given more than once; all of them must hold then."""
_PERIOD: Final = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_YEARS: Final = range(1970, 9999)
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "special": SPECIALS,
    "origin": get_args(Origin),
    "order": get_args(Order),
}
_PLACE: Final = re.compile(r"-?\d{1,18}:\d{1,18}")
_WHEN: Final = "write a year, a month or a day (2026, 2026-11, 2026-11-30) or a time (2026-11-30T20:00:00Z)"


class SearchRefused(AdapterError):
    """A search that means nothing; `parameter` names what is wrong with it."""

    def __init__(self, parameter: str, what: str) -> None:
        self.parameter = parameter
        super().__init__(f"{parameter}: {what}")


class HandSearch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which finished hands, and in which order.

    `partner` and `opponent` (up to three) sat with, or against, `player`. `score_*` bound the raw score and `points_*`
    the points of the player, or of any one seat where no player is given; `swing_*` what the highest raw score is
    above the lowest. `special`: of the player, or of any seat. `from` and `to` (in UTC, both included where they are
    days) bound when the hand ended. `order`: newest first; biggest swing; highest or lowest raw score (the player's).
    """

    player: UUID | None = None
    partner: UUID | None = None
    opponent: Annotated[tuple[UUID, ...], Meta(max_length=3)] = ()
    ruleset: str | None = None
    origin: Origin | None = None
    from_: Moment | None = msgspec.field(default=None, name="from")
    to: Moment | None = None
    special: Annotated[tuple[Special, ...], Meta(max_length=7)] = ()
    score_min: Score | None = None
    score_max: Score | None = None
    points_min: Score | None = None
    points_max: Score | None = None
    swing_min: Score | None = None
    swing_max: Score | None = None
    order: Order = "newest"

    @property
    def since(self) -> datetime | None:
        """The first moment that counts."""
        return None if self.from_ is None else _moment("from", self.from_)

    @property
    def until(self) -> datetime | None:
        """The first moment that does not count any more."""
        return None if self.to is None else _moment("to", self.to)

    @property
    def query(self) -> str:
        """The search as the query of a URL, the same for the same search; empty where everything is wanted."""
        given: dict[str, Any] = msgspec.to_builtins(self)
        return urlencode(given, doseq=True)


FILTERS: Final = tuple(field.encode_name for field in msgspec.structs.fields(HandSearch))
"""The names of all parameters of a search."""


def search_of(query: str) -> HandSearch:
    """The search that a query (with or without what stands before its `?`) means. Raises `SearchRefused`."""
    text = query.partition("?")[2] if "?" in query else query
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=100)
    except ValueError:
        raise SearchRefused("search", f"{text[:80]!r} is no query; write player=…&special=slam") from None
    return search_of_pairs(pairs)


def search_of_pairs(pairs: Iterable[tuple[str, str]]) -> HandSearch:
    """The search that these parameters mean; empty ones are left out. Raises `SearchRefused`."""
    given: dict[str, Any] = {}
    for name, value in pairs:
        if name not in FILTERS:
            raise SearchRefused(name[:40], f"there is no such filter; known are {', '.join(FILTERS)}")
        if name in SEVERAL:
            given.setdefault(name, [])
            given[name] += [value] if value else []
        elif name in given:
            raise SearchRefused(name, "it is given twice")
        elif value:
            given[name] = value
    return checked(_converted(given))


def checked(search: HandSearch) -> HandSearch:
    """The same search, if it means something. Raises `SearchRefused`."""
    if search.ruleset is not None and search.ruleset not in RULESETS:
        known = ", ".join(RULESETS)
        raise SearchRefused("ruleset", f"there is no {search.ruleset[:40]!r}; choose one of {known}")
    _check_company(search)
    for name in ("score", "points", "swing"):
        least, most = getattr(search, f"{name}_min"), getattr(search, f"{name}_max")
        if least is not None and most is not None and least > most:
            raise SearchRefused(f"{name}_max", f"{most} is less than {name}_min, {least}")
    since, until = search.since, search.until
    if since is not None and until is not None and since >= until:
        raise SearchRefused("to", f"{search.to} is before {search.from_}")
    return search


def _check_company(search: HandSearch) -> None:
    for name in ("partner", "opponent"):
        if getattr(search, name) and search.player is None:
            raise SearchRefused(name, "it is another's at the table of `player`; give that too")
    if search.player is not None and search.player in (search.partner, *search.opponent):
        raise SearchRefused("player", "a player is not his own partner or opponent")


def checked_place(before: str) -> tuple[int, int]:
    """The key and the position after which a list goes on, from its `next`. Raises `SearchRefused`."""
    if not _PLACE.fullmatch(before):
        raise SearchRefused("before", "give `next` of the page before as it is")
    key, _, position = before.partition(":")
    return int(key), int(position)


def _converted(given: dict[str, Any]) -> HandSearch:
    try:
        return msgspec.convert(given, HandSearch, strict=False)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        name = path.strip(".`").partition("[")[0]
        known = f"; choose one of {', '.join(_WORDS[name])}" if name in _WORDS else ""
        raise SearchRefused(name or "search", f"{what[:1].lower()}{what[1:]}{known}") from None


def _moment(name: str, text: str) -> datetime:
    """A period's first moment, the one after its last where it bounds the end, or the moment that is written."""
    try:
        if _PERIOD.fullmatch(text):
            found = begin_of(text) if name == "from" else end_of(text)
        else:
            found = msgspec.convert(text, datetime)
    except (ValueError, OverflowError, msgspec.ValidationError):
        found = None
    if found is None or found.year not in _YEARS:
        raise SearchRefused(name, f"{text!r} is no time; {_WHEN}")
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found
