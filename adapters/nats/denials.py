"""What a NATS server does not allow, told to whoever waits for it.

A server says so beside the call and not in answer to it: a request that is denied looks like one that nobody answers,
and a denied publish or subscription like one that went well. The client library gives such news to a callback of the
whole connection. Here it reaches the call it is about, at once.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from nats.aio.client import Client

from adapters.errors import AdapterError

_FLUSHED_WITHIN_S: Final = 5
_DENIAL: Final = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"', re.IGNORECASE)
_CALLS: Final = {"publish": "publish to", "subscription": "subscribe to"}

T = TypeVar("T")


class Denied(AdapterError):
    """The server does not allow this user this call. `call`: publish to, or subscribe to, `subject`."""

    def __init__(self, user: str, call: str, subject: str) -> None:
        self.user = user
        self.call = call
        self.subject = subject
        super().__init__(
            f"NATS does not allow the user {user or '(none)'} to {call} {subject}; "
            "infra/nats/README.md says who may do what"
        )


class Denials:
    """The denials of one connection. `note` is told of every error of it."""

    def __init__(self, user: str, inbox_prefix: str) -> None:
        self._user = user
        self._inbox_prefix = inbox_prefix.lower()
        self._listeners: set[Callable[[str, str], None]] = set()

    def note(self, error: Exception) -> bool:
        """Tells those whom this error is about; whether it is a denial at all."""
        found = _DENIAL.search(str(error))
        if found is None:
            return False
        call, subject = _CALLS[found[1].lower()], found[2]
        for listener in list(self._listeners):
            listener(call, subject)
        return True

    @contextmanager
    def watching(self, subject: str, denied: Callable[[Denied], None]) -> Iterator[None]:
        """Calls `denied` when a call on this subject is denied, or the inbox that its answer would come to.

        A subject that ends in `>` stands for all that begin like it.
        """

        def hear(call: str, about: str) -> None:
            if _covers(subject.lower(), about.lower()):
                denied(Denied(self._user, call, subject))
            elif call == _CALLS["subscription"] and about.lower().startswith(self._inbox_prefix):
                denied(Denied(self._user, call, about))

        self._listeners.add(hear)
        try:
            yield
        finally:
            self._listeners.discard(hear)

    async def told(self, subject: str, call: Coroutine[Any, Any, T]) -> T:
        """What `call`, which is about this subject, gives. Raises `Denied` as soon as the server says so."""
        denied: asyncio.Future[Denied] = asyncio.get_running_loop().create_future()
        working = asyncio.ensure_future(call)
        both: list[asyncio.Future[Any]] = [working, denied]

        def hear(error: Denied) -> None:
            if not denied.done():
                denied.set_result(error)

        try:
            with self.watching(subject, hear):
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not working.done():
                working.cancel()
        if denied.done():
            await asyncio.gather(working, return_exceptions=True)
            raise denied.result()
        return await working


async def flushed(client: Client, call: Coroutine[Any, Any, T]) -> T:
    """What `call` gives, once the server has heard of it and answered whatever it has to say against it."""
    given = await call
    # The client's ping may overtake what it has not written yet; a second one cannot, being sent after the answer.
    for _ in range(2):
        await client.flush(timeout=_FLUSHED_WITHIN_S)
    return given


def _covers(pattern: str, subject: str) -> bool:
    return subject.startswith(pattern[:-1]) if pattern.endswith(">") else subject == pattern
