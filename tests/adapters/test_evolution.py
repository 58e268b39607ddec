"""Old events and matches are read for ever: recorded files of every type and version, and what they replay to.

Event shapes are frozen from version 1 of each on. Whatever is added to `tests/recorded/` is found here by its folder.
"""

from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from adapters.event_catalogue import catalogue
from adapters.event_files import read_events
from adapters.serialization import TYPES_BY_TAG, decode_public, encode_public
from adapters.upcasts import UPCASTS, upcast
from domain.errors import BrokenLog
from domain.events import EVENT_TYPES, HandCorrected, HandEnded, MatchOpened, MatchSettled
from domain.rulesets import RULESETS
from replays.audit import audit
from replays.notation import parse
from replays.timeline import Timeline
from replays.verify import verify
from tests.support.recording import (
    EVENTS,
    FROZEN,
    MATCHES,
    RECORDED,
    SUMS,
    AlreadyRecorded,
    add,
    digests,
    note_new,
    sums,
)

RECORDED_EVENTS = sorted(EVENTS.glob("*.json"))
RECORDED_MATCHES = sorted(MATCHES.glob("*.jsonl"))
RECORDINGS = {path.name: read_events(path) for path in RECORDED_MATCHES} | {
    path.name: list(parse(path.read_bytes().decode()).events)
    for path in sorted((RECORDED / "notation").glob("*.txt"))
}
"""The events of every recorded match, in whichever form it was recorded, by the name of its file."""


def test_every_event_type_and_version_has_a_recorded_file() -> None:
    older = {f"{name}.{schema}" for name, schema in UPCASTS}
    assert {path.stem for path in RECORDED_EVENTS} == set(TYPES_BY_TAG) | older


@pytest.mark.parametrize("path", RECORDED_EVENTS, ids=lambda path: path.stem)
def test_recorded_event_is_read_and_written_as_it_was(path: Path) -> None:
    stored = msgspec.json.format(path.read_bytes(), indent=-1).strip()
    head = msgspec.json.decode(stored)
    event = decode_public(path.stem, stored, UUID(head["match"]), head["version"])
    if path.stem in TYPES_BY_TAG:
        assert msgspec.json.format(encode_public(event), indent=-1).strip() == stored


def test_recordings_are_what_they_were_when_they_were_made() -> None:
    """Shapes are frozen: a recorded event changes by a new version with a file of its own, never in place."""
    assert digests() == sums(), "a recording was changed, removed, or added without `tests.support.recording`"


def test_recording_that_is_there_is_never_written_again(tmp_path: Path) -> None:
    for folder in FROZEN:
        (tmp_path / folder).mkdir()
    (tmp_path / SUMS.name).touch()
    path = tmp_path / "events" / "CardsPlayed.1.json"
    assert add(path, b"{}")
    note_new(tmp_path)
    assert not add(path, b"{}")
    with pytest.raises(AlreadyRecorded, match="stays as it is; record the new one under another name"):
        add(path, b'{"by": "player"}')
    assert add(path.with_name("CardsPlayed.2.json"), b'{"by": "player"}')
    note_new(tmp_path)
    assert digests(tmp_path) == sums(tmp_path / SUMS.name)
    path.write_bytes(b"{ }")
    note_new(tmp_path)
    assert digests(tmp_path) != sums(tmp_path / SUMS.name)


def test_every_recorded_file_is_read_by_these_tests() -> None:
    read = {path.name for path in RECORDED_EVENTS} | set(RECORDINGS)
    assert {name.partition("/")[2] for name in digests()} == read


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_match_replays_to_its_recorded_results(name: str) -> None:
    events = RECORDINGS[name]
    report = audit(events)
    assert report.ok, report.first_difference
    assert report.hands == sum(isinstance(event, HandEnded) for event in events)
    assert verify(events).ok, verify(events).broken


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_match_comes_to_its_recorded_results_step_by_step(name: str) -> None:
    events = RECORDINGS[name]
    timeline = Timeline(events)
    assert timeline.failure is None
    assert len(timeline) == len(events)
    for number, event in enumerate(events, 1):
        match = timeline.state(number)
        if isinstance(event, HandEnded):
            assert match.raw_scores[event.hand_no - 1] == event.raw_scores
            assert event.blood in (None, match.blood)
        elif isinstance(event, MatchSettled):
            assert (match.points, event.blood) == (
                event.points,
                match.blood if match.ruleset.by_blood else None,
            )
        elif isinstance(event, HandCorrected):
            assert match.raw_scores[event.hand_no - 1] == event.raw_scores
            assert event.match_points in (None, match.points)


def test_recorded_matches_cover_every_ruleset_and_every_event_type() -> None:
    events = [event for recording in RECORDINGS.values() for event in recording]
    assert {type(event) for event in events} == set(EVENT_TYPES)
    assert {event.ruleset.name for event in events if isinstance(event, MatchOpened)} == set(RULESETS)
    assert any(isinstance(event, MatchSettled) for event in events)


def test_older_schema_is_led_through_its_upcasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(UPCASTS, ("PlayerSeated", 1), lambda fields: {**fields, "club": "none"})
    monkeypatch.setitem(UPCASTS, ("PlayerSeated", 2), lambda fields: {**fields, "club": fields["club"] + "!"})
    assert upcast("PlayerSeated", {"type": "PlayerSeated", "schema": 1}, 3)["club"] == "none!"
    assert upcast("PlayerSeated", {"type": "PlayerSeated", "schema": 3}, 3)["schema"] == 3


def test_unknown_tag_and_broken_payload_name_the_row() -> None:
    stored = (EVENTS / "PlayerSeated.1.json").read_bytes()
    head = msgspec.json.decode(stored)
    own = UUID(head["match"])
    with pytest.raises(BrokenLog, match=r"position 12, tag PlayerSeated.9: unknown tag"):
        decode_public("PlayerSeated.9", stored, own, head["version"], 12)
    with pytest.raises(BrokenLog, match="does not decode"):
        decode_public("PlayerSeated.1", b'{"type": "PlayerSeated"}', own, 3, 12)
    with pytest.raises(BrokenLog, match="does not decode"):
        decode_public("PlayerSeated.1", b"\xff\x00", own, 3, 12)
    with pytest.raises(BrokenLog, match="payload is of match"):
        decode_public("PlayerSeated.1", stored, UUID(int=5), head["version"], 12)


def test_list_of_event_types_tells_public_from_secret_fields() -> None:
    entries = {entry.type: entry for entry in catalogue()}
    assert len(entries) == len(EVENT_TYPES)
    assert entries["HandDealt"].secret == ("order", "seed", "leader")
    assert "secret" not in {field for entry in entries.values() for field in entry.public}
    assert entries["CardsPlayed"].public[:5] == ("schema", "match", "version", "at", "hand_no")
