"""Searches of hands as SQL: the conditions that are given, in an order that an index has.

Where much is like what is searched for, the quickest way is to walk along the order until a page is full; where little
is, to gather it all by what makes it rare. Which of the two holds nobody knows beforehand (how scores, rulesets and
special events go together, no statistics say), so a search first walks a bounded way and gathers if that was in vain.
A player's own hands are few enough to be left to the planner. `{schema}` stands for that of the generation to be read.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from adapters.hand_search import HandSearch

WALKED: Final = 10_000
"""How many hands are looked at along the order before the rest is gathered."""
WALKED_TOGETHER: Final = 500
"""The same where each hand has to be looked up for who else sat there."""


class Place(NamedTuple):
    """Where a page ended: the sort key (of a time the microseconds since 1970) and the position of its last hand."""

    key: int
    position: int


class Query(NamedTuple):
    """A statement that gives sort key, position and the columns asked for of each hand, and its values in order."""

    text: str
    values: list[Any]


class _Order(NamedTuple):
    """An order: its column among hands and among a player's seats, and whether it goes down."""

    of_hands: str
    of_seats: str
    down: bool = True

    def along(self, key: str, position: str) -> str:
        """Both columns the same way, as an index has them; among equal low scores the oldest hand comes first."""
        direction = " DESC" if self.down else ""
        return f"{key}{direction}, {position}{direction}"


