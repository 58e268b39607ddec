"""Reading matches and the log: the stock library, ours, and a floor of bare psycopg rows decoded with msgspec.

A match is read into its events (`events`) and rebuilt as it stands (`rebuilt`, with and without its snapshot); the
library rebuilds an aggregate of as many JSON events. The scan reads a log of a million events in order and decodes
each; its memory is watched.
"""

import os
import resource
import statistics
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from eventsourcing.application import Application

from adapters.event_store import MatchLog
from adapters.postgres.appending import APPEND, Append, append_arguments
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.log_scan import scan
from adapters.postgres.migrations import migrate
from adapters.postgres.recorder import open_pool
from adapters.serialization import decode_public, public_part
from domain.rulesets import RULESETS
from tests.bench.append_peers import Hand, library_environment
from tests.bench.measured import Measured, at_least, at_most, machine, rates_in_rounds, ratio
from tests.support.big_log import fill, long_match, rows_of, sealer

SCAN_EVENTS = int(os.environ.get("BENCH_EVENTS", "1000000"))
SHORT, LONG = UUID(int=1 << 64 | 7 << 76 | 2 << 62), UUID(int=2 << 64 | 7 << 76 | 2 << 62)
MATCHES = {"short": (SHORT, 1), "long": (LONG, 22)}
SCAN_BATCH = 20_000
LIBRARY_SCAN = 50_000

_ROWS = b"SELECT version, tag, body FROM log.events WHERE match = %b ORDER BY version"
_SCAN = b"SELECT position, match, version, tag, body FROM log.events WHERE position > %b ORDER BY position LIMIT %b"


def run() -> Measured:
    """Times of a match, rates of the scan, and their ratios to the floor."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
        server = PostgresServer(Path(folder) / "postgres", settings={"fsync": "off"})
        server.start()
        try:
            return _run(server.url)
        finally:
            server.stop()


def _run(url: str) -> Measured:
    migrate(url)
    sizes = {name: _store(url, match, hands) for name, (match, hands) in MATCHES.items()}
    stored = fill(url, SCAN_EVENTS) + sum(sizes.values())
    library = _library(url, sizes)
    with open_pool(url) as pool, psycopg.connect(url, autocommit=True) as connection:
        log = MatchLog(pool, sealer())
        log.keep_snapshot(log.match_from_events(LONG))
        rates, failed = rates_in_rounds(_match_peers(log, connection, library), rounds=5, for_s=0.6)
        scans, scan_failed = rates_in_rounds(
            _scan_peers(url, connection, library[1]), rounds=3, for_s=2.0, limit_s=120
        )
        growth = _memory_growth(url)
    figures: dict[str, Any] = {
        "log_events": stored,
        **{f"{name}_match_events": n for name, n in sizes.items()},
    }
    figures |= {f"{name}_us": round(1e6 / statistics.median(found), 1) for name, found in rates.items()}
    figures |= {f"{name}_events_per_s": round(statistics.median(found)) for name, found in scans.items()}
    figures |= {f"{name}_failed": why for name, why in {**failed, **scan_failed}.items()}
    figures["scan_memory_growth_mb"] = round(growth, 1)
    aims = (
        *(
            at_most(
                f"a {name} match's events, times the floor",
                2.0,
                _slower(rates, f"{name}_events", f"{name}_floor"),
            )
            for name in MATCHES
        ),
        at_least("scan, of the floor's rate", 0.6, ratio(scans, "scan_ours", "scan_floor")),
        at_most("memory growth over the scan, MB", 16.0, growth),
    )
    return Measured(name="load", machine=machine(), figures=figures, aims=aims)


def _slower(rates: dict[str, list[float]], one: str, other: str) -> float | None:
    return ratio(rates, other, one)


def _store(url: str, match: UUID, hands: int) -> int:
    events = long_match(RULESETS["zero_sum-1"], hands)
    rows = rows_of(events, match, sealer())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(APPEND, append_arguments([Append(rows)]), binary=True)
    return len(rows)


def _library(url: str, sizes: dict[str, int]) -> tuple[dict[str, UUID], Application[Any]]:
    """Aggregates of the stock library with as many events, and its log filled for a scan."""
    app: Application[Any] = Application(env=library_environment(url))
    ids: dict[str, UUID] = {}
    for name, size in sizes.items():
        ids[name] = _aggregate(app, size)
    for _ in range(LIBRARY_SCAN // 500):
        _aggregate(app, 500)
    return ids, app


def _aggregate(app: Application[Any], size: int) -> UUID:
    hand = Hand()
    for _ in range(size - 1):
        hand.play(seat=1, cards=["SQ"], think_ms=812)
    app.save(hand)
    return hand.id


def _match_peers(
    log: MatchLog, connection: psycopg.Connection[Any], library: tuple[dict[str, UUID], Application[Any]]
) -> dict[str, Callable[[], int]]:
    ids, app = library
    peers: dict[str, Callable[[], int]] = {}

    def once(read: Callable[[], object]) -> Callable[[], int]:
        return lambda: 1 if read() is not None else 0

    for name, (match, _) in MATCHES.items():
        peers[f"{name}_floor"] = once(lambda match=match: _floor_match(connection, match))  # type: ignore[misc]
        peers[f"{name}_events"] = once(lambda match=match: log.events_of(match))  # type: ignore[misc]
        peers[f"{name}_rebuilt"] = once(lambda match=match: log.match_from_events(match))  # type: ignore[misc]
        peers[f"{name}_library"] = once(lambda own=ids[name]: app.repository.get(own))  # type: ignore[misc]
    peers["long_from_snapshot"] = once(lambda: log.match(LONG))
    return peers


def _floor_match(connection: psycopg.Connection[Any], match: UUID) -> list[object]:
    rows = connection.execute(_ROWS, [match], binary=True).fetchall()
    return [decode_public(tag, public_part(body), match, version) for version, tag, body in rows]


class _Floor:
    """Scans with bare psycopg and msgspec, batch after batch, from the beginning again at the end."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._at = 0

    def read(self) -> int:
        """Reads and decodes one batch."""
        rows = self._connection.execute(_SCAN, [self._at, SCAN_BATCH], binary=True).fetchall()
        for position, match, version, tag, body in rows:
            decode_public(tag, public_part(body), match, version, position)
        self._at = rows[-1][0] if len(rows) == SCAN_BATCH else 0
        return len(rows)


class _Ours:
    """Scans with `log_scan`, as many rows at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._reading = scan(url)

    def read(self) -> int:
        """Reads as many rows."""
        read = sum(1 for _ in islice(self._reading, SCAN_BATCH))
        if read < SCAN_BATCH:
            self._reading = scan(self._url)
        return read


def _scan_peers(
    url: str, connection: psycopg.Connection[Any], app: Application[Any]
) -> dict[str, Callable[[], int]]:
    def library() -> int:
        read = app.recorder.select_notifications(start=1, limit=SCAN_BATCH)
        return len([app.mapper.to_domain_event(one) for one in read])

    return {"scan_floor": _Floor(connection).read, "scan_ours": _Ours(url).read, "scan_library": library}


def _memory_growth(url: str) -> float:
    """MB by which the process's peak grows over a whole scan, after a first part of it."""
    reading = scan(url)
    for _ in zip(range(SCAN_BATCH), reading, strict=False):
        pass
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in reading:
        pass
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
