"""A projection's rows and checkpoint in PostgreSQL: applies batches of messages, each in one transaction (design §6).

The checkpoint is locked first; what was applied before is left out, so any number of workers may bring the same
messages. A batch is in effect whole or not at all, and its last message is looked up in the log: nothing is ever
applied that the log does not hold.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import psycopg

from adapters.postgres import generations
from adapters.postgres.generations import schema_of
from adapters.postgres.read_models import PostgresRows, translated_errors
from projections import runner
from projections.checkpoints import Checkpoint
from projections.messages import Message
from projections.read_model import RowRefused
from projections.runner import CannotApply, Projection, ProjectionStopped

_SETTINGS: Final = b"""
SELECT set_config('timezone', 'UTC', false),
       -- Rows and checkpoint are lost together or not at all; what is lost is read again.
       set_config('synchronous_commit', 'off', false),
       -- A worker only looks rows up by their keys. A plan made while a table was small must not scan it later.
       set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
       set_config('enable_mergejoin', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false)
"""
_IN_LOG: Final = b"SELECT digest FROM log.events WHERE position = %s"


class GenerationReplaced(Exception):
    """Another generation of the projection is read now; this one is not to be written any more."""


class Applied(NamedTuple):
    """Where the projection stands after a batch, and whether a message is missing after it."""

    checkpoint: Checkpoint
    gap: bool


def connect(database_url: str) -> psycopg.Connection[Any]:
    """A connection for applying messages. Raises `RowsUnavailable`."""
    with translated_errors():
        connection = psycopg.connect(database_url, autocommit=True)
        try:
            connection.execute(_SETTINGS)
        except BaseException:
            connection.close()
            raise
        return connection


class ProjectionStore:
    """One generation of a projection, over one connection. `being_built`: it is not the one that is read."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        projection: Projection,
        generation: int,
        log: str,
        *,
        being_built: bool = False,
    ) -> None:
        self.connection = connection
        self.generation = generation
        self._projection = projection
        self._log = log
        self._being_built = being_built
        self._rows = PostgresRows(connection, schema_of(projection.name, generation), projection.tables)
        self._rows_as_of = -1

    def checkpoint(self, *, lock: bool = False) -> Checkpoint:
        """Where it stands; `lock` until the end of the transaction around. Raises `GenerationReplaced`."""
        with translated_errors():
            found = generations.checkpoint_of(
                self.connection, self._projection.name, self.generation, self._log, lock=lock
            )
        if found is None:
            raise GenerationReplaced(f"{self._projection.name} {self.generation} is gone")
        return found

    def apply(self, messages: Sequence[Message]) -> Applied:
        """Applies what is due of these messages, in one transaction.

        Raises `CannotApply` after what came before has been applied, `ProjectionStopped`, `GenerationReplaced` and,
        where it is worth trying again, `RowsUnavailable`.
        """
        try:
            return self._apply(messages)
        except (CannotApply, RowRefused) as error:
            if len(messages) > 1:
                # Halving finds the message that cannot be applied, and applies those before it.
                half = len(messages) // 2
                self.apply(messages[:half])
                return self.apply(messages[half:])
            if isinstance(error, RowRefused):
                raise CannotApply(self._projection.name, messages[0], str(error)) from error
            raise

    def _apply(self, messages: Sequence[Message]) -> Applied:
        try:
            with translated_errors(), self.connection.transaction():
                applied = self._apply_in_transaction(messages)
        except BaseException:
            self._rows.forget()
            self._rows_as_of = -1
            raise
        self._rows.trim()
        self._rows_as_of = applied.checkpoint.position
        return applied

    def _apply_in_transaction(self, messages: Sequence[Message]) -> Applied:
        checkpoint = self.checkpoint(lock=True)
        self.check_generation()
        if checkpoint.position != self._rows_as_of:
            # Another worker has been here: what this one knows of the rows is old.
            self._rows.forget()
        due = runner.due(messages, checkpoint.position)
        if not due.messages:
            return Applied(checkpoint, due.gap)
        last = due.messages[-1]
        self._check_log(last)
        runner.apply(self._projection, due.messages, self._rows)
        self._rows.flush()
        checkpoint = Checkpoint(
            log=self._log,
            projection=self._projection.name,
            generation=self.generation,
            position=last.position,
            epoch=last.epoch,
            digest=last.digest,
        )
        generations.advance(self.connection, checkpoint)
        return Applied(checkpoint, due.gap)

    def check_generation(self) -> None:
        """Raises `GenerationReplaced` where another generation is read by now."""
        if self._being_built:
            return
        with translated_errors():
            live = generations.live_generation(self.connection, self._projection.name)
        if live != self.generation:
            raise GenerationReplaced(f"{self._projection.name} {live} is read now, not {self.generation}")

    def _check_log(self, message: Message) -> None:
        """Refuses a message that is not in the log, as after the log was restored to an older backup."""
        if message.epoch is None:
            return
        digest = self.digest_in_log(message.position)
        if digest != message.digest:
            what = "is not in the log" if digest is None else "is another one than the log has there"
            raise ProjectionStopped(
                self._projection.name,
                f"the feed's message {what}; run `gongzhu feed rebuild`",
                position=message.position,
            )

    def digest_in_log(self, position: int) -> bytes | None:
        """The digest of the row at a position of the log, None where there is none."""
        with translated_errors():
            row = self.connection.execute(_IN_LOG, [position]).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Ends the connection."""
        self.connection.close()
