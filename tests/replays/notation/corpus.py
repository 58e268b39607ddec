"""Matches of every kind to write down: whole, cut after any command, abandoned, imported, judged afterwards."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from domain import commands
from domain.decisions import decide_and_evolve
from domain.errors import CommandRefused
from domain.events import Event, public_form
from domain.match import Match, fold
from domain.rulesets import RULESETS, Ruleset
from domain.seats import SEATS
from replays.recorded_hands import RecordedMatch, read_records
from tests.support.random_play import random_match
from tests.support.tables import PLAYERS, opened

ARENA: Final = Path(__file__).parents[2] / "recorded" / "records" / "arena_hands.jsonl"

CAUSES: Final = (
    "asked",
    "",
    'she said "no" \\ left',
    "掉线 ♠Q",
    "two\nlines\tand } a { brace # [x]",
    "\u2028\ufeff\x00\x7f\U0001f0a1 e\u0301",
    "x" * 200,
    "  spaces  ",
)
"""Texts that people, or programs, may give as a cause."""


def public(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events as everyone may see them."""
    return tuple(public_form(event) for event in events)


def whole_match(ruleset: Ruleset, seed: object, hands: int = 2) -> tuple[Event, ...]:
    """The public events of a random match of at most so many hands."""
    steps = random_match(ruleset, Random(f"notation {ruleset.name} {seed}"), hands=hands)
    return public([event for step in steps for event in step.events])


def commands_cut(ruleset: Ruleset, random: Random) -> tuple[list[Event], Match]:
    """The full events of a match after some of its commands, and the match as it then stands."""
    steps = list(random_match(ruleset, Random(random.random()), hands=2))
    kept = steps if random.random() < 0.3 else steps[: random.randrange(1, len(steps) + 1)]
    return [event for step in kept for event in step.events], kept[-1].after


def some_match(random: Random) -> tuple[Event, ...]:
    """The public events of a match that our code can produce, of any kind."""
    ruleset = random.choice(list(RULESETS.values()))
    events, match = commands_cut(ruleset, random)
    if random.random() < 0.3:
        events, match = _seating(ruleset, random)
    asked: list[commands.Command] = []
    if random.random() < 0.4:
        asked.append(commands.HandOverSeat(seat=random.choice(SEATS), cause=random.choice(CAUSES)))
    if random.random() < 0.4:
        asked.append(commands.AbandonMatch(cause=random.choice(CAUSES), by=random.choice(CAUSES)))
    if random.random() < 0.3:
        match = _without_key(events)
    asked += _judged(random)
    return public([*events, *_asked(match, asked)])


def _seating(ruleset: Ruleset, random: Random) -> tuple[list[Event], Match]:
    """A table at which players come, go and come back."""
    table = opened(ruleset, seed=random.randrange(1000))
    for _ in range(random.randrange(12)):
        seat = random.choice(SEATS)
        wanted: commands.Command = commands.TakeSeat(seat=seat, player=random.choice(PLAYERS))
        if table.match.players[seat] is not None and table.match.phase == "seating":
            wanted = commands.LeaveSeat(seat=seat, cause=random.choice(CAUSES))
        try:
            table.wait(random.random()).ask(wanted)
        except CommandRefused:
            continue
    return table.events, table.match


def _without_key(events: Sequence[Event]) -> Match:
    """The match as a process without the key knows it."""
    match = fold(public(events))
    assert match is not None
    return match


def _judged(random: Random) -> list[commands.Command]:
    """What integrity staff may decide afterwards, in an order that is mostly possible."""
    case, cause, by = (random.choice(CAUSES) for _ in range(3))
    raw = (random.randrange(-900, 900, 10), 0, -30, 50)
    judged: list[commands.Command] = [
        commands.AnnulMatch(case=case, cause=cause, by=by),
        commands.CorrectHand(case=case, cause=cause, by=by, hand_no=random.randint(1, 2), raw_scores=raw),
        commands.LiftAnnulment(case=case, cause=cause, by=by),
    ]
    return judged[: random.randrange(4)]


def _asked(match: Match, wanted: Sequence[commands.Command]) -> list[Event]:
    """What these commands lead to, those left out that are refused."""
    events: list[Event] = []
    for command in wanted:
        try:
            decision = decide_and_evolve(match, command, match.at)
        except CommandRefused:
            continue
        events, match = [*events, *decision.events], decision.match
    return events


def imported_matches(count: int | None = None) -> Iterator[tuple[Event, ...]]:
    """The recorded hands that are brought along, as imported matches."""
    at = datetime(2026, 5, 1, 12, 0, 0, 250, tzinfo=UTC)
    with ARENA.open("rb") as lines:
        for record in islice(read_records(lines, ARENA.name, at), count):
            assert isinstance(record, RecordedMatch)
            yield public(record.events)
