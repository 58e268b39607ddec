"""Two recordings are told apart by their first difference, in words, and nothing is left out silently."""

from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.events import CardsPlayed, Event, HandEnded, MatchOpened
from domain.rulesets import RULESETS
from replays.compare import ASPECTS, Aspect, compare
from tests.replays.matches import public, recorded_match
from tests.support.random_play import random_events


def index_of(events: tuple[Event, ...], hand: int, trick: int, seat: int) -> int:
    return next(
        index
        for index, event in enumerate(events)
        if isinstance(event, CardsPlayed)
        and (event.hand_no, event.trick_no, event.seat) == (hand, trick, seat)
    )


def changed(events: tuple[Event, ...], index: int, **fields: Any) -> tuple[Event, ...]:
    return (*events[:index], replace(events[index], **fields), *events[index + 1 :])


def says(one: tuple[Event, ...], other: tuple[Event, ...], *ignore: Aspect) -> str:
    return compare(one, other, ignore).describe()


def test_same_recordings_have_no_difference() -> None:
    full = recorded_match("blood-2", 1)
    assert compare(full, public(full)).same
    assert says(full, full) == f"no difference in {len(full)} steps"
    assert says(full, full, "ids", "times") == f"no difference in {len(full)} steps; not compared: times, ids"


def test_first_other_card_is_named_with_hand_trick_and_seat() -> None:
    events = public(recorded_match("blood-1", 1))
    at = index_of(events, hand=2, trick=5, seat=3)
    other = changed(changed(events, at, cards=("SQ",)), at + 3, seat=0)
    was = events[at].cards[0]  # type: ignore[attr-defined]
    assert (
        says(events, other)
        == f"hand 2, trick 5 (step {at + 1}): seat 3 played {was} in the one, SQ in the other"
    )


def test_other_seat_other_event_and_early_end_are_told_as_what_happened() -> None:
    events = public(recorded_match("blood-1", 1))
    at = index_of(events, hand=1, trick=3, seat=2)
    card = events[at].cards[0]  # type: ignore[attr-defined]
    assert f"in the one seat 2 plays {card}, in the other seat 1 plays {card}" in says(
        events, changed(events, at, seat=1)
    )
    assert says(events, events[: at + 1]).startswith(
        f"the other ends before step {at + 2}; the one goes on: "
    )
    assert says(events[: at + 1], events).startswith(
        f"the one ends before step {at + 2}; the other goes on: "
    )
    assert says((), events).startswith("the one ends before step 1; the other goes on: a match of blood-1")
    missing = (*events[:at], *events[at + 1 :])
    assert "in the one " in says(events, missing)


def test_scores_are_named_by_seat() -> None:
    events = public(recorded_match("zero_sum-2", 1))
    at, ended = next((i, event) for i, event in enumerate(events) if isinstance(event, HandEnded))
    raw = ended.raw_scores
    other = changed(events, at, raw_scores=(raw[0], raw[1], raw[2] + 10, raw[3]))
    assert says(events, other) == (
        f"hand 1 (step {at + 1}): raw score of seat 2: {raw[2]} in the one, {raw[2] + 10} in the other"
    )
    account = replace(ended.accounts[1], hearts_factor=9)
    other = changed(events, at, accounts=(ended.accounts[0], account, *ended.accounts[2:]))
    was = ended.accounts[1].hearts_factor
    assert f"account of seat 1, hearts factor: {was} in the one, 9 in the other" in says(events, other)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_changed_field_is_a_difference_unless_it_is_to_be_ignored(ruleset: str) -> None:
    events = public(recorded_match(ruleset, 4))
    random = Random(ruleset)
    for index in random.sample(range(len(events)), k=40):
        plain = msgspec.to_builtins(events[index])
        for name, value in plain.items():
            if isinstance(value, int) and not isinstance(value, bool) and name != "schema":
                other = changed(events, index, **{name: value + 1})
                found = compare(events, other).difference
                assert found is not None
                assert (found.step, found.field, found.one, found.other) == (
                    index + 1,
                    name,
                    value,
                    value + 1,
                )
                assert compare(events, other, ["times"]).same == (name == "think_ms")


def test_ids_may_differ_when_ignored_but_not_who_is_who() -> None:
    events = public(recorded_match("blood-1", 1))
    text = msgspec.json.encode(events).decode()
    opened = events[0]
    seated = [event for event in events if type(event).__name__ == "PlayerSeated"]
    for number, old in enumerate([opened.match, *(event.player for event in seated)]):  # type: ignore[attr-defined]
        text = text.replace(str(old), str(UUID(int=number + 1)))
    renamed = tuple(
        msgspec.json.decode(part, type=type(event))
        for part, event in zip(msgspec.json.decode(text, type=list[msgspec.Raw]), events, strict=True)
    )
    assert "match: " in says(events, renamed)
    assert compare(events, renamed, ["ids"]).same
    at, ended = next((i, event) for i, event in enumerate(renamed) if isinstance(event, HandEnded))
    swapped = (ended.players[1], ended.players[0], *ended.players[2:])
    assert "player of seat 0" in says(events, changed(renamed, at, players=swapped), "ids")


def test_proofs_may_differ_when_ignored_but_not_be_missing() -> None:
    events = public(recorded_match("blood-1", 1))
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    other = changed(events, 0, anchor="00" * 64)
    assert says(events, other).startswith("step 1: anchor: ")
    assert compare(events, other, ["proofs"]).same
    assert not compare(events, changed(events, 0, anchor=None), ["proofs"]).same


def test_other_matches_differ_whatever_is_ignored() -> None:
    for ruleset in RULESETS.values():
        one, other = (random_events(ruleset, Random(seed), hands=1) for seed in (1, 2))
        result = compare(one, other, ASPECTS)
        assert result.difference is not None
        assert result.describe().endswith("; not compared: times, ids, proofs")
