"""Recorded matches to replay: played at random, whole or cut, as full events and as everyone may see them."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from domain import commands
from domain.decisions import decide_and_evolve
from domain.events import CardsPlayed, Event, HandEnded, public_form
from domain.match import Match, fold
from domain.rulesets import RULESETS
from tests.support.random_play import Step, random_events, random_match


def steps_of(ruleset: str, seed: int, hands: int = 2) -> Iterator[Step]:
    """The commands of a match of at most so many hands, each with what it led to."""
    return random_match(RULESETS[ruleset], Random(f"{ruleset} {seed}"), hands=hands)


@cache
def recorded_match(ruleset: str, seed: int, hands: int = 2) -> tuple[Event, ...]:
    """The full events of such a match."""
    return tuple(random_events(RULESETS[ruleset], Random(f"{ruleset} {seed}"), hands=hands))


def public(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events as everyone may see them."""
    return tuple(public_form(event) for event in events)


def match_with(ruleset: str, fits: Callable[[Event], bool], hands: int = 2) -> tuple[Event, ...]:
    """The public events of the first such match in which some event fits."""
    for seed in range(100):
        events = public(recorded_match(ruleset, seed, hands))
        if any(fits(event) for event in events):
            return events
    raise AssertionError(f"no match of {ruleset} has such an event")


def until_last_hand_ends(events: tuple[Event, ...]) -> Iterator[Event]:
    """The events without those from the last hand's end on."""
    last = max(index for index, event in enumerate(events) if isinstance(event, HandEnded))
    yield from events[:last]


def abandoned_match(ruleset: str, seed: int, *, plays: int, with_key: bool = True) -> tuple[Event, ...]:
    """The public events of a match that is abandoned in its first hand, after so many plays."""
    told: list[Event] = []
    match: Match | None = None
    for step in steps_of(ruleset, seed):
        told, match = [*told, *step.events], step.after
        if match.phase == "playing" and sum(isinstance(event, CardsPlayed) for event in told) == plays:
            break
    if not with_key:
        match = fold(public(tuple(told)))
    return public((*told, *asked(match, commands.AbandonMatch(cause="staff", by="staff"))))


def asked(match: Match | None, *demands: commands.Command) -> list[Event]:
    """What these commands lead to in a match, one after another."""
    told: list[Event] = []
    for command in demands:
        assert match is not None
        decision = decide_and_evolve(match, command, match.at)
        told, match = [*told, *decision.events], decision.match
    return told
