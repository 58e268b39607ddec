"""Fair dealing and honest declarations are checked from public events alone, and each broken link is named."""

from collections.abc import Callable
from random import Random
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.dealing import Deal
from domain.events import CardDeclared, Event, HandDealt, HandEnded, MatchOpened, NonceRevealed, public_form
from domain.rulesets import RULESETS
from replays.verify import VerifyReport, verify
from tests.support.random_play import random_events


def public_match(ruleset: str, seed: int, *, hands: int = 3) -> list[Event]:
    return [public_form(event) for event in random_events(RULESETS[ruleset], Random(seed), hands=hands)]


def match_with(ruleset: str, condition: Callable[[list[Event]], bool]) -> list[Event]:
    """A random match that has what the test wants."""
    return next(events for seed in range(200) if condition(events := public_match(ruleset, seed)))


def has_hidden(events: list[Event]) -> bool:
    return any(
        isinstance(event, CardDeclared) and event.level == "hidden" for event in events
    ) and isinstance(events[-1], HandEnded)


def hand_with_hidden(events: list[Event]) -> int:
    """The index of the first finished hand with a hidden declaration."""
    finished = [event for event in events if isinstance(event, HandEnded)]
    return next(i for i, e in enumerate(finished) if any(d.level == "hidden" for d in e.declarations))


def changed(
    events: list[Event], kind: type[Event], change: Callable[[Event], Event], which: int = 0
) -> VerifyReport:
    place = [index for index, event in enumerate(events) if isinstance(event, kind)][which]
    return verify([*events[:place], change(events[place]), *events[place + 1 :]])


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_deal_and_declaration_of_random_matches_verifies(ruleset: str) -> None:
    for seed in range(5):
        events = public_match(ruleset, seed)
        report = verify(events)
        assert report.ok, report.broken
        assert report.hands == sum(isinstance(event, HandEnded) for event in events)
        hidden = [event for event in events if isinstance(event, CardDeclared) and event.level == "hidden"]
        assert report.declarations == len(hidden)


def test_other_seed_breaks_the_chain_and_the_deal() -> None:
    events = public_match("zero_sum-1", 1)
    report = changed(events, HandEnded, lambda event: replace(event, seed="00" * 64), which=1)
    assert {(link.hand_no, link.link) for link in report.broken} >= {(2, "seed"), (2, "deal")}


def test_other_anchor_is_named_at_the_first_hand() -> None:
    report = changed(
        public_match("zero_sum-1", 1), MatchOpened, lambda event: replace(event, anchor="ab" * 64)
    )
    assert [(link.hand_no, link.link) for link in report.broken] == [(1, "seed")]


def test_swapped_cards_of_a_deal_are_named() -> None:
    def swap(event: Event) -> Event:
        assert isinstance(event, HandEnded)
        first, second, *rest = event.deal.hands
        hands = ((second[0], *first[1:]), (first[0], *second[1:]), *rest)
        return replace(event, deal=Deal((hands[0], hands[1], hands[2], hands[3])))

    report = changed(public_match("blood-1", 3), HandEnded, swap)
    assert (1, "deal") in {(link.hand_no, link.link) for link in report.broken}


def test_nonce_that_does_not_fit_is_named() -> None:
    events = match_with("zero_sum-1", lambda found: any(isinstance(event, NonceRevealed) for event in found))
    report = changed(events, NonceRevealed, lambda event: replace(event, nonce="cd" * 32))
    assert any(link.link.startswith("nonce of seat") for link in report.broken)
    assert any(link.link == "deal" for link in report.broken)


def test_hidden_declaration_that_was_exchanged_is_named() -> None:
    def exchange(event: Event) -> Event:
        assert isinstance(event, HandEnded)
        other = [replace(d, opening="ee" * 32) if d.level == "hidden" else d for d in event.declarations]
        return replace(event, declarations=tuple(other))

    events = match_with("blood-1", has_hidden)
    which = hand_with_hidden(events)
    report = changed(events, HandEnded, exchange, which=which)
    assert any(link.link.startswith("declaration of seat") for link in report.broken)


def test_hidden_declaration_left_out_is_named() -> None:
    def leave_out(event: Event) -> Event:
        assert isinstance(event, HandEnded)
        return replace(event, declarations=tuple(d for d in event.declarations if d.level != "hidden"))

    events = match_with("blood-2", has_hidden)
    which = hand_with_hidden(events)
    assert not changed(events, HandEnded, leave_out, which=which).ok


def test_other_leader_of_a_later_hand_is_named() -> None:
    events = public_match("zero_sum-1", 1)
    report = changed(
        events, HandDealt, lambda event: replace(event, leader=(getattr(event, "leader", 0) + 1) % 4), which=1
    )
    assert "leader" in {link.link for link in report.broken}


def test_missing_event_is_named() -> None:
    events = public_match("zero_sum-1", 1)
    report = verify([*events[:7], *events[8:]])
    assert "events" in {link.link for link in report.broken}


def test_seeded_and_imported_matches_say_what_they_cannot_prove() -> None:
    events = public_match("zero_sum-1", 1)
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    seeded = verify([replace(opened, origin="seeded"), *events[1:]])
    assert seeded.outcome == "consistent, but seeded"
    imported = verify([replace(opened, origin="imported", anchor=None, chain_length=None), *events[1:]])
    assert imported.outcome == "not provable: imported"


def test_no_match_has_nothing_to_verify() -> None:
    assert verify([]).outcome == "nothing to verify yet"
    assert verify([]).match is None
    assert UUID(int=0) != verify(public_match("zero_sum-1", 1)).match
