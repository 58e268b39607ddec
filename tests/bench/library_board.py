"""A leaderboard by the stock library: its application, its `ProjectionRunner`, one transaction an event.

The events are ours, as the JSON they are stored as; the board holds points, hands and matches by ruleset, origin and
player. It has no ledger, no periods and no rating, which is less than ours does.
"""

from typing import Any, Final
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg.sql import SQL

from adapters.serialization import Row, decode_public
from domain.events import HandEnded, MatchOpened, MatchSettled
from tests.bench.append_peers import library_environment

_SCHEMA: Final = (
    SQL(
        "CREATE TABLE IF NOT EXISTS board_matches (match uuid PRIMARY KEY, ruleset text, origin text)"
    ).format(),
    SQL(
        "CREATE TABLE IF NOT EXISTS board (ruleset text, origin text, player uuid, points bigint, hands bigint,"
        " matches bigint, PRIMARY KEY (ruleset, origin, player))"
    ).format(),
)
_OPEN: Final = "INSERT INTO board_matches VALUES (%s, %s, %s)"
_ADD: Final = """
INSERT INTO board SELECT ruleset, origin, %s, %s, %s, %s FROM board_matches WHERE match = %s
ON CONFLICT (ruleset, origin, player) DO UPDATE
SET points = board.points + excluded.points, hands = board.hands + excluded.hands,
    matches = board.matches + excluded.matches
"""


class RecordedMatch(Aggregate):
    """A match of the library: the events of one of ours, as they are stored."""

    @event("Recorded")
    def record(self, match: str, version: int, tag: str, body: str) -> None:
        """One event."""
        self.last = (match, version, tag, body)


class Board(PostgresTrackingRecorder):
    """The board's tables; each change and its tracking are one transaction."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sql_create_statements.extend(_SCHEMA)

    def change(self, tracking: Tracking, statements: list[tuple[str, list[Any]]]) -> None:
        """Carries these out and remembers how far the projection is."""
        with self.datastore.transaction(commit=True) as cursor:
            for statement, values in statements:
                cursor.execute(statement, values, prepare=True)
            self._insert_tracking(cursor, tracking)


class BoardProjection(Projection[Board]):
    """Points, hands and matches from hands and settlements."""

    name = "board"

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        """Applies one event."""
        self.view.change(tracking, _statements(domain_event))


def _statements(recorded: Any) -> list[tuple[str, list[Any]]]:
    if not isinstance(recorded, RecordedMatch.Recorded):  # type: ignore[attr-defined]
        return []
    told = decode_public(recorded.tag, recorded.body.encode(), UUID(recorded.match), recorded.version)
    if isinstance(told, MatchOpened):
        return [(_OPEN, [told.match, told.ruleset.name, told.origin])]
    if isinstance(told, HandEnded) and told.points is not None:
        given = zip(told.players, told.points, strict=True)
        return [(_ADD, [player, points, 1, 0, told.match]) for player, points in given]
    if isinstance(told, MatchSettled):
        given = zip(told.players, told.points, strict=True)
        return [(_ADD, [player, points, 0, 1, told.match]) for player, points in given]
    return []


def record(url: str, rows: list[Row]) -> int:
    """Stores whole matches with the library; its last position."""
    app: Application[Any] = Application(env=library_environment(url))
    matches: dict[UUID, RecordedMatch] = {}
    for row in rows:
        found = matches.setdefault(row.match, RecordedMatch())
        found.record(match=str(row.match), version=row.version, tag=row.tag, body=row.public.decode())
    app.save(*matches.values())
    last = app.recorder.max_notification_id() or 0
    app.close()
    return last


def project(url: str, last: int, within_s: float) -> None:
    """Brings the board to a position. Raises the library's `TimeoutError` where that takes longer."""
    with ProjectionRunner[Any, Any](
        application_class=Application,
        projection_class=BoardProjection,
        view_class=Board,
        env=library_environment(url),
    ) as runner:
        runner.wait(last, timeout=within_s)
