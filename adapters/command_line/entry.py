"""The entry point: runs one command and turns what can go wrong into one line and an exit code."""

import logging
import sys
from collections.abc import Sequence
from typing import NoReturn

import psycopg
from eventsourcing.persistence import PersistenceError
from nats.errors import Error as NatsError

from adapters.command_line.app import app
from adapters.command_line.console import complain
from adapters.errors import AdapterError
from adapters.signals import end_like_interrupt
from domain.errors import GongzhuError

INTERRUPTED = 130


def main() -> NoReturn:
    """Runs the command that the process was started with; ends the process."""
    end_like_interrupt()
    logging.basicConfig(level=logging.CRITICAL, format="gongzhu: %(name)s: %(message)s", stream=sys.stderr)
    sys.exit(run())


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, the process's own if none is given; gives its exit code."""
    try:
        app(arguments)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 1
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except (AdapterError, GongzhuError) as error:
        complain(str(error))
    except (psycopg.Error, PersistenceError) as error:
        complain(
            f"PostgreSQL does not answer as it should ({_line(error)}); is it running and reachable? See `--help`"
        )
    except (NatsError, OSError) as error:
        complain(
            f"NATS or the system does not answer as it should ({_line(error)}); is NATS running and reachable?"
        )
    except ExceptionGroup as group:
        complain(_line(_first(group)))
    return 1


def _first(group: ExceptionGroup[Exception]) -> Exception:
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
