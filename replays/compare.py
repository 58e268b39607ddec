"""Two recordings of a match, event by event, and the first difference in words.

Nothing is left out of the comparison but what the caller names, and the comparison says what that was: `times` (when
things happened, think times), `ids` (of the match and its players; who is the same as whom still counts), `proofs`
(anchor, commitments, nonces, seeds and openings; whether there are any still counts).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from domain.events import CardsPlayed, Event, public_form
from replays.captions import caption
from replays.findings import differences
from replays.places import place_of

Aspect = Literal["times", "ids", "proofs"]
ASPECTS: Final[tuple[Aspect, ...]] = ("times", "ids", "proofs")

TIMES: Final = ("at", "think_ms")
IDS: Final = ("match", "player", "players", "opened_by")
PROOFS: Final = ("anchor", "commitment", "nonce", "seed", "opening")

_LAST: Final = ("schema", "version", "match", "at", "think_ms")
"""Fields that say least: they are named only where nothing else differs in an event."""

_LONGEST: Final = 24


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first difference: the step (from 1), the field's path in the public form, its two values, and a sentence.

    `field` is None where one recording has ended, `type` where other things happened.
    """

    step: int
    field: str | None
    one: Any
    other: Any
    text: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What came out: how many steps either recording has, what was not compared, and the first difference if any."""

    steps_of_one: int
    steps_of_other: int
    ignored: tuple[Aspect, ...]
    difference: Difference | None

    @property
    def same(self) -> bool:
        """Whether nothing that was compared differs."""
        return self.difference is None

    def describe(self) -> str:
        """One sentence, which also says what was not compared."""
        left_out = f"; not compared: {', '.join(self.ignored)}" if self.ignored else ""
        if self.difference is None:
            return f"no difference in {self.steps_of_one} steps{left_out}"
        return self.difference.text + left_out


def compare(one: Sequence[Event], other: Sequence[Event], ignore: Collection[Aspect] = ()) -> Comparison:
    """The first difference between two recordings, in the order things happened. Secrets are not looked at."""
    ignored = tuple(aspect for aspect in ASPECTS if aspect in ignore)
    return Comparison(
        steps_of_one=len(one),
        steps_of_other=len(other),
        ignored=ignored,
        difference=next(_differences(one, other, ignored), None),
    )


def _differences(
    one: Sequence[Event], other: Sequence[Event], ignored: Collection[Aspect]
) -> Iterator[Difference]:
    blind_one, blind_other = _Blinded(ignored), _Blinded(ignored)
    for step, (first, second) in enumerate(zip_longest(one, other), start=1):
        if first is None or second is None:
            yield _one_ends(step, first, second)
        elif type(first) is not type(second):
            yield _other_things(step, first, second)
        elif found := _first_field(blind_one.plain(first), blind_other.plain(second)):
            yield _in_field(step, first, second, found)


class _Blinded:
    """One recording as plain data, blind to what is not compared."""

    def __init__(self, ignored: Collection[Aspect]) -> None:
        self._ignored = ignored
        self._ids: dict[str, str] = {}

    def plain(self, event: Event) -> dict[str, Any]:
        """The public form of an event as plain data."""
        plain: dict[str, Any] = msgspec.to_builtins(public_form(event))
        return {name: self._seen(name, value) for name, value in plain.items()} if self._ignored else plain

    def _seen(self, name: str, value: Any) -> Any:
        """A field's value as far as it is compared."""
        if "times" in self._ignored and name in TIMES:
            return None
        if "ids" in self._ignored and name in IDS:
            return self._numbered(value)
        if "proofs" in self._ignored and name in PROOFS:
            return value is not None
        if isinstance(value, Mapping):
            return {inner: self._seen(inner, of_it) for inner, of_it in value.items()}
        if isinstance(value, list | tuple):
            return [self._seen("", part) for part in value]
        return value

    def _numbered(self, value: Any) -> Any:
        """Ids in the order in which a recording first names them."""
        if isinstance(value, list | tuple):
            return [self._numbered(part) for part in value]
        return None if value is None else self._ids.setdefault(value, f"id {len(self._ids) + 1}")


