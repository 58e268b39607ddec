"""Old events and matches are read for ever: recorded files of every type and version, and what they replay to."""

from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from adapters.event_catalogue import catalogue
from adapters.event_files import read_events
from adapters.serialization import TYPES_BY_TAG, decode_public, encode_public
from adapters.upcasts import UPCASTS, upcast
from domain.errors import BrokenLog
from domain.events import EVENT_TYPES, HandEnded, MatchOpened, MatchSettled
from domain.rulesets import RULESETS
from replays.audit import audit
from replays.verify import verify
from tests.support.recording import EVENTS, MATCHES

RECORDED_EVENTS = sorted(EVENTS.glob("*.json"))
RECORDED_MATCHES = sorted(MATCHES.glob("*.jsonl"))


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


@pytest.mark.parametrize("path", RECORDED_MATCHES, ids=lambda path: path.stem)
def test_recorded_match_replays_to_its_recorded_results(path: Path) -> None:
    events = read_events(path)
    report = audit(events)
    assert report.ok, report.first_difference
    assert report.hands == sum(isinstance(event, HandEnded) for event in events)
    assert verify(events).ok, verify(events).broken


def test_recorded_matches_cover_every_ruleset_and_every_event_type() -> None:
    events = [event for path in RECORDED_MATCHES for event in read_events(path)]
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
