"""An asynchronous connection that may look for its answer itself for a moment before it gives way to others.

A lone command is answered by PostgreSQL within a few hundred microseconds, and going round the event loop for it costs
about as much again. So, where the caller says that nobody else is waiting, the first millisecond is spent looking.
"""

import select
import time
from collections.abc import Generator
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

_EAGER_S: Final = 0.002
_EVENTS: Final = {Wait.R: select.POLLIN, Wait.W: select.POLLOUT, Wait.RW: select.POLLIN | select.POLLOUT}

RV = TypeVar("RV")


class EagerConnection(psycopg.AsyncConnection[Any]):
    """`eager`: look for the answer for up to two milliseconds before waiting with the event loop."""

    eager: bool = False

    async def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        """The generator's result; the event loop is asked only where that takes longer."""
        if not self.eager:
            return await super().wait(gen, *args, **kwargs)
        try:
            wanted = _look(gen, self.pgconn.socket)
        except StopIteration as done:
            result: RV = done.value
            return result
        return await super().wait(_going_on(gen, wanted), *args, **kwargs)


def _look(gen: PQGen[RV], socket: int) -> Wait:
    """What the generator still waits for after a moment. Raises `StopIteration` with its result if it is done."""
    wanted, poll, until = next(gen), select.poll(), time.monotonic() + _EAGER_S
    while (left := until - time.monotonic()) > 0:
        poll.register(socket, _EVENTS[wanted])
        found = poll.poll(left * 1000)
        if not found:
            break
        _, events = found[0]
        # An error or a hang-up is for the reader to see.
        ready = (Ready.W if events & select.POLLOUT else 0) | (Ready.R if events & ~select.POLLOUT else 0)
        wanted = gen.send(Ready(ready))
    return wanted


def _going_on(gen: PQGen[RV], wanted: Wait) -> Generator[Wait, Ready | int, RV]:
    """The generator from where it stands."""
    while True:
        ready = yield wanted
        try:
            wanted = gen.send(ready)
        except StopIteration as done:
            result: RV = done.value
            return result
