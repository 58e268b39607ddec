"""A writer process of the `log` run: eight writers over two group commits, conflicts, rollbacks, until it is killed.

Each row says which command it belongs to and how many rows that command has; each acknowledged command goes to a file.
"""

import asyncio
import os
import random
import sys
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from adapters.group_commit import GroupCommit
from adapters.postgres.appending import APPEND, Append, NewRow, append_arguments

MATCHES = 150
TAG = "Chaos.1"


class Mark(msgspec.Struct):
    """What a row's body says: its command, its place in it, and the command's size."""

    command: str
    place: int
    size: int


class Ack(msgspec.Struct):
    """An acknowledged command: its size, and the position of its first row."""

    command: str
    size: int
    first: int


def chaos_match(number: int) -> UUID:
    """One of the matches that all writers share."""
    return UUID(int=0xC0 << 100 | 7 << 76 | 2 << 62 | number)


class Writer:
    """One writer: knows where its matches stood when it last looked, which is often wrong."""

    def __init__(
        self,
        name: str,
        commits: GroupCommit,
        connection: psycopg.AsyncConnection[Any],
        chance: random.Random,
        acks: int,
    ) -> None:
        self._name = name
        self._commits = commits
        self._connection = connection
        self._chance = chance
        self._acks = acks
        self._stands: dict[UUID, int] = {}
        self._count = 0

    async def run(self) -> None:
        """Writes until the process is killed."""
        while True:
            append, command = self._next()
            if self._chance.random() < 0.03:
                await self._roll_back(append)
            elif self._chance.random() < 0.05:
                await self._impatient(append)
            else:
                await self._write(append, command)

    def _next(self) -> tuple[Append, str]:
        """A command of 1–5 rows over one to three matches, so that any of its rows may be the one that conflicts."""
        self._count += 1
        command, size = f"{self._name}-{self._count}", self._chance.randint(1, 5)
        parts = sorted(self._chance.choices(range(MATCHES), k=self._chance.randint(1, 3)))
        versions = {chaos_match(part): self._stands.get(chaos_match(part), 0) for part in parts}
        rows = []
        for place in range(size):
            match = chaos_match(parts[place * len(parts) // size])
            versions[match] += 1
            rows.append(NewRow(match, versions[match], TAG, msgspec.json.encode(Mark(command, place, size))))
        return Append(rows), command

    async def _write(self, append: Append, command: str) -> None:
        outcome = await self._commits.append(append)
        if outcome.first_position is not None:
            ack = Ack(command, len(append.rows), outcome.first_position)
            os.write(self._acks, msgspec.json.encode(ack) + b"\n")
            self._stands.update({row.match: row.version for row in append.rows})
        else:
            await self._look(append)

    async def _look(self, append: Append) -> None:
        matches = list({row.match for row in append.rows})
        cursor = await self._connection.execute(
            "SELECT match, max(version) FROM log.events WHERE match = ANY (%s) GROUP BY match", [matches]
        )
        self._stands.update(await cursor.fetchall())

    async def _roll_back(self, append: Append) -> None:
        async with self._connection.transaction(force_rollback=True):
            await self._connection.execute(APPEND, append_arguments([append]), binary=True)

    async def _impatient(self, append: Append) -> None:
        """Asks and does not wait for the answer: the command may stand all the same."""
        task = asyncio.create_task(self._commits.append(append))
        await asyncio.sleep(0)
        task.cancel()


async def work(database_url: str, name: str, seed: int, acks_path: str) -> None:
    """Eight writers until killed."""
    acks = os.open(acks_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    async with (
        GroupCommit(database_url) as one,
        GroupCommit(database_url) as other,
        asyncio.TaskGroup() as tasks,
    ):
        for number in range(8):
            connection = await psycopg.AsyncConnection.connect(database_url, autocommit=True)
            chance = random.Random(f"{seed}/{name}/{number}")
            writer = Writer(f"{name}.{number}", (one, other)[number % 2], connection, chance, acks)
            tasks.create_task(writer.run())


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
