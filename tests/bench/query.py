"""What readers ask of a million finished hands: a board's page, a player's matches and hands, a hand, hands by filter.

The tables are made by the projections' own definitions and filled with copies of real rows under new ids, players and
times; then each question is asked many times, with PostgreSQL's default planner settings.
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from adapters.postgres.generations import open_live
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.postgres.queries import ReadModels
from adapters.postgres.recorder import open_pool
from adapters.postgres.stored_tables import StoredTable
from domain.events import Event, public_form
from domain.rulesets import RULESETS
from projections.hand_replays import HAND_REPLAYS
from projections.hand_replays.rows import HANDS, FinishedHand
from projections.leaderboards import LEADERBOARDS
from projections.read_model import R, Table
from projections.runner import Projection
from projections.tables import MATCHES, TABLES, ListedMatch
from tests.bench.measured import Aim, Measured, at_most, machine
from tests.support.random_play import random_events
from tests.support.rows_in_memory import RowsInMemory

HANDS_STORED = int(os.environ.get("BENCH_HANDS", "1000000"))
PLAYERS = 20_000
ASKED = 300
TEMPLATES = 64
MOST_MS = 50.0

_PLAYER = "('00000000-0000-4000-8000-' || lpad(to_hex({}), 12, '0'))::uuid"


def run() -> Measured:
    """Latencies of each question, and whether its p99 is at most 50 ms."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
        server = PostgresServer(Path(folder) / "postgres", settings={"fsync": "off", "max_wal_size": "4GB"})
        server.start()
        try:
            return _run(server.url)
        finally:
            server.stop()


