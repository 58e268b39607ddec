"""A short seeded run of the writers' chaos in every run of the suite."""

from pathlib import Path

from tests.chaos.log import run


def test_no_row_is_skipped_and_no_command_torn_by_killed_and_conflicting_writers(
    database_url: str, tmp_path: Path
) -> None:
    report = run(database_url, events=10_000, kills=6, seed=20261129, folder=tmp_path)
    assert report.kills == 6
    assert report.events >= 10_000
    assert report.acknowledged > 0
