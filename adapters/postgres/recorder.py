"""The recorders that the `eventsourcing` library reads and writes through (design §4).

Positions are dense, rows are read lean and in binary, and an insert is never retried blindly: whether a transaction
whose answer was lost stands is found out by looking (`group_commit`), not by trying again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event as ThreadEvent
from threading import Thread
from typing import Any, Final
from uuid import UUID

import psycopg
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    StoredEvent,
    Subscription,
)
from psycopg_pool import ConnectionPool, PoolTimeout

from adapters.postgres.appending import APPEND, Append, NewRow, append_arguments, outcomes

CHANNEL: Final = "gongzhu_log"
_POLL_S: Final = 2.0


def open_pool(database_url: str, *, most: int = 4) -> ConnectionPool[psycopg.Connection[Any]]:
    """A pool of autocommit connections for recorders. The caller closes it."""
    return ConnectionPool(
        database_url,
        min_size=1,
        max_size=most,
        kwargs={"autocommit": True},
        timeout=30,
        open=True,
        name="gongzhu",
    )


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turns the driver's errors into the library's, once, here."""
    try:
        yield
    except psycopg.errors.IntegrityError as error:
        raise IntegrityError(str(error)) from error
    except (psycopg.Error, PoolTimeout) as error:
        raise OperationalError(str(error)) from error


class MatchRecorder(ApplicationRecorder):
    """Events of matches, in one dense sequence over the log."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]]) -> None:
        self._pool = pool

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Stores these events whole or not at all; their positions. Raises `IntegrityError` on any conflict."""
        if not stored_events:
            return None
        rows = [
            NewRow(UUID(str(e.originator_id)), e.originator_version, e.topic, e.state) for e in stored_events
        ]
        appends = [Append(rows)]
        try:
            arguments = append_arguments(appends)
        except ValueError as error:
            raise IntegrityError(str(error)) from error
        with translated_errors(), self._pool.connection() as connection:
            (appended,) = outcomes(appends, connection.execute(APPEND, arguments, binary=True).fetchone())
        if appended.first_position is None:
            raise IntegrityError(f"match {rows[0].match} does not stand before version {rows[0].version}")
        return list(range(appended.first_position, appended.first_position + len(rows)))

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The events of one match, in order of version (or against it), each with its position."""
        rows = self.select_rows(originator_id, gt=gt, lte=lte, desc=desc, limit=limit)
        return [
            Notification(originator_id, version, tag, body, id=position)
            for version, tag, body, position in rows
        ]

    def select_rows(
        self,
        match: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> list[tuple[int, str, bytes, int]]:
        """Version, tag, body and position of the events of one match: the same, without an object a row."""
        return _select(self._pool, "events", "body, position", match, gt=gt, lte=lte, desc=desc, limit=limit)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Events from a position on, in order of the log."""
        first = 0 if start is None else start if inclusive_of_start else start + 1
        query = "SELECT position, match, version, tag, body FROM log.events WHERE position >= %b::bigint"
        arguments: list[Any] = [first]
        if stop is not None:
            query += " AND position <= %b::bigint"
            arguments.append(stop)
        if topics:
            query += " AND tag = ANY (%b::text[])"
            arguments.append(list(topics))
        query += " ORDER BY position LIMIT %b::bigint"
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(query.encode(), [*arguments, limit], binary=True).fetchall()
        return [
            Notification(match, version, tag, body, id=position)
            for position, match, version, tag, body in rows
        ]

    def max_notification_id(self) -> int | None:
        """The last position, None in an empty log."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(b"SELECT max(position) FROM log.events", binary=True).fetchone()
        return None if row is None else row[0]

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> Subscription[ApplicationRecorder]:
        """Events after a position, and those to come."""
        return LogSubscription(self, gt, topics)

    @contextmanager
    def listening(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that hears of every commit to the log."""
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(f"LISTEN {CHANNEL}".encode())
            try:
                yield connection
            finally:
                connection.execute(f"UNLISTEN {CHANNEL}".encode())


class SnapshotRecorder(AggregateRecorder):
    """Snapshots of matches at their hands' ends."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]]) -> None:
        self._pool = pool

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Stores snapshots. Raises `IntegrityError` where one of a version is there."""
        with translated_errors(), self._pool.connection() as connection, connection.transaction():
            for event in stored_events:
                connection.execute(
                    b"INSERT INTO log.snapshots (match, version, tag, state) VALUES (%b, %b::bigint, %b, %b)",
                    [event.originator_id, event.originator_version, event.topic, event.state],
                )
        return None

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The snapshots of one match, in order of version (or against it)."""
        rows = _select(
            self._pool, "snapshots", "state", originator_id, gt=gt, lte=lte, desc=desc, limit=limit
        )
        return [StoredEvent(originator_id, version, tag, state) for version, tag, state in rows]


def _select(
    pool: ConnectionPool[psycopg.Connection[Any]],
    table: str,
    content: str,
    match: UUID | str,
    *,
    gt: int | None,
    lte: int | None,
    desc: bool,
    limit: int | None,
) -> list[Any]:
    query = f"SELECT version, tag, {content} FROM log.{table} WHERE match = %b"  # noqa: S608 - both names are ours
    arguments: list[Any] = [match]
    for condition, value in ((" AND version > %b::bigint", gt), (" AND version <= %b::bigint", lte)):
        if value is not None:
            query += condition
            arguments.append(value)
    query += " ORDER BY version" + (" DESC" if desc else "")
    if limit is not None:
        query += " LIMIT %b::bigint"
        arguments.append(limit)
    with translated_errors(), pool.connection() as connection:
        return connection.execute(query.encode(), arguments, binary=True).fetchall()


class LogSubscription(ListenNotifySubscription[MatchRecorder]):
    """The library's subscription, woken by the log's notifications and, should one be lost, by polling."""

    def __init__(self, recorder: MatchRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._stopped = ThreadEvent()
        self._listener = Thread(target=self._listen, name="gongzhu-log-subscription", daemon=True)
        self._listener.start()

    def stop(self) -> None:
        """Stops the subscription."""
        self._stopped.set()
        super().stop()

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        super().__exit__(*args, **kwargs)
        self._listener.join()

    def _listen(self) -> None:
        try:
            with self._recorder.listening() as connection:
                while not self._stopped.is_set():
                    for _ in connection.notifies(timeout=_POLL_S / 20, stop_after=1):
                        break
                    self._has_been_notified.set()
        except OperationalError as error:
            self._thread_error = error
            self.stop()
