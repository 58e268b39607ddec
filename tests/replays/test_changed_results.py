"""No recorded result can be changed without an audit's noticing, and no change makes a replay fall over."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from domain.events import EVENT_TYPES, Event, HandEnded, MatchSettled, TrickTaken
from domain.rulesets import RULESETS
from replays.audit import audit
from replays.timeline import Timeline
from tests.replays.matches import public, recorded_match

TYPES = {event_type.__name__: event_type for event_type in EVENT_TYPES}
NOT_DERIVED = ("seed",)
"""That a seed is the chain's, and the deal the seed's, is another check."""

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all single values."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, (*path, key))
    else:
        yield path


def changed(event: Event, path: Path, random: Random) -> Event | None:
    """The event with another value at this path, None where its type has room for no other."""
    told = msgspec.to_builtins(event)
    place = told
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = _other(place[path[-1]], random)
    try:
        other: Event = msgspec.convert(told, TYPES[type(event).__name__])
    except (msgspec.ValidationError, KeyError):
        return None
    return other if other != event else None


def _other(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice([-1, 1, 10, -10_000, 2**40])
    if isinstance(value, str):
        return random.choice([value[::-1], "", "open", "SQ", "C2b", value[:-1]])
    return random.choice([0, "", "00" * 32])


@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-2-partners"])
def test_every_changed_value_of_a_result_is_named_where_it_stands(ruleset: str) -> None:
    random = Random(ruleset)
    events = public(recorded_match(ruleset, seed=1, hands=1))
    for index, event in enumerate(events):
        if not isinstance(event, TrickTaken | HandEnded | MatchSettled):
            continue
        for path in leaves(msgspec.to_builtins(event)):
            other = changed(event, path, random)
            if other is None or path[0] in NOT_DERIVED:
                continue
            report = audit([*events[:index], other, *events[index + 1 :]])
            assert report.first_difference is not None, path
            if path[0] not in ("deal", "declarations"):
                assert report.first_difference.place.version in (index + 1, other.version)
                assert (report.first_difference.field or "").startswith(str(path[0]))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_change_of_any_event_makes_a_replay_fall_over(ruleset: str) -> None:
    random = Random(ruleset)
    for seed in range(120):
        events = public(recorded_match(ruleset, seed % 4, hands=1))
        index = random.randrange(len(events))
        path = random.choice(list(leaves(msgspec.to_builtins(events[index]))))
        other = changed(events[index], path, random)
        if other is not None:
            told = [*events[:index], other, *events[index + 1 :]][: random.randrange(index, len(events) + 1)]
            audit(told)
            Timeline(told)
