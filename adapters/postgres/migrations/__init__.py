"""The numbered migrations of our tables, applied in order under a lock (design §4).

Several processes may start at once: the first applies what is missing, the others wait and find it done. A migration
is never edited after a release; a change is a new number. Each is remembered with the digest of its text, so that a
database made by a program whose migrations were others is refused and never half understood.
"""

import hashlib
from importlib import resources
from typing import Any, Final

import msgspec
import psycopg

from adapters.errors import AdapterError

_LOCK: Final = 7283946500
_PACKAGE: Final = "adapters.postgres.migrations"


class MadeByAnotherVersion(AdapterError):
    """The database holds tables of another version of this program."""


class Migration(msgspec.Struct, frozen=True):
    """One step of the tables' history."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """SHA-256 of its text, in hex."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Every migration, in order."""
    files = {file.name: file for file in resources.files(_PACKAGE).iterdir() if file.name.endswith(".sql")}
    return [Migration(int(name[:4]), name, files[name].read_text(encoding="utf-8")) for name in sorted(files)]


def migrate(database_url: str) -> None:
    """Bring the tables of a database to this program's form. Raises `MadeByAnotherVersion`."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        done = _applied(connection)
        known = migrations()
        ours = {migration.name: migration.digest for migration in known}
        if foreign := sorted(name for name, digest in done.items() if ours.get(name) != digest):
            raise MadeByAnotherVersion(
                f"the database was made by another version ({', '.join(foreign)} differ); move its data folder away, "
                "or use the version that made it"
            )
        for migration in known:
            if migration.name not in done:
                connection.execute(migration.sql.encode())
                values = [migration.number, migration.name, migration.digest]
                connection.execute("INSERT INTO applied_migrations VALUES (%s, %s, %s)", values)


def _applied(connection: psycopg.Connection[Any]) -> dict[str, str]:
    """The migrations of this database: their digests by name. Raises `MadeByAnotherVersion`."""
    found = connection.execute(
        "SELECT to_regclass('applied_migrations') IS NULL AND to_regnamespace('log') IS NOT NULL"
    ).fetchone()
    if found is not None and found[0]:
        raise MadeByAnotherVersion("the database was made by an earlier version; move its data folder away")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS applied_migrations"
        " (number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL)"
    )
    return dict(connection.execute("SELECT name, digest FROM applied_migrations").fetchall())
