"""Whether log, stream, read models and acknowledgements agree, whatever has happened to those who made them."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg
from nats.aio.msg import Msg

from adapters.auditing import audit_match
from adapters.feed import PROJECTIONS
from adapters.feed_messages import message_of_row
from adapters.nats.connection import connected
from adapters.nats.consumer import StreamReader, sequence_of
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream
from adapters.postgres import generations
from adapters.postgres.recorder import open_pool
from adapters.serialization import Row
from projections import runner
from tests.chaos.run_worker import Ack
from tests.support.read_models import stored
from tests.support.rows_in_memory import RowsInMemory

_BATCH: Final = 2000
_ROWS: Final = b"""
SELECT position, match, version, tag, body, digest FROM log.events WHERE position > %b::bigint
ORDER BY position LIMIT %b::bigint
"""


class Delivered(msgspec.Struct, frozen=True):
    """A message as the stream delivers it."""

    position: int
    body: bytes
    row_digest: str


def batches(connection: psycopg.Connection[Any]) -> Iterator[list[Row]]:
    """The whole log in order, some rows at a time."""
    position = 0
    while found := connection.execute(_ROWS, [position, _BATCH], binary=True).fetchall():
        yield [Row(*row) for row in found]
        position = found[-1][0]


def last_position(connection: psycopg.Connection[Any]) -> int:
    """The log's last position."""
    row = connection.execute("SELECT coalesce(max(position), 0) FROM log.events").fetchone()
    return int(row[0]) if row else 0


def positions_of_read_models(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Where each live read model stands; 0 where there is none yet."""
    return {projection.name: _position(connection, projection.name) for projection in PROJECTIONS}


def _position(connection: psycopg.Connection[Any], projection: str) -> int:
    live = generations.live_generation(connection, projection)
    found = live and generations.checkpoint_of(connection, projection, live, "main")
    return found.position if found else 0


async def assert_stream_is_whole_log(database_url: str, server: NatsServer) -> None:
    """The stream has each row once, in order, byte for byte, and nothing else; read in batches."""
    async with connected(server.projections_url, "whole check") as connection:
        reader = StreamReader(connection, "main", _delivered)
        state = await FeedStream(connection, "main").state()
        assert state is not None
        with psycopg.connect(database_url, autocommit=True) as log:
            assert (state.first, state.messages, state.last) == (1, state.last, last_position(log))
            for rows in batches(log):
                await _assert_next(reader, rows)
        await reader.close()


async def _assert_next(reader: StreamReader[Delivered], rows: Sequence[Row]) -> None:
    found: list[Delivered] = []
    while len(found) < len(rows):
        after = rows[0].position - 1 + len(found)
        more = await reader.after(after, len(rows) - len(found), 30)
        assert more, f"the stream ends at {after}"
        found += more
    assert found == [Delivered(row.position, row.public, row.digest.hex()) for row in rows]


def _delivered(message: Msg) -> Delivered:
    headers = message.headers or {}
    return Delivered(sequence_of(message.reply), message.data, headers["ce-rowdigest"])


def assert_read_models_are_rebuilt_ones(connection: psycopg.Connection[Any]) -> None:
    """Every read model holds what the same events lead to from scratch."""
    rows = {projection.name: RowsInMemory() for projection in PROJECTIONS}
    for batch in batches(connection):
        messages = [message_of_row(row) for row in batch]
        for projection in PROJECTIONS:
            runner.apply(projection, messages, rows[projection.name])
    for projection in PROJECTIONS:
        rebuilt = rows[projection.name].content(projection.tables)
        assert stored(connection, projection) == rebuilt, f"{projection.name} is not what a rebuild gives"


def assert_acknowledged_is_kept(connection: psycopg.Connection[Any], acks: Sequence[Ack]) -> None:
    """Every acknowledged command stands in the log: all its events, at their versions, with their content."""
    kept = {
        (row.match, row.version): sha256(row.public).hexdigest()
        for rows in batches(connection)
        for row in rows
    }
    for ack in acks:
        found = tuple(kept.get((ack.match, ack.first + i)) for i in range(len(ack.digests)))
        assert found == ack.digests, f"an acknowledged command of match {ack.match} at {ack.first} is missing"


def audit_all(database_url: str) -> int:
    """Audits every match of the log; how many there are. Fails with what the first broken one says."""
    with psycopg.connect(database_url) as connection:
        found = connection.execute("SELECT DISTINCT match FROM log.events").fetchall()
    matches: list[UUID] = [row[0] for row in found]
    with open_pool(database_url) as pool:
        for match in matches:
            outcome = audit_match(pool, match)
            assert outcome.ok, outcome
    return len(matches)
