"""Exported, imported into an empty log, exported again: the same files, the same matches, the same read models."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import psycopg
import pytest
from msgspec.structs import replace

from adapters.auditing import audit_match
from adapters.exports.manifest import KINDS, Kind
from adapters.postgres.recorder import open_pool
from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    CardsPlayed,
    Event,
    HandCorrected,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
)
from domain.rulesets import RULESETS
from projections.messages import Message
from tests.support.exports import (
    ended_matches,
    exported,
    files_in,
    import_into,
    publics_in,
    publics_of,
    store,
    unfinished,
)
from tests.support.read_models import PROJECTIONS, folded, stored
from tests.support.read_models_built import project
from tests.support.stored_matches import log_messages

MATCHES = ended_matches()
LIVE = unfinished(Random("live"))


@pytest.fixture(scope="module")
def log(new_database: Callable[[], str]) -> str:
    """A log of matches that have ended and one that is being played."""
    database_url = new_database()
    store(database_url, [*MATCHES, LIVE])
    return database_url


def test_matches_here_are_of_every_kind() -> None:
    events: list[Event] = [event for match in MATCHES for event in match]
    opened = [event for event in events if isinstance(event, MatchOpened)]
    assert {one.ruleset.name for one in opened} == set(RULESETS)
    assert {one.origin for one in opened} == {"served", "bots", "seeded", "imported"}
    assert {type(event) for event in events} >= {MatchAnnulled, AnnulmentLifted, HandCorrected}
    abandoned = [event for event in events if isinstance(event, MatchAbandoned)]
    assert {(one.deal_unavailable, one.deal is None) for one in abandoned} == {
        (True, True),
        (False, True),
        (False, False),
    }
    assert any(isinstance(event, CardDeclared) and event.level == "hidden" for event in events)
    assert any(isinstance(event, CardsPlayed) and event.by == "autopilot" for event in events)


@pytest.mark.parametrize("kind", KINDS)
def test_export_imported_and_exported_again_is_the_same(
    kind: Kind, log: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    first = exported(log, kind, tmp_path / "first")
    assert first.counts.matches == len(MATCHES)
    assert len(first.parts) > 2
    copy = new_database()
    report = import_into(copy, tmp_path, tmp_path / "first")
    assert (report.restored, report.errors) == (len(MATCHES), [])
    second = exported(copy, kind, tmp_path / "second")
    assert files_in(tmp_path / "second") == files_in(tmp_path / "first")
    assert second.origin != first.origin
    assert replace(second, origin=first.origin) == first

    assert publics_in(copy) == publics_of(MATCHES)
    with open_pool(copy) as pool:
        assert [audit_match(pool, match).what for match in publics_in(copy)] == [None] * len(MATCHES)
    again = import_into(copy, tmp_path, tmp_path / "first")
    assert (again.restored, again.there_already, again.errors) == (0, len(MATCHES), [])


def test_read_models_of_the_copy_are_equal_but_for_positions(
    log: str, new_database: Callable[[], str], tmp_path: Path
) -> None:
    exported(log, "ndjson", tmp_path / "first")
    copy = new_database()
    import_into(copy, tmp_path, tmp_path / "first")
    with (
        psycopg.connect(log, autocommit=True) as one,
        psycopg.connect(copy, autocommit=True) as other,
    ):
        project(copy, other)
        ended = [message for message in log_messages(one) if message.match != LIVE[0].match]
        for projection in PROJECTIONS:
            ours = _without_positions(folded(projection, ended), ended)
            copied = _without_positions(stored(other, projection), log_messages(other))
            assert copied == ours, projection.name
            assert any(ours.values()), projection.name


def _without_positions(content: dict[str, dict[Any, Any]], messages: list[Message]) -> dict[str, list[str]]:
    """Rows with the event in the place of each position."""
    places = {message.position: f"{message.match}/{message.version}" for message in messages}

    def told(row: Any) -> str:
        fields = msgspec.to_builtins(row)
        for name in fields:
            if "position" in name and fields[name]:
                fields[name] = places[fields[name]]
        return msgspec.json.encode(fields).decode()

    return {table: sorted(map(told, rows.values())) for table, rows in content.items()}


def test_nothing_of_a_live_match_is_in_an_export(log: str, tmp_path: Path) -> None:
    for kind in KINDS:
        exported(log, kind, tmp_path / kind)
        for name, content in files_in(tmp_path / kind).items():
            assert str(LIVE[0].match).encode() not in content, name


def test_matches_stand_in_the_order_they_ended(log: str, tmp_path: Path) -> None:
    exported(log, "ndjson", tmp_path / "first")
    lines = b"".join(files_in(tmp_path / "first").values()).splitlines()
    told = [msgspec.json.decode(line) for line in lines if line]
    with psycopg.connect(log, autocommit=True) as connection:
        ends = connection.execute(
            "SELECT match FROM log.events WHERE tag ~ '^Match(Settled|Abandoned)' ORDER BY position"
        ).fetchall()
    assert list(dict.fromkeys(one["match"] for one in told)) == [str(match) for (match,) in ends]
    assert all("position" not in one for one in told)
