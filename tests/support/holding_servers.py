"""A command that takes the servers of a data folder and holds them until its standard input ends.

It prints one line, the `Servers` as JSON, once it can use them and has asked PostgreSQL something.
"""

import sys
from pathlib import Path

import msgspec
import psycopg

from adapters import embedded, settings, signals
from adapters.errors import AdapterError


def main(folder: str, role: str) -> int:
    """Exit code: 0 ended as asked, 1 refused, 130 interrupted."""
    signals.end_like_interrupt()
    chosen = settings.read(data=Path(folder), environment={})
    try:
        with embedded.servers(chosen, role=role, on_wait=_say) as servers:
            psycopg.connect(servers.database_url).close()
            sys.stdout.write(msgspec.json.encode(servers, enc_hook=str).decode() + "\n")
            sys.stdout.flush()
            sys.stdin.read()
    except AdapterError as error:
        _say(f"refused: {type(error).__name__}: {error}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