def _run(url: str) -> Measured:
    migrate(url)
    began = time.perf_counter()
    _fill(url)
    filled_s = time.perf_counter() - began
    chance = random.Random(1)
    with open_pool(url, most=1) as pool, psycopg.connect(url) as connection:
        models = ReadModels(pool)
        took = {name: _ask(question) for name, question in _questions(models, connection, chance).items()}
        sizes = _sizes(connection)
    figures: dict[str, Any] = {
        "hands": HANDS_STORED,
        "players": PLAYERS,
        "filled_in_s": round(filled_s),
        **sizes,
    }
    aims: list[Aim] = []
    for name, times in took.items():
        times.sort()
        p99 = times[len(times) * 99 // 100]
        figures[f"{name}_p50_ms"] = round(statistics.median(times), 2)
        figures[f"{name}_p99_ms"] = round(p99, 2)
        aims.append(at_most(f"{name.replace('_', ' ')}, p99 in ms", MOST_MS, p99))
    return Measured(name="query", machine=machine(), figures=figures, aims=tuple(aims))


def _ask(question: Callable[[], object]) -> list[float]:
    """Milliseconds of each time it was asked, after a few to warm up."""
    for _ in range(5):
        question()
    times = []
    for _ in range(ASKED):
        before = time.perf_counter()
        question()
        times.append((time.perf_counter() - before) * 1000)
    return times


def _questions(
    models: ReadModels, connection: psycopg.Connection[Any], chance: random.Random
) -> dict[str, Callable[[], object]]:
    rulesets = list(RULESETS)
    known = connection.execute(
        "SELECT match, hand_no FROM hand_replays_1.hands TABLESAMPLE SYSTEM (0.1)"
    ).fetchall()

    def player() -> UUID:
        return UUID(f"00000000-0000-4000-8000-{chance.randrange(1, PLAYERS + 1):012x}")

    def ruleset() -> str:
        return chance.choice(rulesets)

    def one_hand() -> object:
        match, hand_no = chance.choice(known)
        found = models.hand(match, hand_no)
        assert found is not None
        return found

    specials = ("slam", "all_hearts", "lone_transformer", "pig_to_declarer", "autopilot")
    return {
        "board_page": lambda: models.leaderboard(ruleset(), origin="served"),
        "board_page_of_a_month": lambda: models.leaderboard(ruleset(), origin="served", period="2026-11"),
        "player_matches": lambda: models.matches(player=player()),
        "newest_matches": lambda: models.matches(ruleset=ruleset()),
        "hand_by_id": one_hand,
        "player_hands": lambda: models.hands(player=player()),
        "player_hands_of_a_ruleset": lambda: models.hands(player=player(), ruleset=ruleset()),
        "hands_by_special": lambda: models.hands(special=chance.choice(specials)),
        "hands_by_ruleset_and_special": lambda: models.hands(
            ruleset=ruleset(), special=chance.choice(specials)
        ),
        "player_ledger": lambda: models.entries(player(), limit=100),
    }


def _sizes(connection: psycopg.Connection[Any]) -> dict[str, int]:
    row = connection.execute("SELECT pg_database_size(current_database()) / 1024 / 1024").fetchone()
    return {"database_mb": int(row[0]) if row else 0}


def _fill(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for projection in (TABLES, LEADERBOARDS, HAND_REPLAYS):
            assert open_live(connection, projection, "main") == 1
        connection.execute("SET synchronous_commit = off")
        _load_templates(connection)
        _fill_hands(connection)
        _fill_matches(connection)
        _fill_boards(connection)
        connection.execute("VACUUM ANALYZE")


def _load_templates(connection: psycopg.Connection[Any]) -> None:
    """Real rows of random matches, numbered from 0, to copy from."""
    chance = random.Random(1)
    names = list(RULESETS)
    hands: list[FinishedHand] = []
    matches: list[ListedMatch] = []
    while len(hands) < TEMPLATES or len(matches) < TEMPLATES:
        events = random_events(RULESETS[names[len(matches) % len(names)]], chance, hands=1)
        public = [public_form(event) for event in events]
        hands += rows_of(HAND_REPLAYS, HANDS, public)
        matches += rows_of(TABLES, MATCHES, public)
    _store_templates(connection, "hand_replays_1", HANDS, hands)
    _store_templates(connection, "tables_1", MATCHES, matches)


def _store_templates(
    connection: psycopg.Connection[Any], schema: str, table: Table[R], rows: list[R]
) -> None:
    stored = StoredTable(schema, table)
    connection.execute(stored.upsert.encode(), [stored.rows_as_json(rows[:TEMPLATES])])
    source = f"SELECT *, row_number() OVER () - 1 AS template FROM {schema}.{table.name}"
    connection.execute(f"CREATE TABLE {table.name}_template AS {source}".encode())


def rows_of(projection: Projection, table: Table[R], events: list[Event]) -> list[R]:
    """The rows of one table that a projection makes of these events."""
    rows = RowsInMemory()
    for position, event in enumerate(events, 1):
        handler = projection.handlers.get(type(event))
        if handler is not None:
            handler(event, position, rows)
    return list(rows.content([table])[table.name].values())


def _copied(
    connection: psycopg.Connection[Any], schema: str, table: str, count: int, changed: dict[str, str]
) -> None:
    """Inserts `count` copies of the templates with these columns computed anew (`n` numbers the copies)."""
    names = [
        row[0]
        for row in connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s"
            " ORDER BY ordinal_position",
            [schema, table],
        )
    ]
    values = ", ".join(changed.get(name, f"t.{name}") for name in names)
    connection.execute(
        f"INSERT INTO {schema}.{table} ({', '.join(names)}) SELECT {values}"
        f" FROM generate_series(1::bigint, {count}) AS n"
        f" JOIN {table}_template AS t ON t.template = n * 7919 % {TEMPLATES}".encode()
    )


def _players() -> str:
    return (
        "ARRAY["
        + ", ".join(_PLAYER.format(f"1 + (n * {p} + n / 7) % {PLAYERS}") for p in (1, 31, 977, 4001))
        + "]"
    )


def _time(step: str) -> str:
    return f"'2026-01-01T00:00:00Z'::timestamptz + n * '{step}'::interval"


def _fill_hands(connection: psycopg.Connection[Any]) -> None:
    _copied(
        connection,
        "hand_replays_1",
        "hands",
        HANDS_STORED,
        {
            "match": "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
            "position": "1000000 + n * 70",
            "players": _players(),
            "ended_at": _time("29 seconds"),
            "dealt_at": _time("29 seconds"),
            "specials": "CASE WHEN n % 97 = 0 THEN ARRAY['slam'] WHEN n % 13 = 0 THEN ARRAY['autopilot']"
            " WHEN n % 41 = 0 THEN ARRAY['all_hearts'] WHEN n % 11 = 0 THEN ARRAY['lone_transformer']"
            " ELSE ARRAY[]::text[] END",
            "origin": "'served'",
        },
    )
    connection.execute(
        "INSERT INTO hand_replays_1.hand_seats"
        " (match, hand_no, seat, position, player, ruleset, origin, ended_at, raw_score, points, specials)"
        " SELECT match, hand_no, seat, position, players[seat + 1], ruleset, origin, ended_at,"
        " raw_scores[seat + 1], points[seat + 1], specials"
        " FROM hand_replays_1.hands, generate_series(0, 3) AS seat"
    )


def _fill_matches(connection: psycopg.Connection[Any]) -> None:
    _copied(
        connection,
        "tables_1",
        "matches",
        HANDS_STORED // 4,
        {
            "match": "('00000000-0000-7000-8001-' || lpad(to_hex(n), 12, '0'))::uuid",
            "opened_at_position": "1000000 + n * 280",
            "players": _players(),
            "opened_at": _time("116 seconds"),
            "origin": "'served'",
        },
    )


def _fill_boards(connection: psycopg.Connection[Any]) -> None:
    for period in ("all", "2026", "2026-11"):
        connection.execute(
            "INSERT INTO leaderboards_1.standings"
            " (ruleset, origin, period, player, points, matches, hands, wins, slams, pigs)"
            f" SELECT ruleset, origin, '{period}', {_PLAYER.format('n')}, (random() * 40000 - 20000)::bigint,"
            " 10, 40, 3, 0, 10"
            f" FROM generate_series(1, {PLAYERS}) AS n, unnest(%s::text[]) AS ruleset,"
            " unnest(ARRAY['served', 'bots']) AS origin".encode(),
            [list(RULESETS)],
        )
    connection.execute(
        "INSERT INTO leaderboards_1.ratings (ruleset, origin, player, position, mu, sigma)"
        f" SELECT ruleset, 'served', {_PLAYER.format('n')}, n, 25, 3"
        f" FROM generate_series(1, {PLAYERS}) AS n, unnest(%s::text[]) AS ruleset".encode(),
        [list(RULESETS)],
    )
    connection.execute(
        "INSERT INTO leaderboards_1.entries (match, version, seat, recorded_by, position, kind, hand_no, ruleset,"
        " origin, at, player, points, matches, hands, wins, slams, pigs, counts)"
        " SELECT match, 70, seat, 70, position, 'hand', hand_no, ruleset, origin, ended_at, player,"
        " coalesce(points, 0), 0, 1, 0, 0, 0, true FROM hand_replays_1.hand_seats"
    )