_ORDERS: Final = {
    "newest": _Order("ended_at", "ended_at"),
    "swing": _Order("swing", "swing"),
    "highest": _Order("highest", "raw_score"),
    "lowest": _Order("lowest", "raw_score", down=False),
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def queries_of(search: HandSearch, columns: str, place: Place | None, limit: int) -> Iterator[Query]:
    """The statements of a search, from a place on: the first that fills the page, or else the last, tells the truth.

    `columns` may name those of `hands` as `h.…`.
    """
    order = _ORDERS[search.order]
    asked = _Asked(search, columns, order, place, limit)
    if search.player is None:
        yield _walked(asked)
        yield _gathered(asked, f"h.{order.of_hands}", _all_of_hand(search))
    elif search.partner is None and not search.opponent:
        yield _of_player(asked)
    else:
        yield _of_player(asked, together=True)
        own = f"h.raw_scores[{_place_of(search)}]"
        key = own if order.of_seats == "raw_score" else f"h.{order.of_hands}"
        yield _gathered(asked, key, _in_company(search))


def as_number(key: datetime | int) -> int:
    """A sort key as a whole number."""
    return (key - _EPOCH) // timedelta(microseconds=1) if isinstance(key, datetime) else key


class _Asked(NamedTuple):
    """A search with its order, the columns wanted, and where and how long the page is."""

    search: HandSearch
    columns: str
    order: _Order
    place: Place | None
    limit: int


class _Conditions:
    """Conditions whose values are given, with these values in order."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = []

    def add(self, text: str, value: Any) -> None:
        """Adds a condition on one value, unless that is None."""
        if value is not None:
            self.texts.append(text)
            self.values.append(value)

    def add_all(self, others: "_Conditions") -> None:
        """Adds those of others."""
        self.texts += others.texts
        self.values += others.values

    def add_place(self, order: _Order, key: str, position: str, place: Place | None) -> None:
        """Only what comes after this place."""
        if place is not None:
            in_time = key.endswith("ended_at")
            value = _EPOCH + timedelta(microseconds=place.key) if in_time else place.key
            self.texts.append(f"({key}, {position}) {'<' if order.down else '>'} (%s, %s)")
            self.values += [value, place.position]

    def add_bounds(self, column: str, least: int | None, most: int | None) -> None:
        """The column lies within these bounds."""
        self.add(f"{column} >= %s", least)
        self.add(f"{column} <= %s", most)

    def add_any_seat(self, column: str, least: int | None, most: int | None) -> None:
        """Some one seat of hand `h` has a value within these bounds."""
        seat = _Conditions()
        seat.add_bounds(f"o.{column}", least, most)
        if seat.values:
            of_hand = f"{seat} AND o.match = h.match AND o.hand_no = h.hand_no"
            self.texts.append(f"EXISTS (SELECT FROM {{schema}}.hand_seats AS o {of_hand})")
            self.values += seat.values

    def __str__(self) -> str:
        return f"WHERE {' AND '.join(self.texts)}" if self.texts else ""


def _walked(asked: _Asked) -> Query:
    """Hands of anyone: so many along the order, of which those that are like what is searched for."""
    order, search = asked.order, asked.search
    key = f"h.{order.of_hands}"
    along = _Conditions()
    along.add("h.ruleset = %s", search.ruleset)
    _add_bounds_of_order(along, search)
    along.add_place(order, key, "h.position", asked.place)
    like = _like(search)
    like.add("h.origin = %s", search.origin)
    like.add("h.specials @> %s::text[]", list(search.special) or None)
    ordered = order.along(key, "h.position")
    walk = f"SELECT h.* FROM {{schema}}.hands AS h {along} ORDER BY {ordered} LIMIT {WALKED}"  # noqa: S608
    text = f"SELECT {key}, h.position, {asked.columns} FROM ({walk}) AS h {like} ORDER BY {ordered} LIMIT %s"  # noqa: S608
    return Query(text, [*along.values, *like.values, asked.limit])


def _add_bounds_of_order(along: _Conditions, search: HandSearch) -> None:
    """The bounds of the column that a list is ordered by, so that the walk begins and ends there."""
    if search.order == "newest":
        along.add("h.ended_at >= %s", search.since)
        along.add("h.ended_at < %s", search.until)
    elif search.order == "swing":
        along.add_bounds("h.swing", search.swing_min, search.swing_max)
    elif search.order == "highest":
        along.add("h.highest >= %s", search.score_min)
    else:
        along.add("h.lowest <= %s", search.score_max)


def _gathered(asked: _Asked, key: str, where: _Conditions) -> Query:
    """All hands that are like that, gathered by whatever is rarest, and of these the page."""
    order = asked.order
    where.add_place(order, key, "h.position", asked.place)
    found = f"SELECT h.match, h.hand_no, {key} AS key, h.position FROM {{schema}}.hands AS h {where}"  # noqa: S608
    page = f"SELECT * FROM found ORDER BY {order.along('key', 'position')} LIMIT %s"  # noqa: S608
    text = (
        f"WITH found AS MATERIALIZED ({found}) SELECT key, h.position, {asked.columns} FROM ({page}) AS page"  # noqa: S608
        f" JOIN {{schema}}.hands AS h USING (match, hand_no) ORDER BY {order.along('key', 'h.position')}"
    )
    return Query(text, [*where.values, asked.limit])


def _of_player(asked: _Asked, *, together: bool = False) -> Query:
    """A player's hands by his seats in them; only the page's are looked up, or `together` so many along the order."""
    order, search = asked.order, asked.search
    key = f"s.{order.of_seats}"
    where = _shared(search, "s")
    _add_own(where, search)
    where.add_place(order, key, "s.position", asked.place)
    company = _company(search, _ACROSS_SEAT) if together else _Conditions()
    ordered = order.along(key, "s.position")
    found = f"SELECT s.*, {key} AS key FROM {{schema}}.hand_seats AS s {where} ORDER BY {ordered} LIMIT %s"  # noqa: S608
    text = (
        f"SELECT s.key, h.position, {asked.columns} FROM ({found}) AS s"  # noqa: S608
        " JOIN {schema}.hands AS h ON h.match = s.match AND h.hand_no = s.hand_no"
        f" {company} ORDER BY {order.along('s.key', 's.position')} LIMIT %s"
    )
    walked = WALKED_TOGETHER if together else asked.limit
    return Query(text, [*where.values, walked, *company.values, asked.limit])


def _all_of_hand(search: HandSearch) -> _Conditions:
    """Everything that is searched for, of hands of anyone."""
    where = _like(search)
    where.add("h.ruleset = %s", search.ruleset)
    where.add("h.origin = %s", search.origin)
    if search.special:
        # Special events and ruleset have an index together.
        words = [*search.special, *([search.ruleset] if search.ruleset else [])]
        where.add("(h.specials || ARRAY[h.ruleset]) @> %s::text[]", words)
    return where


def _like(search: HandSearch) -> _Conditions:
    """What a hand's time and numbers are."""
    where = _Conditions()
    where.add("h.ended_at >= %s", search.since)
    where.add("h.ended_at < %s", search.until)
    where.add_bounds("h.swing", search.swing_min, search.swing_max)
    where.add("h.highest >= %s", search.score_min)
    where.add("h.lowest <= %s", search.score_max)
    if search.score_min is not None and search.score_max is not None:
        where.add_any_seat("raw_score", search.score_min, search.score_max)
    where.add_any_seat("points", search.points_min, search.points_max)
    return where


def _in_company(search: HandSearch) -> _Conditions:
    """Everything that is searched for, of the hands in which several players sat; told by the hands alone."""
    own = _place_of(search)
    where = _company(search, f"h.partners AND h.players[1 + ({own} + 1) %% 4] = %s")
    where.add_all(_shared(search, "h"))
    where.add_bounds(f"h.raw_scores[{own}]", search.score_min, search.score_max)
    where.add_bounds(f"h.points[{own}]", search.points_min, search.points_max)
    where.add(
        "h.players @> %s::uuid[]",
        [search.player, *([search.partner] if search.partner else []), *search.opponent],
    )
    seat = f"o.match = h.match AND o.hand_no = h.hand_no AND o.player = '{search.player}'::uuid"
    where.add(
        f"EXISTS (SELECT FROM {{schema}}.hand_seats AS o WHERE {seat} AND o.specials @> %s::text[])",
        list(search.special) or None,
    )
    return where


def _place_of(search: HandSearch) -> str:
    """Where the player stands in a hand's lists by seat, from 1. A UUID is no text that could hold anything else."""
    return f"array_position(h.players, '{search.player}'::uuid)"


def _company(search: HandSearch, across: str) -> _Conditions:
    """Each sits where he was asked for: across the table where partners play, or not there."""
    where = _Conditions()
    where.add(across, search.partner)
    for opponent in search.opponent:
        where.add("%s = ANY (h.players)", opponent)
        where.add(f"NOT ({across})", opponent)
    return where


def _add_own(where: _Conditions, search: HandSearch) -> None:
    """What must hold of the player's own seat."""
    where.add("s.player = %s", search.player)
    where.add("s.specials @> %s::text[]", list(search.special) or None)
    where.add_bounds("s.raw_score", search.score_min, search.score_max)
    where.add_bounds("s.points", search.points_min, search.points_max)


def _shared(search: HandSearch, table: str) -> _Conditions:
    """The conditions on what hands and seats have alike."""
    where = _Conditions()
    where.add(f"{table}.ruleset = %s", search.ruleset)
    where.add(f"{table}.origin = %s", search.origin)
    where.add(f"{table}.ended_at >= %s", search.since)
    where.add(f"{table}.ended_at < %s", search.until)
    where.add_bounds(f"{table}.swing", search.swing_min, search.swing_max)
    return where


_ACROSS_SEAT: Final = "s.partners AND h.players[1 + (s.seat + 2) %% 4] = %s"
