"""State folded from stored bytes equals the live state after every event, in every ruleset (P1, P5).

Each event is encoded, sealed, decoded and folded beside the live match; and whole matches go through the database and
come back the same, with and without their snapshots, and by anyone without the key as far as it is public.
"""

from random import Random
from uuid import UUID

import psycopg
import pytest

from adapters.event_store import MatchLog
from adapters.keys import KeyRing
from adapters.postgres.appending import APPEND, Append, NewRow, append_arguments
from adapters.postgres.recorder import open_pool
from adapters.randomness import SystemRandomness
from adapters.sealing import Sealer
from adapters.serialization import decode_body, encode_body, tag_of
from domain.events import HandEnded, public_form
from domain.match import Match, evolve, fold
from domain.rulesets import RULESETS
from tests.support.big_log import sealer
from tests.support.random_play import random_match

HANDS, LONG_HANDS = 200, 2000
STORED_MATCHES, LONG_STORED_MATCHES = 4, 40


def share(request: pytest.FixtureRequest, few: int, many: int) -> int:
    """The full count with `--long`, else a tenth."""
    return many if request.config.getoption("--long") else few


@pytest.mark.parametrize("name", RULESETS)
def test_every_stored_event_folds_to_the_live_state(name: str, request: pytest.FixtureRequest) -> None:
    chance, seals, hands = Random(f"stored/{name}"), sealer(), 0
    while hands < share(request, HANDS, LONG_HANDS):
        stored: Match | None = None
        for step in random_match(RULESETS[name], chance):
            for event in step.events:
                body = encode_body(event, seals)
                read = decode_body(tag_of(event), body, event.match, event.version, seals)
                assert read == event
                stored = evolve(stored, read)
                hands += isinstance(event, HandEnded)
            assert stored == step.after


@pytest.mark.parametrize("name", RULESETS)
def test_match_read_from_the_database_is_the_live_one_with_and_without_snapshots(
    name: str, request: pytest.FixtureRequest, database_url: str
) -> None:
    chance, seals = Random(f"database/{name}"), sealer()
    with open_pool(database_url) as pool, psycopg.connect(database_url, autocommit=True) as connection:
        log = MatchLog(pool, seals)
        blind = MatchLog(pool, Sealer(KeyRing({}), SystemRandomness()))
        for _ in range(share(request, STORED_MATCHES, LONG_STORED_MATCHES)):
            match: UUID | None = None
            public: Match | None = None
            for step in random_match(RULESETS[name], chance):
                rows = [NewRow(e.match, e.version, tag_of(e), encode_body(e, seals)) for e in step.events]
                connection.execute(APPEND, append_arguments([Append(rows)]), binary=True)
                public = fold((public_form(event) for event in step.events), public)
                match = step.after.id
                if any(isinstance(event, HandEnded) for event in step.events) or chance.random() < 0.02:
                    assert log.match_from_events(match) == step.after
                    assert log.match(match) == step.after
                    assert blind.match_from_events(match) == public
                if isinstance(step.events[-1], HandEnded):
                    log.keep_snapshot(step.after)
            assert match is not None
            assert log.match(match) == log.match_from_events(match)