def _first_field(one: dict[str, Any], other: dict[str, Any]) -> tuple[str, Any, Any] | None:
    """Path and values of the most telling field that differs."""
    found = list(differences(one, other))
    return min(found, key=lambda field: field[0] in _LAST, default=None)


# --- in words ------------------------------------------------------------------------------------------------------


def _one_ends(step: int, first: Event | None, second: Event | None) -> Difference:
    ending, going_on, event = (
        ("the one", "the other", second) if first is None else ("the other", "the one", first)
    )
    assert event is not None, "the longer one goes on"
    return Difference(
        step=step,
        field=None,
        one=None if first is None else type(first).__name__,
        other=None if second is None else type(second).__name__,
        text=f"{ending} ends before step {step}; {going_on} goes on: {caption(event).text}",
    )


def _other_things(step: int, first: Event, second: Event) -> Difference:
    return Difference(
        step=step,
        field="type",
        one=type(first).__name__,
        other=type(second).__name__,
        text=f"{_where(step, first)}: in the one {caption(first).text}, in the other {caption(second).text}",
    )


def _in_field(step: int, first: Event, second: Event, found: tuple[str, Any, Any]) -> Difference:
    field, one, other = found
    return Difference(
        step=step,
        field=field,
        one=one,
        other=other,
        text=f"{_where(step, first)}: {_what(first, second, field, one, other)}",
    )


def _where(step: int, event: Event) -> str:
    """The place in the game: `hand 2, trick 5 (step 87)`."""
    place = place_of(event)
    parts = [
        f"hand {place.hand_no}" if place.hand_no is not None else "",
        f"trick {place.trick_no}" if place.trick_no is not None else "",
    ]
    game = ", ".join(part for part in parts if part)
    return f"{game} (step {step})" if game else f"step {step}"


def _what(first: Event, second: Event, field: str, one: Any, other: Any) -> str:
    seat = getattr(first, "seat", None)
    if field == "seat":
        return f"in the one {caption(first).text}, in the other {caption(second).text}"
    if field.startswith("cards") and isinstance(first, CardsPlayed) and isinstance(second, CardsPlayed):
        return f"seat {seat} played {' '.join(first.cards)} in the one, {' '.join(second.cards)} in the other"
    whose = f"seat {seat}, " if seat is not None else ""
    return f"{whose}{_named(field)}: {_shown(one)} in the one, {_shown(other)} in the other"


_INDEXED: Final = {
    r"raw_scores\[(\d)\]": "raw score of seat {0}",
    r"(blood|points|match_points)\[(\d)\]": "{0} of seat {1}",
    r"players\[(\d)\]": "player of seat {0}",
    r"accounts\[(\d)\]\.?(.*)": "account of seat {0}, {1}",
    r"deal\.hands\[(\d)\]\[(\d+)\]": "card {1} dealt to seat {0} (from 0)",
    r"cards\[(\d+)\]": "card {0} (from 0)",
    r"declarations\[(\d+)\]\.(.*)": "declaration {0} (from 0), {1}",
    r"openings\[(\d+)\]\.(.*)": "opening {0} (from 0), {1}",
}
_WORDS: Final = {
    "at": "time",
    "by": "by whom",
    "think_ms": "think time in ms",
    "hand_no": "number of the hand",
}


def _named(field: str) -> str:
    """A path as a person would say it."""
    for pattern, words in _INDEXED.items():
        if found := re.fullmatch(pattern, field):
            return words.format(*found.groups()).replace("_", " ")
    return _WORDS.get(field, field.replace("_", " ").replace(".", ", "))


def _shown(value: Any) -> str:
    """A value, cut so that a sentence stays one."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = (" ".join(map(str, value)) or "none") if isinstance(value, list | tuple) else str(value)
    if len(text) > _LONGEST and not _is_id(text):
        text = text[:_LONGEST] + "…"
    return text


def _is_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
