"""Logs to export, exports to import, and what came of it."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from uuid import UUID

import psycopg
from msgspec.structs import replace

from adapters.exports.exporting import ExportOrder, export
from adapters.exports.manifest import Kind, Manifest
from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport
from adapters.postgres.recorder import open_pool
from adapters.record_files import BUNDLED_HANDS
from adapters.restoring.paths import import_paths
from adapters.serialization import encode_public
from domain.commands import AbandonMatch
from domain.events import Event, MatchOpened, public_form
from domain.match import fold
from domain.rulesets import RULESETS
from replays.recorded_hands import RecordedMatch, read_records
from tests.support.random_play import random_events, random_match
from tests.support.services import START, service_on
from tests.support.stored_matches import (
    abandoned,
    annulled,
    append,
    corrected,
    decided,
    lifted,
    played,
    side_by_side,
    stored_rows,
)

AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
Publics = dict[UUID, list[bytes]]


def ended_matches(seed: int = 1) -> list[list[Event]]:
    """Ended matches of every ruleset and of every kind of end, some of them annulled, lifted or corrected."""
    random = Random(seed)
    matches = [_ended(name, random) for name in RULESETS]
    matches[1] = annulled(matches[1])
    matches[2] = lifted(annulled(matches[2]))
    matches[3] = corrected(matches[3], 1, (-100, 0, 0, 100))
    matches[4] = corrected(annulled(corrected(matches[4], 1, (0, 0, -40, 100))), 1, (0, 0, -80, 100))
    matches += [*_cut_short(random), _by_bots(random), *_imported()]
    return matches


def _ended(name: str, random: Random) -> list[Event]:
    events = played(RULESETS[name], random, hands=2)
    match = fold(events)
    assert match is not None
    return events if match.ended else abandoned(events)


def _cut_short(random: Random) -> list[list[Event]]:
    """Abandoned before the deal, in a hand that becomes public, and in one whose key was not there."""
    until = [list(step.events) for step in random_match(RULESETS["zero_sum-2"], random, hands=1)]
    seated = [event for events in until[:3] for event in events]
    playing = unfinished(random)
    lost = [public_form(event) for event in unfinished(random)]
    return [
        abandoned(seated),
        abandoned(playing),
        [*lost, *decided(lost, AbandonMatch(cause="key lost", by="op"))],
    ]


def unfinished(random: Random) -> list[Event]:
    """A match in the middle of its first hand, with hidden declarations where chance has it."""
    events: list[Event] = []
    for step in random_match(RULESETS["blood-2"], random, hands=1):
        events += step.events
        if step.after.hand is not None and len(step.after.hand.takers) == 5:
            break
    return events


def _by_bots(random: Random) -> list[Event]:
    events = random_events(RULESETS["zero_sum-1"], random, hands=1)
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    return [replace(opened, origin="bots"), *events[1:]]


def _imported() -> list[list[Event]]:
    with BUNDLED_HANDS.open("rb") as lines:
        records = list(read_records(list(lines)[:2], "hands", START))
    return [list(record.events) for record in records if isinstance(record, RecordedMatch)]


def store(database_url: str, matches: Sequence[Sequence[Event]], seed: int = 1) -> None:
    """Stores matches as if they were played side by side."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        append(connection, side_by_side(matches, Random(seed)))


def publics_of(matches: Sequence[Sequence[Event]]) -> Publics:
    """The public objects of matches."""
    return {events[0].match: [encode_public(event) for event in events] for events in matches}


def publics_in(database_url: str) -> Publics:
    """The public objects of every match of a log."""
    found: Publics = {}
    with psycopg.connect(database_url, autocommit=True) as connection:
        for row in stored_rows(connection):
            found.setdefault(row.match, []).append(row.public)
    return found


def exported(database_url: str, kind: Kind, folder: Path, *, part_bytes: int = 150_000) -> Manifest:
    """Everything that has ended, in parts that are small enough to be several."""
    return export(database_url, ExportOrder(kind=kind, part_bytes=part_bytes), folder, AT)


def import_into(database_url: str, keys: Path, *paths: Path) -> ImportReport:
    """What comes of importing these."""

    async def run() -> ImportReport:
        async with service_on(database_url, keys) as service, GroupCommit(database_url) as commits:
            with open_pool(database_url, most=1) as pool:
                return await import_paths(paths, service, pool, commits, START)

    return asyncio.run(run())


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file of an export but its manifest."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
