"""Connections under way: written when they end, and in parts where they last."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from adapters.people.connections import MOST_COMMANDS, Connection, joined, with_gaps
from adapters.people.visits import MOST_AT_ONCE, PART, SEVERAL, SILENCE, Visitor, Visits
from tests.adapters.http.test_matches import seated
from tests.support.http import served_on
from tests.support.live import ManualClock, player

ANNA = Visitor(UUID(int=1), UUID(int=9), "aa", "bb")
ELSEWHERE = Visitor(UUID(int=1), UUID(int=9), "cc", "bb")


class Kept:
    """Visits on a clock, and what they had kept."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.records: list[Connection] = []
        self.visits = Visits(self.clock, lambda _player, record: self.records.append(record))

    def later(self, passed: timedelta) -> None:
        self.clock.move(passed.total_seconds())
        self.visits.sweep()


def test_commands_over_http_are_one_visit_until_their_client_falls_silent() -> None:
    kept = Kept()
    opened = kept.clock.now()
    for _ in range(3):
        kept.visits.ask(ANNA, "play", 5)
        kept.later(SILENCE / 2)
    assert kept.records == []
    last = kept.clock.now() - SILENCE / 2
    kept.later(SILENCE / 2)
    (record,) = kept.records
    assert (record.via, record.opened_at, record.closed_at) == ("http", opened, last)
    assert [(sent.do, sent.sent_ms) for sent in record.commands] == [("play", 5)] * 3
    kept.visits.ask(ANNA, "play", None)
    kept.visits.ask(ELSEWHERE, "play", None)
    kept.visits.end_all()
    assert [one.address for one in kept.records[1:]] == ["aa", "cc"]


def test_long_socket_is_written_in_parts_that_make_one_connection() -> None:
    kept = Kept()
    opened = kept.clock.now()
    visit = kept.visits.open(ANNA, after=7)
    kept.visits.note(visit, "done", 1)
    kept.later(PART)
    assert [(one.part, one.closed_at) for one in kept.records] == [(1, None)]
    # Nothing new is nothing to write.
    kept.later(PART)
    assert len(kept.records) == 1
    kept.visits.note(visit, "play", 2)
    kept.later(PART)
    kept.visits.close(visit)
    kept.later(PART)
    assert [one.part for one in kept.records] == [1, 2, 3]
    (whole,) = joined(kept.records[::-1])
    assert (whole.opened_at, whole.closed_at, whole.after) == (opened, opened + 3 * PART, 7)
    assert [sent.do for sent in whole.commands] == ["done", "play"]


def test_no_command_is_left_out_however_many_there_are() -> None:
    kept = Kept()
    visit = kept.visits.open(ANNA, after=None)
    for number in range(2 * MOST_COMMANDS + 1):
        kept.visits.note(visit, "play", number)
    kept.visits.close(visit)
    assert [len(one.commands) for one in kept.records] == [MOST_COMMANDS, MOST_COMMANDS, 1]
    (whole,) = joined(kept.records)
    assert [sent.sent_ms for sent in whole.commands] == list(range(2 * MOST_COMMANDS + 1))


def test_player_who_comes_from_everywhere_at_once_fills_no_table() -> None:
    kept = Kept()
    for number in range(1_000):
        kept.visits.ask(Visitor(UUID(int=1), UUID(int=number + 1), f"{number}", "bb"), "play", number)
    kept.visits.ask(Visitor(UUID(int=2), UUID(int=1), "aa", "bb"), "play", None)
    kept.visits.end_all()
    assert len(kept.records) == MOST_AT_ONCE + 2
    several = next(record for record in kept.records if record.match == SEVERAL)
    assert (several.address, len(several.commands)) == ("", 1_000 - MOST_AT_ONCE)


def test_gap_is_how_long_the_player_was_away_from_the_match() -> None:
    kept = Kept()
    first = kept.visits.open(ANNA, None)
    kept.later(timedelta(seconds=10))
    kept.visits.close(first)
    kept.later(timedelta(seconds=42))
    second = kept.visits.open(ELSEWHERE, 3)
    overlapping = kept.visits.open(ANNA, 3)
    kept.visits.close(second)
    kept.visits.close(overlapping)
    other = kept.visits.open(Visitor(UUID(int=1), UUID(int=10), "aa", "bb"), None)
    kept.visits.close(other)
    assert [known.gap_s for known in with_gaps(joined(kept.records))] == [None, 42, 0, None]


@pytest.mark.parametrize("days", [1, 90])
def test_site_writes_visits_regularly_and_keeps_them_as_long_as_it_is_told(
    database_url: str, tmp_path: Path, days: int
) -> None:
    clock = ManualClock()

    async def run() -> None:
        async with served_on(database_url, tmp_path, clock, keep=timedelta(days=days)) as served:
            await seated(served)
            records = served.site.people.connections
            assert await asyncio.to_thread(records.of, player(1)) == []
            await until(clock, lambda: records.of(player(1)), 60)
            clock.move((days - 1) * 86_400)
            await asyncio.to_thread(records.prune, clock.now(), timedelta(days=days))
            assert await asyncio.to_thread(records.of, player(1))
            await until(clock, lambda: not records.of(player(1)), 3_600)

    asyncio.run(run())


async def until(clock: ManualClock, holds: object, seconds: float) -> None:
    """Moves the clock on by so many seconds at a time until something holds, for two days at most."""
    assert callable(holds)
    for _ in range(int(2 * 86_400 / seconds)):
        clock.move(seconds)
        await asyncio.sleep(0)
        if await asyncio.to_thread(holds):
            return
    pytest.fail("it never came so")
