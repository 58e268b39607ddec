"""Any altered bit of the log is found without a key, and named by match and version."""

import asyncio
import random
from pathlib import Path

import psycopg
import pytest

from adapters.auditing import audit_match
from adapters.postgres.recorder import open_pool
from tests.support.services import match_id, play_on, seated, service_on

MATCH = match_id(1)


@pytest.fixture
def played(database_url: str, tmp_path: Path) -> str:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            await play_on(service, await seated(service, MATCH, hands=1), random.Random(1))

    asyncio.run(play())
    return database_url


def test_match_as_it_was_recorded_is_sound(played: str) -> None:
    with open_pool(played) as pool:
        found = audit_match(pool, MATCH)
    assert found.ok, found.what
    assert found.hands == 1


def test_every_flipped_bit_is_found_and_named(played: str) -> None:
    with open_pool(played) as pool, psycopg.connect(played, autocommit=True) as connection:
        rows = connection.execute("SELECT version, length(body) FROM log.events ORDER BY version").fetchall()
        chance = random.Random(7)
        for version, size in rows:
            bit = chance.randrange(size * 8)
            flip = "UPDATE log.events SET body = set_bit(body, %s, 1 - get_bit(body, %s)) WHERE version = %s"
            connection.execute(flip, [bit, bit, version])
            found = audit_match(pool, MATCH)
            assert not found.ok
            assert f"match {MATCH}, version {version}," in (found.what or "")
            connection.execute(flip, [bit, bit, version])
        assert audit_match(pool, MATCH).ok


def test_flipped_bit_of_the_sealed_part_is_found(played: str) -> None:
    with open_pool(played) as pool, psycopg.connect(played, autocommit=True) as connection:
        connection.execute(
            "UPDATE log.events SET body = set_bit(body, length(body) * 8 - 1, 1 - get_bit(body, length(body) * 8 - 1))"
            " WHERE tag = 'HandDealt.1'"
        )
        found = audit_match(pool, MATCH)
        assert "differs from the digest" in (found.what or "")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE log.events SET version = 99 WHERE version = 7", "version 7: the row is missing"),
        ("DELETE FROM log.events WHERE version = 5", "version 5: the row is missing"),
        ("UPDATE log.events SET tag = 'CardsPlayed.7' WHERE version = 20", "differs from the digest"),
        ("UPDATE log.events SET position = 1000 WHERE version = 9", "differs from the digest"),
    ],
)
def test_moved_missing_and_retagged_rows_are_found(played: str, change: str, what: str) -> None:
    with open_pool(played) as pool, psycopg.connect(played, autocommit=True) as connection:
        connection.execute(change.encode())
        assert what in (audit_match(pool, MATCH).what or "")
