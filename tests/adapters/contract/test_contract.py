"""The contract's files are what the code says, what is published keeps to them, and a fault is seen."""

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from adapters.contract import files
from adapters.contract.asyncapi import asyncapi_document
from adapters.contract.compatibility import losses
from adapters.contract.files import FOLDER, ContractBroken
from adapters.contract.forms import NoForm, form_of
from adapters.contract.schemas import event_schemas
from adapters.event_catalogue import catalogue
from adapters.nats.headers import headers_of, source_of
from adapters.sealing import Sealer
from adapters.serialization import TYPES_BY_TAG, Row, encode_body, encode_public, row_digest, tag_of
from adapters.upcasts import UPCASTS
from domain.events import Event, PlayerLeft
from tests.support.contract import faults_of_body, faults_of_message, validator
from tests.support.stored_matches import sealer, season

Change = Callable[[dict[str, Any]], Any]

LEFT = PlayerLeft(
    match=UUID(int=7),
    version=3,
    at=datetime(2026, 1, 1, tzinfo=UTC),
    seat=1,
    player=UUID(int=8),
    cause="away",
)
EVENTS = [LEFT, *(event for seed in range(3) for event in season(seed))]
BODIES = {tag_of(event): encode_public(event) for event in EVENTS}
"""One body of every type."""


def _row(position: int, event: Event, sealing: Sealer) -> Row:
    body = encode_body(event, sealing)
    digest = row_digest(position, event.match, event.version, tag_of(event), body)
    return Row(position, event.match, event.version, tag_of(event), body, digest)


def _copied(folder: Path) -> Path:
    return Path(shutil.copytree(FOLDER, folder / "contract"))


def _edited(path: Path, change: Change) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def test_files_are_as_the_code_has_them() -> None:
    assert files.differing() == []
    assert files.broken() == []


def test_every_event_type_has_a_schema() -> None:
    assert {path.stem for path in (FOLDER / "schemas").iterdir()} == set(TYPES_BY_TAG)


def test_every_event_of_many_matches_keeps_to_its_schema() -> None:
    assert set(BODIES) == set(TYPES_BY_TAG), "the matches show every type"
    faults = {tag_of(event): faults_of_body(tag_of(event), encode_public(event)) for event in EVENTS}
    assert {tag: found for tag, found in faults.items() if found} == {}


def test_every_message_keeps_to_the_contract() -> None:
    sealing, source = sealer(), source_of("main", "0123456789abcdef")
    for position, event in enumerate(EVENTS[:400], 1):
        row = _row(position, event, sealing)
        assert faults_of_message(headers_of(row, row.public, source), row.public) == []


def test_schemas_have_the_public_fields_and_no_secret_ones() -> None:
    fields = {tag: tuple(schema["properties"]) for tag, schema in event_schemas().items()}
    assert fields == {f"{entry.type}.{entry.schema}": ("type", *entry.public) for entry in catalogue()}
    text = json.dumps([{**schema, "description": ""} for schema in event_schemas().values()])
    for name in ("Secret", '"secret"', '"root"', "RootSecret", "DealSecret"):
        assert name not in text


FAULTS: list[tuple[str, Change]] = [
    ("CardsPlayed.1", lambda body: body.pop("seat")),
    ("CardsPlayed.1", lambda body: body.update(seat=4)),
    ("CardsPlayed.1", lambda body: body.update(seat=-1)),
    ("CardsPlayed.1", lambda body: body.update(seat="0")),
    ("CardsPlayed.1", lambda body: body.update(cards=["XX"])),
    ("CardsPlayed.1", lambda body: body.update(cards=["SQc"])),
    ("CardsPlayed.1", lambda body: body.update(cards=[])),
    ("CardsPlayed.1", lambda body: body.update(cards=["SQ", "SK", "SA"])),
    ("CardsPlayed.1", lambda body: body.update(by="nobody")),
    ("CardsPlayed.1", lambda body: body.update(think_ms=-1)),
    ("CardsPlayed.1", lambda body: body.update(hand_no=0)),
    ("CardsPlayed.1", lambda body: body.update(type="CardPlayed")),
    ("CardsPlayed.1", lambda body: body.update(schema=2)),
    ("CardsPlayed.1", lambda body: body.update(version=0)),
    ("CardsPlayed.1", lambda body: body.update(match="not a match")),
    ("CardsPlayed.1", lambda body: body.update(at="yesterday")),
    ("CardsPlayed.1", lambda body: body.update(at="2026-01-01T00:00:00+01:00")),
    ("HandEnded.1", lambda body: body.update(raw_scores=[0, 0, 0])),
    ("HandEnded.1", lambda body: body.update(seed="00")),
    ("HandEnded.1", lambda body: body["deal"]["hands"][3].pop()),
    ("HandEnded.1", lambda body: body["accounts"][0].update(rule="luck")),
    ("MatchOpened.1", lambda body: body["ruleset"].update(decks=3)),
    ("MatchOpened.1", lambda body: body["ruleset"]["scoring"].pop("pig")),
    ("MatchOpened.1", lambda body: body["clocks"].update(play_s="20")),
]


