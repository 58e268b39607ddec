"""Logs of many events for benchmarks: real matches, written again and again under new ids."""

import random
from collections.abc import Iterator
from itertools import islice
from uuid import UUID

import psycopg

from adapters.keys import KeyRing, key_id_of
from adapters.postgres.appending import APPEND, Append, NewRow, append_arguments
from adapters.randomness import SystemRandomness
from adapters.sealing import Sealer
from adapters.serialization import encode_body, tag_of
from domain.events import Event
from domain.rulesets import RULESETS, Ruleset
from tests.support.random_play import random_events

KEY = b"k" * 32
KEYS = KeyRing({key_id_of(KEY): KEY})
_ROWS_AT_ONCE = 2000


def sealer() -> Sealer:
    """Seals with the benchmark's key."""
    return Sealer(KEYS, SystemRandomness())


def rows_of(events: list[Event], match: UUID, sealer: Sealer) -> list[NewRow]:
    """The rows of these events under another match id, sealed for it."""
    from msgspec.structs import replace

    return [
        NewRow(match, event.version, tag_of(event), encode_body(replace(event, match=match), sealer))
        for event in events
    ]


def many_matches(seed: int = 1, templates: int = 24) -> Iterator[list[NewRow]]:
    """Endless matches of all rulesets, each of one to three hands; a few templates are played, the rest are copies."""
    chance, names = random.Random(seed), list(RULESETS)
    played = [random_events(RULESETS[names[i % len(names)]], chance, hands=2) for i in range(templates)]
    seals = sealer()
    number = 0
    while True:
        number += 1
        yield rows_of(played[number % templates], UUID(int=number << 80 | 7 << 76 | 2 << 62), seals)


def fill(database_url: str, events: int, seed: int = 1) -> int:
    """Appends whole matches until the log has at least so many events; how many it has then."""
    matches, stored = many_matches(seed), 0
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        while stored < events:
            appends: list[Append] = []
            while sum(len(append.rows) for append in appends) < _ROWS_AT_ONCE:
                appends += [Append(rows) for rows in islice(matches, 1)]
            connection.execute(APPEND, append_arguments(appends), binary=True)
            stored += sum(len(append.rows) for append in appends)
        connection.execute("VACUUM ANALYZE log.events")
    return stored


def long_match(ruleset: Ruleset, hands: int, seed: int = 1) -> list[Event]:
    """The events of one match of so many hands."""
    return random_events(ruleset, random.Random(seed), hands=hands)
