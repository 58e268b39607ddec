"""Exporting 100,000 hands: events a second in each form (of the notation a tenth), and whether memory stays flat.

The peak of a process never falls, so each form is written by a process of its own.
"""

import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg

from adapters.exports.exporting import ExportOrder, export
from adapters.exports.manifest import Filters, Kind
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from tests.bench.measured import Aim, at_least, at_most
from tests.support.big_log import HANDS_A_MATCH, fill_ended

HANDS: Final = int(os.environ.get("BENCH_HANDS", "100000"))
ORDER: Final[tuple[Kind, ...]] = ("ndjson", "notation", "parquet")
MOST_GROWTH_MB: Final = 64.0
LEAST_EVENTS: Final = 50_000
SETTLED: Final = 0.1
"""The part of an export after which its memory has to stay as it is."""
AT: Final = datetime(2026, 1, 1, tzinfo=UTC)


def export_figures() -> dict[str, Any]:
    """Events and rows of files a second, peak and growth of memory in MB, of every form."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
        server = PostgresServer(Path(folder) / "postgres", settings={"fsync": "off", "max_wal_size": "4GB"})
        server.start()
        try:
            migrate(server.url)
            figures: dict[str, Any] = {"export_hands": HANDS, "export_events": fill_ended(server.url, HANDS)}
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as processes:
                for kind in ORDER:
                    figures |= processes.submit(_exported, server.url, kind, Path(folder)).result()
            return figures
        finally:
            server.stop()


def export_aims(figures: dict[str, Any]) -> tuple[Aim, ...]:
    """The aims of the export."""
    growth = [
        at_most(f"{kind} export, growth in MB after a tenth", MOST_GROWTH_MB, figures[f"{kind}_growth_mb"])
        for kind in ORDER
    ]
    return (at_least("ndjson export, events a second", LEAST_EVENTS, figures["ndjson_events_per_s"]), *growth)


def _exported(database_url: str, kind: Kind, folder: Path) -> dict[str, Any]:
    memory: list[int] = []

    def on_match(done: int, of: int) -> None:
        if not memory and done >= of * SETTLED:
            memory.append(_peak_kb())

    order = ExportOrder(kind=kind, filters=Filters(matches=_part(database_url, kind)))
    before = time.perf_counter()
    manifest = export(database_url, order, folder / kind, AT, on_match=on_match)
    took = time.perf_counter() - before
    shutil.rmtree(folder / kind)
    return {
        f"{kind}_hands": manifest.counts.hands,
        f"{kind}_events_per_s": round(manifest.counts.events / took),
        f"{kind}_rows_per_s": round(sum(file.rows for file in manifest.files) / took),
        f"{kind}_peak_mb": round(_peak_kb() / 1024),
        f"{kind}_growth_mb": round((_peak_kb() - memory[0]) / 1024, 1),
    }


def _part(database_url: str, kind: Kind) -> tuple[UUID, ...]:
    """Which matches: all of them (none named), of the notation a tenth."""
    if kind != "notation":
        return ()
    with psycopg.connect(database_url) as connection:
        found = connection.execute(
            "SELECT match FROM log.events WHERE tag LIKE 'MatchOpened.%%' ORDER BY position LIMIT %s",
            [HANDS // HANDS_A_MATCH // 10],
        )
        return tuple(match for (match,) in found)


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