@pytest.mark.parametrize(("tag", "change"), FAULTS, ids=[f"{n}-{tag}" for n, (tag, _) in enumerate(FAULTS)])
def test_faulty_body_is_seen(tag: str, change: Change) -> None:
    body = json.loads(BODIES[tag])
    assert faults_of_body(tag, json.dumps(body).encode()) == []
    change(body)
    assert faults_of_body(tag, json.dumps(body).encode()) != []


def test_body_with_more_fields_is_admitted() -> None:
    body = {**json.loads(BODIES["CardsPlayed.1"]), "weather": {"sunny": True}}
    assert faults_of_body("CardsPlayed.1", json.dumps(body).encode()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ce-id", "17"),
        ("ce-source", "urn:gongzhu:log:main"),
        ("ce-type", "gongzhu.CardsPlayed"),
        ("ce-dataschema", "urn:gongzhu:schema:CardsPlayed.9"),
        ("ce-sequence", "12"),
        ("ce-rowdigest", None),
        ("ce-sealeddigest", "none"),
    ],
)
def test_faulty_header_is_seen(name: str, value: str | None) -> None:
    row = _row(1, EVENTS[0], sealer())
    headers: dict[str, Any] = {
        **headers_of(row, row.public, source_of("main", "0123456789abcdef")),
        name: value,
    }
    if value is None:
        del headers[name]
    assert list(validator("headers").iter_errors(headers))


