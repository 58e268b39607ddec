"""What readers ask of the read models: tables, matches, boards, and how far behind the log they are.

Every query reads the generation that is live at its moment and is answered from an index.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
import psycopg
from msgspec.structs import replace
from psycopg_pool import ConnectionPool

from adapters.postgres.generations import live_schema
from adapters.postgres.recorder import translated_errors
from adapters.postgres.stored_tables import StoredTable
from projections.leaderboards.rows import ENTRIES, STANDINGS, Entry, Standing
from projections.periods import end_of
from projections.read_model import Table
from projections.tables import LIVE_TABLES, MATCHES, ListedMatch, LiveTable

S = TypeVar("S", bound=msgspec.Struct)

TABLES: Final = "tables"
LEADERBOARDS: Final = "leaderboards"


class BoardLine(msgspec.Struct, frozen=True, kw_only=True):
    """A player's line on a board; ranks of equal points are equal. The rating is of one origin only."""

    rank: int
    player: UUID
    points: int
    matches: int
    hands: int
    wins: int
    slams: int
    pigs: int
    points_per_hand: float
    mu: float | None
    sigma: float | None


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How far a projection is: the position it has applied, and how many events of the log it has not."""

    projection: str
    position: int
    behind: int


class ReadModels:
    """Reads the live generations of one log's projections."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]], log: str = "main") -> None:
        self._pool = pool
        self._log = log

    def live_tables(self) -> list[LiveTable]:
        """Every match that has not ended, the one changed last first."""
        return self._select(TABLES, LIVE_TABLES, "ORDER BY updated_at DESC")

    def matches(
        self,
        *,
        ruleset: str | None = None,
        origin: str | None = None,
        player: UUID | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[ListedMatch]:
        """Matches, the newest first; `before` is the opening position of the last one seen."""
        conditions, values = _conditions(
            ("ruleset = %s", ruleset),
            ("origin = %s", origin),
            ("players @> ARRAY[%s]::uuid[]", player),
            ("opened_at_position < %s", before),
        )
        tail = f"{conditions} ORDER BY opened_at_position DESC LIMIT %s"
        return self._select(TABLES, MATCHES, tail, [*values, limit])

    def match(self, match: UUID) -> ListedMatch | None:
        """One match in short."""
        found = self._select(TABLES, MATCHES, "WHERE match = %s", [match])
        return found[0] if found else None

    def leaderboard(
        self, ruleset: str, *, period: str = "all", origin: str | None = "served", limit: int = 50
    ) -> list[BoardLine]:
        """A board: sums by player over a period (`all`, `2026`, `2026-11`, `2026-11-30`); None: of all origins."""
        values: list[Any] = [ruleset, period, *([origin] if origin else []), limit]
        with translated_errors(), self._pool.connection() as connection:
            schema = live_schema(connection, LEADERBOARDS)
            query = (_BOARD if origin else _BOARD_OF_ALL).format(schema=schema)
            rows = connection.execute(query.encode(), values).fetchall()
            players = [row[0] for row in rows]
            ratings = self._ratings(connection, schema, ruleset, origin, period, players) if origin else {}
        return _ranked([_line(row, ratings) for row in rows])

    def standings(self) -> list[Standing]:
        """Every row of every board."""
        return self._select(LEADERBOARDS, STANDINGS, "ORDER BY ruleset, origin, period, player")

    def entries(self, player: UUID, *, ruleset: str | None = None, limit: int = 1000) -> list[Entry]:
        """The ledger rows of a player, the newest first."""
        conditions, values = _conditions(("player = %s", player), ("ruleset = %s", ruleset))
        return self._select(
            LEADERBOARDS, ENTRIES, f"{conditions} ORDER BY at DESC LIMIT %s", [*values, limit]
        )

    def lags(self) -> list[Lag]:
        """How far each projection is behind the log."""
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(_LAGS, [self._log]).fetchall()
        return [Lag(projection=name, position=position, behind=behind) for name, position, behind in rows]

    def is_up_to_date(self) -> bool:
        """Whether there are read models, and none is behind the log."""
        lags = self.lags()
        return bool(lags) and not any(lag.behind for lag in lags)

    def behind(self) -> int:
        """How many events the slowest projection is behind the log."""
        return max((lag.behind for lag in self.lags()), default=0)

    def _select(self, projection: str, table: Table[S], tail: str, values: Sequence[Any] = ()) -> list[S]:
        with translated_errors(), self._pool.connection() as connection:
            stored = StoredTable(live_schema(connection, projection), table)
            # The rows are ordered as columns before they become JSON.
            query = f"SELECT row_to_json(t)::text FROM (SELECT * FROM {stored.name} {tail}) AS t"  # noqa: S608
            return [stored.decode(row) for (row,) in connection.execute(query.encode(), values)]

    def _ratings(
        self,
        connection: psycopg.Connection[Any],
        schema: str,
        ruleset: str,
        origin: str,
        period: str,
        players: list[UUID],
    ) -> dict[UUID, tuple[float, float]]:
        """The rating of each of these players at the end of the period: mean and uncertainty."""
        end = end_of(period)
        if end is None:
            query = (
                f"SELECT player, mu, sigma FROM {schema}.ratings"  # noqa: S608
                " WHERE ruleset = %s AND origin = %s AND player = ANY (%s)"
            )
            values: list[Any] = [ruleset, origin, players]
        else:
            query = (
                f"SELECT DISTINCT ON (player) player, mu, sigma FROM {schema}.rating_steps"  # noqa: S608
                " WHERE ruleset = %s AND origin = %s AND player = ANY (%s) AND at < %s"
                " ORDER BY player, position DESC"
            )
            values = [ruleset, origin, players, end]
        return {player: (mu, sigma) for player, mu, sigma in connection.execute(query.encode(), values)}


# The index on a board's points gives the page without looking at the rest of the board.
_BOARD: Final = """
SELECT player, points, matches, hands, wins, slams, pigs FROM {schema}.standings
WHERE ruleset = %s AND period = %s AND origin = %s ORDER BY points DESC, player LIMIT %s
"""
_BOARD_OF_ALL: Final = """
SELECT player, sum(points)::bigint AS points, sum(matches)::bigint, sum(hands)::bigint, sum(wins)::bigint,
       sum(slams)::bigint, sum(pigs)::bigint
FROM {schema}.standings WHERE ruleset = %s AND period = %s GROUP BY player ORDER BY 2 DESC, player LIMIT %s
"""
_LAGS: Final = b"""
SELECT live.projection, checkpoint.position,
       greatest(0, (SELECT coalesce(max(position), 0) FROM log.events) - checkpoint.position)
FROM projections.live AS live
JOIN projections.checkpoints AS checkpoint USING (projection, generation)
WHERE checkpoint.log = %s ORDER BY live.projection
"""


def _conditions(*given: tuple[str, Any]) -> tuple[str, list[Any]]:
    """A WHERE clause of the conditions whose value is given, and those values."""
    used = [(text, value) for text, value in given if value is not None]
    clause = f"WHERE {' AND '.join(text for text, _ in used)}" if used else ""
    return clause, [value for _, value in used]


def _line(row: tuple[Any, ...], ratings: dict[UUID, tuple[float, float]]) -> BoardLine:
    player, points, matches, hands, wins, slams, pigs = row
    mu, sigma = ratings.get(player, (None, None))
    return BoardLine(
        rank=0,
        player=player,
        points=points,
        matches=matches,
        hands=hands,
        wins=wins,
        slams=slams,
        pigs=pigs,
        points_per_hand=round(points / hands, 2) if hands else 0.0,
        mu=mu,
        sigma=sigma,
    )


def _ranked(lines: list[BoardLine]) -> list[BoardLine]:
    """The lines of a board from its top, with their ranks: equal points share one."""
    ranked: list[BoardLine] = []
    for place, line in enumerate(lines, 1):
        same = ranked and ranked[-1].points == line.points
        ranked.append(replace(line, rank=ranked[-1].rank if same else place))
    return ranked
