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
from adapters.serialization import encode_body, encode_public, tag_of
from domain.events import Event
from domain.rulesets import RULESETS, Ruleset
from tests.support.random_play import random_events

KEY = b"k" * 32
KEYS = KeyRing({key_id_of(KEY): KEY})
HANDS_A_MATCH = 8
"""In the ended matches of `fill_ended`."""
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


def fill_ended(database_url: str, hands: int, seed: int = 1) -> int:
    """Fills an empty log with ended matches of zero_sum-1 until it has so many hands; how many events it has then.

    A few matches are played; the rest are copies under new ids, made in the database with digests that
    are right. As imported ones their rows have no sealed part, and their deals do not follow from their seeds.
    """
    chance = random.Random(seed)
    played = [random_events(RULESETS["zero_sum-1"], chance, hands=HANDS_A_MATCH) for _ in range(4)]
    rows = [
        (place, event.version, tag_of(event), encode_public(event).decode(), str(event.match))
        for place, event in enumerate(event for events in played for event in events)
    ]
    blocks = -(-hands // (HANDS_A_MATCH * len(played)))
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(
            "CREATE TEMP TABLE told (place bigint, version bigint, tag text, body text, match text)"
        )
        connection.cursor().executemany("INSERT INTO told VALUES (%s, %s, %s, %s, %s)", rows)
        connection.execute(_COPIES, {"rows": len(rows), "blocks": blocks})
        connection.execute("DROP TABLE told")
        connection.execute("VACUUM ANALYZE log.events")
    return blocks * len(rows)


# A row's digest: SHA-256 over position, match, version, tag, and the digests of its public form and of no sealed part.
_COPIES = b"""
INSERT INTO log.events (position, match, version, tag, body, digest)
SELECT position, match, version, tag, body,
       sha256(int8send(position) || uuid_send(match) || int8send(version) || convert_to(tag, 'UTF8')
              || sha256(body) || sha256(''))
FROM (
    SELECT block * %(rows)s::bigint + place + 1 AS position, renamed.match::uuid AS match, version, tag,
           convert_to(replace(told.body, told.match, renamed.match), 'UTF8') AS body
    FROM generate_series(0::bigint, %(blocks)s::bigint - 1) AS block, told, LATERAL (
        SELECT lpad(to_hex(block), 8, '0') || substr(told.match, 9) AS match
    ) AS renamed
) AS copies
"""
