"""Which process plays a match's bots: a claim that ends with the process (PostgreSQL session advisory locks)."""

from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

import psycopg

_SPACE: Final = 728394651
_RELEASE: Final = b"SELECT pg_advisory_unlock(%b::integer, %b::integer)"
_CLAIM: Final = b"SELECT pg_try_advisory_lock(%b::integer, %b::integer)"


class MatchClaims:
    """Claims of this process. Use as an async context manager; all claims end with it.

    Two matches may share a number (32 bits of the id); then one of them waits for another run, which does no harm.
    """

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._mine: set[int] = set()

    async def __aenter__(self) -> Self:
        self._connection = await psycopg.AsyncConnection.connect(self._database_url, autocommit=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def claim(self, match: UUID) -> bool:
        """Whether this process may play the match now; False where another one does."""
        assert self._connection is not None, "claims are made inside the context"
        number = _number(match)
        if number in self._mine:
            return False
        cursor = await self._connection.execute(_CLAIM, [_SPACE, number])
        row = await cursor.fetchone()
        if row is not None and row[0]:
            self._mine.add(number)
            return True
        return False

    async def release(self, match: UUID) -> None:
        """Gives a claim of this process back."""
        assert self._connection is not None, "claims are made inside the context"
        if _number(match) in self._mine:
            self._mine.discard(_number(match))
            await self._connection.execute(_RELEASE, [_SPACE, _number(match)])


def _number(match: UUID) -> int:
    return int.from_bytes(match.bytes[-4:], "big", signed=True)
