"""Matches played at random and stored in a log, as the match service stores them."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any
from uuid import UUID

import psycopg
from msgspec.structs import replace

from adapters.feed_messages import message_of_row
from adapters.keys import KeyRing, key_id_of
from adapters.postgres.appending import APPEND, Append, NewRow, append_arguments, outcomes
from adapters.randomness import SeededRandomness
from adapters.sealing import Sealer
from adapters.serialization import Row, encode_body, tag_of
from domain import commands
from domain.decisions import decide_and_evolve
from domain.events import Event, MatchOpened, PlayerSeated
from domain.match import Match, fold
from domain.rulesets import RULESETS, Ruleset
from projections.messages import Message
from tests.support.random_play import random_events

_KEY = bytes(range(32))
PLAYERS = tuple(UUID(int=1000 + number) for number in range(7))


def sealer() -> Sealer:
    """A sealer with a fixed key."""
    return Sealer(KeyRing({key_id_of(_KEY): _KEY}), SeededRandomness("stored matches"))


def among_few_players(events: Iterable[Event], random: Random) -> list[Event]:
    """The same match, played by four of a few players who meet again and again."""
    chosen = random.sample(PLAYERS, k=4)
    new: dict[UUID, UUID] = {}

    def renamed(event: Event) -> Event:
        if isinstance(event, PlayerSeated):
            new.setdefault(event.player, chosen[len(new)])
            return replace(event, player=new[event.player])
        players = getattr(event, "players", None)
        return replace(event, players=tuple(new.get(player) for player in players)) if players else event

    return [renamed(event) for event in events]


def played(ruleset: Ruleset, random: Random, *, hands: int | None = None, served: bool = True) -> list[Event]:
    """A match played at random between a few players."""
    events = among_few_players(random_events(ruleset, random, hands=hands), random)
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    return [replace(opened, origin="served" if served else "seeded"), *events[1:]]


def abandoned(events: Sequence[Event]) -> list[Event]:
    """A match that has not ended, abandoned."""
    return [*events, *decided(events, commands.AbandonMatch(cause="power cut", by="operator"))]


def decided(events: Sequence[Event], command: commands.Command) -> tuple[Event, ...]:
    """What a command leads to after these events."""
    match = fold(events)
    assert isinstance(match, Match)
    return decide_and_evolve(match, command, match.at).events


def annulled(events: Sequence[Event]) -> list[Event]:
    """A match that has ended, annulled."""
    return [*events, *decided(events, commands.AnnulMatch(case="17", cause="shared cards", by="staff"))]


def lifted(events: Sequence[Event]) -> list[Event]:
    """An annulled match that counts again."""
    return [*events, *decided(events, commands.LiftAnnulment(case="17", cause="appeal", by="staff"))]


def corrected(events: Sequence[Event], hand_no: int, raw: tuple[int, int, int, int]) -> list[Event]:
    """A match that has ended, with another result of one hand."""
    command = commands.CorrectHand(
        case="18", cause="scored twice", by="staff", hand_no=hand_no, raw_scores=raw
    )
    return [*events, *decided(events, command)]


def season(seed: int, *, matches: int = 8) -> list[Event]:
    """A log of matches of all rulesets that run side by side; some are abandoned, annulled, lifted or corrected."""
    random = Random(seed)
    names = sorted(RULESETS)
    told = []
    for number in range(matches):
        ruleset = RULESETS[names[number % len(names)]]
        # Two hands seldom end a match of blood; some are played out.
        hands = None if random.random() < 0.3 else 2
        events = played(ruleset, random, hands=hands, served=random.random() < 0.7)
        told.append(_afterwards(events, random))
    return side_by_side(told, random)


def _afterwards(events: list[Event], random: Random) -> list[Event]:
    match = fold(events)
    assert match is not None
    if not match.ended:
        if random.random() < 0.3:
            return events
        events = abandoned(events)
    if random.random() < 0.4:
        events = corrected(events, 1, (10 * random.randrange(-9, 9), 0, 100, -200))
    if random.random() < 0.6:
        events = annulled(events)
        if random.random() < 0.4:
            events = (
                corrected(events, 2, (0, 0, -40 * random.randrange(9), 100))
                if match.hands_ended > 1
                else events
            )
        if random.random() < 0.6:
            events = lifted(events)
    return events


def side_by_side(matches: Sequence[Sequence[Event]], random: Random) -> list[Event]:
    """The events of several matches as a log may hold them: each match in order, the others in between."""
    rest = [list(events) for events in matches]
    log: list[Event] = []
    while left := [events for events in rest if events]:
        chosen = random.choice(left)
        size = random.randint(1, 40)
        log += chosen[:size]
        del chosen[:size]
    return log


def append(connection: psycopg.Connection[Any], events: Iterable[Event], *, size: int = 500) -> int:
    """Stores events in a log, in this order; the last position."""
    sealing = sealer()
    rows = [NewRow(e.match, e.version, tag_of(e), encode_body(e, sealing)) for e in events]
    for start in range(0, len(rows), size):
        # As one command, whatever matches it is of: that keeps the order.
        appends = [Append(rows[start : start + size])]
        answer = connection.execute(APPEND, append_arguments(appends), binary=True).fetchone()
        assert [appended.result for appended in outcomes(appends, answer)] == ["stored"]
    row = connection.execute("SELECT max(position) FROM log.events").fetchone()
    assert row is not None
    return int(row[0])


def stored_rows(connection: psycopg.Connection[Any], first: int = 1) -> list[Row]:
    """The rows of a log from a position on."""
    found = connection.execute(
        "SELECT position, match, version, tag, body, digest FROM log.events WHERE position >= %s ORDER BY 1",
        [first],
        binary=True,
    )
    return [Row(*row) for row in found]


def log_messages(connection: psycopg.Connection[Any], first: int = 1) -> list[Message]:
    """The log as messages for a projection."""
    return [message_of_row(row) for row in stored_rows(connection, first)]


def messages_of(events: Sequence[Event]) -> list[Message]:
    """Events as messages, without a log."""
    return [
        Message(position, position, e.match, e.version, tag_of(e), b"digest", None, e)
        for position, e in enumerate(events, 1)
    ]
