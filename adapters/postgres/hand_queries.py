"""Searches of hands as SQL: the conditions that are given, in an order that an index has.

A player's hands are found by his seats in them (`hand_seats`), those of several players by who sat in a hand, and hands
of anyone by themselves. `{schema}` stands for that of the generation to be read.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from adapters.hand_search import HandSearch


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


def query_of(search: HandSearch, columns: str, place: Place | None, limit: int) -> Query:
    """The statement of a search, from a place on. `columns` may name those of `hands` as `h.…`."""
    order = _ORDERS[search.order]
    if search.player is None:
        where = _of_anyone(search)
        return _selected(columns, "h", order, f"h.{order.of_hands}", where, place, limit)
    if search.partner is None and not search.opponent:
        return _of_player(search, columns, order, place, limit)
    where = _in_company(search)
    key = f"s.{order.of_seats}" if order.of_seats == "raw_score" else f"h.{order.of_hands}"
    return _selected(columns, f"h {_SEATS}", order, key, where, place, limit)


def as_number(key: datetime | int) -> int:
    """A sort key as a whole number."""
    return (key - _EPOCH) // timedelta(microseconds=1) if isinstance(key, datetime) else key


class _Conditions:
    """Conditions whose values are given, with these values in order."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.values: list[Any] = []

    def add(self, text: str, value: Any) -> None:
        """Adds a condition on one value, unless that is None."""
        if value is not None:
            self._texts.append(text)
            self.values.append(value)

    def add_place(self, order: _Order, key: str, position: str, place: Place | None) -> None:
        """Only what comes after this place."""
        if place is not None:
            in_time = key.endswith("ended_at")
            value = _EPOCH + timedelta(microseconds=place.key) if in_time else place.key
            self._texts.append(f"({key}, {position}) {'<' if order.down else '>'} (%s, %s)")
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
            self._texts.append(f"EXISTS (SELECT FROM {{schema}}.hand_seats AS o {of_hand})")
            self.values += seat.values

    def __str__(self) -> str:
        return f"WHERE {' AND '.join(self._texts)}" if self._texts else ""


def _selected(
    columns: str, hands: str, order: _Order, key: str, where: _Conditions, place: Place | None, limit: int
) -> Query:
    where.add_place(order, key, "h.position", place)
    text = (
        f"SELECT {key}, h.position, {columns} FROM {{schema}}.hands AS {hands} {where}"  # noqa: S608
        f" ORDER BY {order.along(key, 'h.position')} LIMIT %s"
    )
    return Query(text, [*where.values, limit])


def _of_anyone(search: HandSearch) -> _Conditions:
    where = _shared(search, "h")
    where.add("h.specials @> %s::text[]", list(search.special) or None)
    where.add("h.highest >= %s", search.score_min)
    where.add("h.lowest <= %s", search.score_max)
    if search.score_min is not None and search.score_max is not None:
        where.add_any_seat("raw_score", search.score_min, search.score_max)
    where.add_any_seat("points", search.points_min, search.points_max)
    return where


def _of_player(search: HandSearch, columns: str, order: _Order, place: Place | None, limit: int) -> Query:
    """The page is found among his seats; only its hands are looked up."""
    key = f"s.{order.of_seats}"
    where = _shared(search, "s")
    _add_own(where, search)
    where.add_place(order, key, "s.position", place)
    found = (
        f"SELECT s.match, s.hand_no, {key} AS key FROM {{schema}}.hand_seats AS s {where}"  # noqa: S608
        f" ORDER BY {order.along(key, 's.position')} LIMIT %s"
    )
    text = (
        f"SELECT key, h.position, {columns} FROM ({found}) AS found"  # noqa: S608
        f" JOIN {{schema}}.hands AS h USING (match, hand_no) ORDER BY {order.along('key', 'h.position')}"
    )
    return Query(text, [*where.values, limit])


def _in_company(search: HandSearch) -> _Conditions:
    """All of them sit in the hand, and each where he was asked for: across the table where partners play, or not."""
    where = _shared(search, "h")
    _add_own(where, search)
    company = [search.player, *([search.partner] if search.partner else []), *search.opponent]
    where.add("h.players @> %s::uuid[]", company)
    where.add(_ACROSS, search.partner)
    for opponent in search.opponent:
        where.add(f"NOT ({_ACROSS})", opponent)
    return where


def _add_own(where: _Conditions, search: HandSearch) -> None:
    """What must hold of the player's own seat."""
    where.add("s.player = %s", search.player)
    where.add("s.specials @> %s::text[]", list(search.special) or None)
    where.add_bounds("s.raw_score", search.score_min, search.score_max)
    where.add_bounds("s.points", search.points_min, search.points_max)


_SEATS: Final = "JOIN {schema}.hand_seats AS s ON s.match = h.match AND s.hand_no = h.hand_no"
_ACROSS: Final = "s.partners AND h.players[1 + (s.seat + 2) %% 4] = %s"


def _shared(search: HandSearch, table: str) -> _Conditions:
    """The conditions on what hands and seats have alike."""
    where = _Conditions()
    where.add(f"{table}.ruleset = %s", search.ruleset)
    where.add(f"{table}.origin = %s", search.origin)
    where.add(f"{table}.ended_at >= %s", search.since)
    where.add(f"{table}.ended_at < %s", search.until)
    where.add_bounds(f"{table}.swing", search.swing_min, search.swing_max)
    return where
