"""Databases for tests that need several."""

from collections.abc import Callable, Iterator
from itertools import count

import psycopg
import pytest

from adapters.postgres.launcher import PostgresServer

_numbers = count(1)


@pytest.fixture(scope="session")
def new_database(postgres_server: PostgresServer, _template: str) -> Iterator[Callable[[], str]]:
    """Makes migrated, empty databases."""
    names: list[str] = []

    def make() -> str:
        names.append(f"exports_{next(_numbers)}")
        with psycopg.connect(postgres_server.url_of("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {names[-1]} TEMPLATE {_template}")
        return postgres_server.url_of(names[-1])

    yield make
    with psycopg.connect(postgres_server.url_of("postgres"), autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