def test_drift_is_seen_file_by_file(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    _edited(folder / "schemas" / "HandDealt.1.json", lambda schema: schema.update(title="Dealt"))
    _edited(folder / "asyncapi.json", lambda document: document["info"].update(version="2"))
    (folder / "schemas" / "TrickTaken.1.json").unlink()
    (folder / "schemas" / "Forgotten.1.json").write_text("{}", encoding="utf-8")
    told = "\n".join(files.differing(folder))
    assert "HandDealt.1.json is not as the code has it" in told
    assert "asyncapi.json is not as the code has it" in told
    assert "TrickTaken.1.json is missing" in told
    assert "Forgotten.1.json describes no event" in told
    assert len(told.splitlines()) == 4


def test_writing_makes_the_files_what_the_code_says(tmp_path: Path) -> None:
    assert len(files.write(tmp_path)) == len(TYPES_BY_TAG) + 2
    assert files.differing(tmp_path) == []
    assert files.write(tmp_path) == []


def test_writing_refuses_what_takes_something_from_readers(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    path = folder / "schemas" / "TrickTaken.1.json"
    _edited(path, lambda schema: (schema["properties"].update(luck={}), schema["required"].append("luck")))
    with pytest.raises(ContractBroken, match=r"readers would lose TrickTaken\.1: luck: gone"):
        files.write(folder)
    assert files.write(folder, breaking=True) == [path]


def test_older_versions_stay_in_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _copied(tmp_path)
    second = _with(event_schemas()["TrickTaken.1"], "luck", {"type": "boolean"})
    schemas = {tag: schema for tag, schema in event_schemas().items() if tag != "TrickTaken.1"}
    monkeypatch.setattr(files, "event_schemas", lambda: {**schemas, "TrickTaken.2": second})
    monkeypatch.setitem(UPCASTS, ("TrickTaken", 1), lambda fields: {**fields, "luck": False})
    changed = [folder / "asyncapi.json", folder / "headers.json", folder / "schemas" / "TrickTaken.2.json"]
    assert files.write(folder) == changed
    assert files.differing(folder) == []
    messages = json.loads((folder / "asyncapi.json").read_bytes())["components"]["messages"]
    assert {"TrickTaken.1", "TrickTaken.2"} <= messages.keys()
    monkeypatch.setattr(
        files, "event_schemas", lambda: {**schemas, "TrickTaken.2": _without(second, "cards")}
    )
    with pytest.raises(ContractBroken, match=r"readers would lose TrickTaken\.2: cards: gone"):
        files.write(folder)
    (folder / "schemas" / "TrickTaken.1.json").unlink()
    assert "TrickTaken.1.json is missing: it describes events that are still read" in files.differing(folder)


def _without(schema: dict[str, Any], field: str) -> dict[str, Any]:
    return {
        **schema,
        "properties": {name: found for name, found in schema["properties"].items() if name != field},
        "required": [name for name in schema["required"] if name != field],
    }


def _with(schema: dict[str, Any], field: str, found: Any) -> dict[str, Any]:
    return {**schema, "properties": {**schema["properties"], field: found}}


PLAYED = event_schemas()["CardsPlayed.1"]


@pytest.mark.parametrize(
    ("newer", "lost"),
    [
        (PLAYED, []),
        ({**PLAYED, "description": "Other words."}, []),
        (_with({**PLAYED, "$id": "urn:gongzhu:schema:CardsPlayed.2"}, "schema", {"const": 2}), []),
        (_with(PLAYED, "weather", {"type": "string"}), []),
        (_with(PLAYED, "by", {"enum": ["player"]}), []),
        (_with(PLAYED, "think_ms", {"type": "integer", "minimum": 5, "maximum": 9}), []),
        (_with(PLAYED, "think_ms", {"type": "integer"}), ["think_ms: minimum was 0, is None"]),
        (_without(PLAYED, "seat"), ["seat: gone"]),
        ({**PLAYED, "required": [name for name in PLAYED["required"] if name != "by"]}, ["by: gone"]),
        (_with(PLAYED, "by", {"enum": ["autopilot", "player", "ghost"]}), ["by: 'ghost' is new"]),
        (
            _with(PLAYED, "think_ms", {"type": "string"}),
            ["think_ms: minimum was 0, is None", "think_ms: type was integer, is string"],
        ),
        (
            _with(PLAYED, "cards", {**PLAYED["properties"]["cards"], "maxItems": 4}),
            ["cards: maxItems was 2, is 4"],
        ),
        (
            {
                **PLAYED,
                "$defs": {"PublishedDeclaration": _without(PLAYED["$defs"]["PublishedDeclaration"], "card")},
            },
            ["openings[].card: gone"],
        ),
    ],
)
def test_what_readers_of_an_older_schema_would_lose_is_named(newer: dict[str, Any], lost: list[str]) -> None:
    assert losses(PLAYED, newer) == lost


def test_field_without_a_form_cannot_be_published() -> None:
    with pytest.raises(NoForm, match=r"CardsPlayed\.weather has no form"):
        form_of("CardsPlayed", "weather")


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for part in value for found in _references(part)]
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [found for part in value.values() for found in _references(part)]
    return []


def test_every_reference_of_the_document_leads_somewhere() -> None:
    document = json.loads((FOLDER / "asyncapi.json").read_bytes())
    references = _references(document)
    assert len(references) > 3 * len(TYPES_BY_TAG)
    for reference in references:
        if reference.startswith("./"):
            assert (FOLDER / reference).is_file(), reference
            continue
        place = document
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_document_says_where_every_message_is_found() -> None:
    document = asyncapi_document(sorted(TYPES_BY_TAG))
    (channel,) = document["channels"].values()
    assert channel["address"] == "gongzhu.v1.{match}.{type}"
    assert channel["x-jetstream"]["stream"] == "GONGZHU"
    assert set(channel["messages"]) == set(TYPES_BY_TAG)
    match = UUID(int=7)
    address = channel["address"].format(match=match, type="HandDealt")
    assert address == f"gongzhu.v1.{match}.HandDealt"


def _digest_by_the_readme(headers: dict[str, str], body: bytes) -> str:
    """What the code in the contract's README computes."""
    (code,) = re.findall(
        r"```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own README
    return str(names["row_digest"](headers, body))


def test_digest_is_checked_as_the_readme_says() -> None:
    sealing = sealer()
    rows = [_row(position, event, sealing) for position, event in enumerate(EVENTS[:60], 1)]
    assert {row.sealed is None for row in rows} == {True, False}
    for row in rows:
        headers = headers_of(row, row.public, source_of("main", "0123456789abcdef"))
        assert _digest_by_the_readme(headers, row.public) == headers["ce-rowdigest"]
        assert _digest_by_the_readme(headers, row.public + b" ") != headers["ce-rowdigest"]


def test_readme_names_every_header() -> None:
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [
        name
        for name in validator("headers").schema["properties"]
        if name.startswith("ce-") and name not in told
    ] == ["ce-specversion"]
