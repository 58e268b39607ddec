"""Builds a projection anew from the log beside the one that is read, compares, and lets it be read (design §6).

The same handlers, fed from the log, fill a new generation up to where the live one stands. One transaction then locks
both checkpoints, brings the new one to the same position, compares row for row and flips the pointer. Whoever works on
the old generation finds out with its next batch. What was interrupted goes on where it was.
"""

import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
import psycopg

from adapters.errors import AdapterError, ServersUnavailable
from adapters.feed_messages import message_of_row
from adapters.postgres import comparison, generations, projection_store
from adapters.postgres.comparison import Difference, TableComparison
from adapters.postgres.projection_store import ProjectionStore
from adapters.serialization import Row
from projections.checkpoints import Checkpoint
from projections.messages import Message
from projections.read_model import RowsUnavailable
from projections.runner import Projection

_BATCH: Final = 2000
_MOST_UNDER_LOCK: Final = 5000
_LOCK_SPACE: Final = 728394652

_ROWS: Final = b"""
SELECT position, match, version, tag, body, digest FROM log.events
WHERE position > %b::bigint AND position <= %b::bigint ORDER BY position LIMIT %b::bigint
"""
_LAST: Final = b"SELECT coalesce(max(position), 0) FROM log.events"
_TAKE: Final = b"SELECT pg_try_advisory_lock(%s::integer, hashtext(%s))"
_GIVE_BACK: Final = b"SELECT pg_advisory_unlock(%s::integer, hashtext(%s))"
_RECORD: Final = b"""
INSERT INTO projections.differences
    (projection, live_generation, rebuilt_generation, position, table_name, live_row, rebuilt_row)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
# The comparison reads whole tables, and the flip is to last; a worker's session has it otherwise.
_WHOLE_TABLES: Final = b"""
SELECT set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
       set_config('enable_mergejoin', 'on', true), set_config('plan_cache_mode', 'auto', true),
       set_config('synchronous_commit', 'on', true)
"""

Progress = Callable[[int, int], None]
"""Told how many events have been applied and how many there are."""


class RebuildRunning(AdapterError):
    """Another process builds this projection anew just now."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What a rebuild found.

    `live` is None where nothing was read before; `comparable` is False there, and where its rows were made by another
    version of the program. `flipped`: the rebuilt generation is read now.
    """

    projection: str
    live: int | None
    rebuilt: int
    position: int
    seconds: float
    comparable: bool
    tables: tuple[TableComparison, ...]
    checkpoints: tuple[Difference, ...]
    flipped: bool

    @property
    def equal(self) -> bool:
        """Whether both generations hold the same (also where there was nothing to compare with)."""
        return not self.checkpoints and not any(table.different for table in self.tables)


def rebuild(
    database_url: str,
    projection: Projection,
    *,
    log: str = "main",
    accept: bool = False,
    flip: bool = True,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Builds a projection anew and lets it be read if it equals the live one, or if `accept`.

    Without `flip` it only compares, and the new generation is removed. An interrupted rebuild goes on where it was
    unless `fresh`. Raises `CannotApply`, `RebuildRunning`, `ServersUnavailable`.
    """
    try:
        with projection_store.connect(database_url) as connection:
            return _Rebuild(connection, projection, log, progress).run(accept=accept, flip=flip, fresh=fresh)
    except (RowsUnavailable, psycopg.OperationalError) as error:
        raise ServersUnavailable(f"PostgreSQL is away: {' '.join(str(error).split())}") from error


