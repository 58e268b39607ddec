"""The numbered migrations of our tables, applied in order under a lock (design §4).

Several processes may start at once: the first applies what is missing, the others wait and find it done. A migration
is never edited after a release; a change is a new number.
"""

from importlib import resources
from typing import Final

import psycopg

from adapters.errors import AdapterError

_LOCK: Final = 7283946500
_PACKAGE: Final = "adapters.postgres.migrations"


class MadeByAnotherVersion(AdapterError):
    """The database holds migrations this program does not know."""


def migrations() -> list[tuple[int, str, str]]:
    """Every migration: number, name, SQL, in order."""
    files = {file.name: file for file in resources.files(_PACKAGE).iterdir() if file.name.endswith(".sql")}
    return [(int(name[:4]), name, files[name].read_text(encoding="utf-8")) for name in sorted(files)]


def migrate(database_url: str) -> None:
    """Bring the tables of a database to this program's form. Raises `MadeByAnotherVersion`."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL)"
        )
        done: set[tuple[int, str]] = set(connection.execute("SELECT number, name FROM migrations"))
        known = migrations()
        if unknown := sorted(name for _, name in done - {(number, name) for number, name, _ in known}):
            raise MadeByAnotherVersion(
                f"the database was made by another version (it has {', '.join(unknown)}); "
                "use that version, or another database or data folder"
            )
        for number, name, sql in known:
            if (number, name) not in done:
                connection.execute(sql.encode())
                connection.execute("INSERT INTO migrations VALUES (%s, %s)", [number, name])
