"""Fixtures shared by all tests: real servers, started once or in milliseconds, and a database a test."""

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path

import hypothesis
import psycopg
import pytest

from adapters.nats.launcher import NatsServer
from adapters.postgres.launcher import PostgresServer

# How long an example takes says nothing on a shared machine.
hypothesis.settings.register_profile("gongzhu", deadline=None, print_blob=True)
hypothesis.settings.load_profile("gongzhu")

_TEMPLATE = "template_for_tests"
_numbers = count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests marked long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long; runs with --long"))


@pytest.fixture(scope="session")
def data_root() -> Iterator[Path]:
    """A folder for the session's servers; its path is short and everyone may pass through its parents."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_server(data_root: Path) -> Iterator[PostgresServer]:
    """One PostgreSQL for the session. It does not wait for the disk: no test here cuts the power."""
    server = PostgresServer(data_root / "postgres", settings={"fsync": "off", "full_page_writes": "off"})
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def _template(postgres_server: PostgresServer) -> str:
    """The migrated database that each test's own is a copy of."""
    with psycopg.connect(postgres_server.url_of("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {_TEMPLATE}")
    if importlib.util.find_spec("adapters.postgres.migrations"):
        migrations = importlib.import_module("adapters.postgres.migrations")
        migrations.migrate(postgres_server.url_of(_TEMPLATE))
    return _TEMPLATE


@contextmanager
def _database(server: PostgresServer, template: str | None = None) -> Iterator[str]:
    """A database that lasts as long as the block, as a copy of another or empty."""
    name = f"test_{next(_numbers)}"
    copied = f" TEMPLATE {template}" if template else ""
    with psycopg.connect(server.url_of("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{copied}".encode())
        yield server.url_of(name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def databases(postgres_server: PostgresServer, _template: str) -> Callable[[], AbstractContextManager[str]]:
    """Makes migrated, empty databases, for fixtures that outlive a test."""
    return lambda: _database(postgres_server, _template)


@pytest.fixture
def database_url(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """A migrated, empty database for this test alone."""
    with databases() as url:
        yield url


@pytest.fixture
def other_database_url(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """Another migrated, empty database for this test alone."""
    with databases() as url:
        yield url


@pytest.fixture
def empty_database_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A database with nothing in it, for this test alone."""
    with _database(postgres_server) as url:
        yield url


@pytest.fixture
def nats_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A NATS with an empty store for this test alone: `relay_url`, `projections_url`, `reader_url`."""
    server = NatsServer(tmp_path / "nats-server")
    try:
        server.start()
        yield server
    finally:
        server.stop()
