"""Rows over rows: the changes are seen, and what is beneath stays as it is."""

from random import Random

from projections import runner
from projections.leaderboards import LEADERBOARDS
from projections.overlay import Overlay
from projections.read_model import Rows
from tests.support.rows_in_memory import RowsInMemory
from tests.support.stored_matches import messages_of, season

MESSAGES = messages_of(season(71, matches=6))


def content(rows: Rows) -> dict[str, list[object]]:
    return {table.name: list(rows.scan(table, ())) for table in LEADERBOARDS.tables}


def test_what_follows_is_the_same_over_rows_that_stay_as_they_are() -> None:
    for split in sorted(Random(1).sample(range(len(MESSAGES)), k=4)):
        beneath, whole = RowsInMemory(), RowsInMemory()
        runner.apply(LEADERBOARDS, MESSAGES[:split], beneath)
        before = content(beneath)
        runner.apply(LEADERBOARDS, MESSAGES, whole)
        over = Overlay(beneath)
        runner.apply(LEADERBOARDS, MESSAGES[split:], over)
        assert content(over) == content(whole)
        assert content(beneath) == before


def test_over_nothing_it_is_rows_in_memory() -> None:
    whole, over = RowsInMemory(), Overlay()
    runner.apply(LEADERBOARDS, MESSAGES, whole)
    runner.apply(LEADERBOARDS, MESSAGES, over)
    assert content(over) == content(whole)
