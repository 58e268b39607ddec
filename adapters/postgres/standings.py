"""How each projection stands: which generation is read, how far it is, and what it cannot get past.

Nothing is asked of the processes that keep projections going: what stops one is in the log and in its checkpoint, and
is found by looking at the event that is next and trying it in a transaction that is taken back.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import psycopg

from adapters.feed_messages import message_of_row
from adapters.postgres import generations
from adapters.postgres.projection_store import ProjectionStore, connect
from adapters.postgres.read_models import translated_errors
from adapters.serialization import Row, decode_row
from domain.errors import BrokenLog
from projections.checkpoints import Checkpoint
from projections.read_model import RowsUnavailable
from projections.runner import Projection, ProjectionStopped

_ROW: Final = (
    b"SELECT position, match, version, tag, body, digest FROM log.events WHERE position = %b::bigint"
)
_LAST: Final = b"SELECT coalesce(max(position), 0) FROM log.events"
_DO_NOT_WAIT: Final = b"SET LOCAL lock_timeout = '500ms'"


class ProjectionStanding(msgspec.Struct, frozen=True, kw_only=True):
    """Where a projection stands.

    `generation` is None where nothing is read yet, `epoch` where its last event came from the log itself. `behind`
    counts events of the log, `behind_s` the seconds between the last event applied and the log's last one.
    `stopped`: why it cannot go on, with the event and what to do; None where it can.
    """

    projection: str
    generation: int | None
    position: int
    behind: int
    behind_s: float
    epoch: str | None
    stopped: str | None = None


def standings(
    database_url: str, projections: Sequence[Projection], log: str = "main", *, try_next: bool = True
) -> list[ProjectionStanding]:
    """How these projections stand, as one reader of the log sees them. Raises `RowsUnavailable`.

    Without `try_next` nothing is tried, and `stopped` stays None.
    """
    with connect(database_url) as connection, translated_errors():
        return [_standing(connection, projection, log, try_next=try_next) for projection in projections]


def _standing(
    connection: psycopg.Connection[Any], projection: Projection, log: str, *, try_next: bool
) -> ProjectionStanding:
    # The checkpoint first: the log is then never found behind a projection that moves on meanwhile.
    generation = generations.live_generation(connection, projection.name)
    at = (
        None
        if generation is None
        else generations.checkpoint_of(connection, projection.name, generation, log)
    )
    position = 0 if at is None else at.position
    last = int(connection.execute(_LAST).fetchall()[0][0])
    return ProjectionStanding(
        projection=projection.name,
        generation=generation,
        position=position,
        behind=max(last - position, 0),
        behind_s=_seconds_between(connection, position, last),
        epoch=None if at is None else at.epoch,
        stopped=None if at is None or not try_next else _stopped(connection, projection, at),
    )


def _seconds_between(connection: psycopg.Connection[Any], position: int, last: int) -> float:
    """From the event at a position to the log's last one; from the first event where none was applied."""
    if position >= last:
        return 0.0
    earlier, later = _time_of(connection, max(position, 1)), _time_of(connection, last)
    return 0.0 if earlier is None or later is None else max((later - earlier).total_seconds(), 0.0)


def _time_of(connection: psycopg.Connection[Any], position: int) -> datetime | None:
    row = _row(connection, position)
    try:
        return None if row is None else decode_row(row).at
    except BrokenLog:
        return None


def _row(connection: psycopg.Connection[Any], position: int) -> Row | None:
    found = connection.execute(_ROW, [position], binary=True).fetchone()
    return None if found is None else Row(*found)


def _stopped(connection: psycopg.Connection[Any], projection: Projection, at: Checkpoint) -> str | None:
    """Why it cannot go on from its checkpoint, None where it can."""
    if generations.form_in(connection, projection.name, at.generation, at.log) != generations.form_of(
        projection
    ):
        return generations.other_form(projection.name)
    applied = _row(connection, at.position) if at.position else None
    if at.position and (applied is None or applied.digest != at.digest):
        what = "the log ends before it" if applied is None else "the log has another event there"
        return (
            f"its checkpoint {at.position} is not of this log: {what}; "
            f"run `gongzhu projections rebuild {projection.name}`"
        )
    return _cannot_apply_next(connection, projection, at)


def _cannot_apply_next(
    connection: psycopg.Connection[Any], projection: Projection, at: Checkpoint
) -> str | None:
    """Tries the next event, and takes it back. None also where someone else is at work on it just now."""
    row = _row(connection, at.position + 1)
    if row is None:
        return None
    store = ProjectionStore(connection, projection, at.generation, at.log, being_built=True)
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(_DO_NOT_WAIT)
            store.apply([message_of_row(row)])
    except ProjectionStopped as stopped:
        return str(stopped)
    except RowsUnavailable as error:
        if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            return None
        raise
    return None
