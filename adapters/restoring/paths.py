"""Importing whatever paths are given: recorded hands through commands, exports of ours as they were recorded."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from adapters.errors import AdapterError
from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport, import_files
from adapters.match_service import MatchService
from adapters.postgres.match_rows import Pool
from adapters.restoring.sources import kind_of, matches_in_file, matches_in_folder
from adapters.restoring.storing import Restorer


async def import_paths(
    paths: Sequence[Path],
    service: MatchService,
    pool: Pool,
    commits: GroupCommit,
    at: datetime,
    on_one: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Imports what these files and folders hold; `on_one` is called after each hand or match."""
    report = ImportReport()
    restorer = Restorer(pool, commits, report, on_one)
    for path in paths:
        try:
            kind = kind_of(path)
            if kind == "records":
                await import_files([path], service, at, on_one, report)
            else:
                await restorer.restore(
                    matches_in_folder(path) if kind == "export" else matches_in_file(path, kind)
                )
        except AdapterError as error:
            report.refuse(str(error))
    return report
