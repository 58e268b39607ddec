"""Migrations are applied once, whoever starts first, and another version's tables are refused."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from adapters.postgres.migrations import MadeByAnotherVersion, migrate, migrations


def applied(database_url: str) -> list[str]:
    with psycopg.connect(database_url) as connection:
        return [row[0] for row in connection.execute("SELECT name FROM applied_migrations ORDER BY number")]


def test_numbers_of_migrations_are_their_own_and_in_order() -> None:
    numbers = [migration.number for migration in migrations()]
    assert numbers == sorted(set(numbers))


def test_processes_that_start_together_migrate_once(empty_database_url: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: migrate(empty_database_url), range(8)))
    assert applied(empty_database_url) == [migration.name for migration in migrations()]


def test_database_of_a_later_version_is_refused(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO applied_migrations VALUES (9000, '9000_later.sql', 'x')")
    with pytest.raises(MadeByAnotherVersion, match="9000_later"):
        migrate(database_url)


def test_database_whose_migration_had_another_text_is_refused(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("UPDATE applied_migrations SET digest = 'other' WHERE number = 1")
    with pytest.raises(MadeByAnotherVersion, match=r"0001_log\.sql differ"):
        migrate(database_url)


def test_database_from_before_digests_is_refused(empty_database_url: str) -> None:
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("CREATE SCHEMA log")
    with pytest.raises(MadeByAnotherVersion, match="made by an earlier version; move"):
        migrate(empty_database_url)
