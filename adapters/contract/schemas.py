"""A JSON Schema (2020-12) for the public form of every event type, generated from the types.

Readers of a schema meet only what anyone may see: a type's `secret` is not part of it. Every field is always written,
so every field is required; more fields may come, so none is forbidden.
"""

from typing import Any, Final

import msgspec

from adapters.contract.forms import form_of, lengths_of
from adapters.serialization import TYPES_BY_TAG
from domain.events import EVENT_TYPES
from domain.secret import Secret

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
URN: Final = "urn:gongzhu:schema:"
"""What a message's `ce-dataschema` begins with; the tag follows."""

_DEFINITIONS: Final = "#/$defs/"
_SECRET: Final = {"description": "withheld"}


def event_schemas() -> dict[str, Schema]:
    """The schema of every event type in its newest version, by tag."""
    types = list(EVENT_TYPES)
    _, found = msgspec.json.schema_components(types, schema_hook=_hook, ref_template=_DEFINITIONS + "{name}")
    structs = {name: _struct(name, schema) for name, schema in found.items()}
    return {tag: _event(tag, structs) for tag in TYPES_BY_TAG}


def _hook(kind: type) -> Schema:
    if kind is Secret:
        return _SECRET
    raise NotImplementedError


def _struct(name: str, schema: Schema) -> Schema:
    """A struct's schema: precise, without what is secret, all of it required, open to what comes."""
    if "properties" not in schema:
        return schema
    properties = {
        field: _field(name, field, found) for field, found in schema["properties"].items() if found != _SECRET
    }
    return {
        "title": name,
        "description": _one_paragraph(schema["description"]),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": True,
    }


def _one_paragraph(text: str) -> str:
    return " ".join(text.split())


def _field(struct: str, field: str, schema: Schema) -> Schema:
    """A field's schema with its form. Defaults go: readers are always told."""
    return _refined({key: value for key, value in schema.items() if key != "default"}, struct, field)


def _refined(schema: Schema, struct: str, field: str) -> Schema:
    """The schema with the form on every number and text in it."""
    if schema.get("type") == "integer" or schema == {"type": "string"}:
        return {**schema, **form_of(struct, field)}
    if schema.get("type") == "array":
        return _refined_list(schema, struct, field)
    refined = dict(schema)
    if "anyOf" in schema:
        refined["anyOf"] = [_refined(part, struct, field) for part in schema["anyOf"]]
    if isinstance(schema.get("additionalProperties"), dict):
        refined["additionalProperties"] = _refined(schema["additionalProperties"], struct, field)
    return refined


def _refined_list(schema: Schema, struct: str, field: str) -> Schema:
    """A list of values, or one value a seat: four of one kind."""
    if "prefixItems" in schema:
        one, *others = schema["prefixItems"]
        assert others == [one] * 3, f"{struct}.{field} is by seat"
        return {"type": "array", "items": _refined(one, struct, field), "minItems": 4, "maxItems": 4}
    lengths = lengths_of(struct, field) if _is_scalar(schema["items"]) else {}
    return {**schema, **lengths, "items": _refined(schema["items"], struct, field)}


def _is_scalar(schema: Schema) -> bool:
    return schema.get("type") in ("integer", "string")


def _event(tag: str, structs: dict[str, Schema]) -> Schema:
    name, _, number = tag.partition(".")
    event = structs[name]
    constants = {"type": {"const": name}, "schema": {"const": int(number)}}
    needed = _reachable(event, structs)
    return {
        "$schema": DIALECT,
        "$id": URN + tag,
        **event,
        "properties": {**event["properties"], **constants},
        **({"$defs": {struct: structs[struct] for struct in sorted(needed)}} if needed else {}),
    }


def _reachable(schema: Any, structs: dict[str, Schema]) -> set[str]:
    """The names of the structs that a schema refers to, directly or by others."""
    if isinstance(schema, list):
        return set().union(*(_reachable(part, structs) for part in schema))
    if not isinstance(schema, dict):
        return set()
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_DEFINITIONS)
        return {name} | _reachable(structs[name], structs)
    return _reachable(list(schema.values()), structs)