class _Rebuild:
    """One rebuild, over one connection."""

    def __init__(
        self, connection: psycopg.Connection[Any], projection: Projection, log: str, progress: Progress | None
    ) -> None:
        self._connection = connection
        self._projection = projection
        self._name = projection.name
        self._log = log
        self._progress = progress
        self._began = time.monotonic()

    def run(self, *, accept: bool, flip: bool, fresh: bool) -> Comparison:
        """Alone among the rebuilds of this projection."""
        (taken,) = self._one(_TAKE, [_LOCK_SPACE, self._name])
        if not taken:
            raise RebuildRunning(f"another rebuild of {self._name} is running; wait for it")
        try:
            store = self._store(fresh=fresh or not flip)
            compared = None
            while compared is None:
                self._fill(store)
                compared = self._finish(store, accept=accept, flip=flip)
            if not flip:
                generations.drop(self._connection, self._name, store.generation)
            return compared
        finally:
            self._connection.execute(_GIVE_BACK, [_LOCK_SPACE, self._name])

    def _store(self, *, fresh: bool) -> ProjectionStore:
        """The generation to fill: one that was interrupted, or a new one. Generations nobody reads any more go."""
        live = generations.live_generation(self._connection, self._name) or 0
        unread = generations.others(self._connection, self._name, live)
        begun = [number for number in unread if number > live and not fresh and self._is_of_this_form(number)]
        for number in unread:
            if number not in begun[-1:]:
                generations.drop(self._connection, self._name, number)
        number = begun[-1] if begun else generations.create(self._connection, self._projection, self._log)
        return ProjectionStore(self._connection, self._projection, number, self._log, being_built=True)

    def _is_of_this_form(self, generation: int) -> bool:
        form = generations.form_in(self._connection, self._name, generation, self._log)
        return form == generations.form_of(self._projection)

    def _fill(self, store: ProjectionStore) -> None:
        """Feeds it from the log up to where the live one stands."""
        target = self._target()
        position = store.checkpoint().position
        while position < target:
            position = store.apply(self._messages(position, target)).checkpoint.position
            if self._progress:
                self._progress(position, target)

    def _target(self) -> int:
        """How far to fill: as far as the live generation, if there is one; never past the log's end."""
        (last,) = self._one(_LAST)
        live = self._live_checkpoint()
        return int(last) if live is None else min(int(last), live.position)

    def _live_checkpoint(self, *, lock: bool = False) -> Checkpoint | None:
        live = generations.live_generation(self._connection, self._name)
        if live is None:
            return None
        return generations.checkpoint_of(self._connection, self._name, live, self._log, lock=lock)

    def _messages(self, after: int, until: int) -> list[Message]:
        found = self._connection.execute(_ROWS, [after, until, _BATCH], binary=True)
        return [message_of_row(Row(*row)) for row in found]

    def _finish(self, store: ProjectionStore, *, accept: bool, flip: bool) -> Comparison | None:
        """Compares under the locks of both checkpoints and flips; None where the live one has run too far ahead."""
        with self._connection.transaction():
            live = self._live_checkpoint(lock=True)
            if live is not None and live.generation != generations.live_generation(
                self._connection, self._name
            ):
                return None
            if self._target() - store.checkpoint(lock=True).position > _MOST_UNDER_LOCK:
                return None
            self._fill(store)
            self._connection.execute(_WHOLE_TABLES)
            found = self._compared(live, store.checkpoint())
            if flip and (found.equal or not found.comparable or accept):
                generations.make_live(self._connection, self._name, store.generation)
                self._record(found)
                found = msgspec.structs.replace(found, flipped=True)
            return found

    def _compared(self, live: Checkpoint | None, rebuilt: Checkpoint) -> Comparison:
        comparable = live is not None and self._is_of_this_form(live.generation)
        tables: list[TableComparison] = []
        checkpoints: list[Difference] = []
        if live is not None and comparable:
            tables = comparison.compare(
                self._connection, self._projection, live.generation, rebuilt.generation
            )
            if (live.position, live.digest) != (rebuilt.position, rebuilt.digest):
                checkpoints = [Difference("checkpoint", _text(live), _text(rebuilt))]
        return Comparison(
            projection=self._name,
            live=None if live is None else live.generation,
            rebuilt=rebuilt.generation,
            position=rebuilt.position,
            seconds=time.monotonic() - self._began,
            comparable=comparable,
            tables=tuple(tables),
            checkpoints=tuple(checkpoints),
            flipped=False,
        )

    def _record(self, found: Comparison) -> None:
        """Keeps what someone has accepted."""
        shown = [*found.checkpoints, *(difference for table in found.tables for difference in table.shown)]
        for difference in shown:
            self._connection.execute(
                _RECORD,
                [
                    found.projection,
                    found.live,
                    found.rebuilt,
                    found.position,
                    difference.table,
                    difference.live,
                    difference.rebuilt,
                ],
            )

    def _one(self, statement: bytes, values: list[Any] | None = None) -> tuple[Any, ...]:
        row = self._connection.execute(statement, values).fetchone()
        assert row is not None, "one row is selected"
        return tuple(row)


def _text(checkpoint: Checkpoint) -> str:
    digest = checkpoint.digest.hex() if checkpoint.digest is not None else "none"
    return f"position {checkpoint.position}, digest {digest}"
