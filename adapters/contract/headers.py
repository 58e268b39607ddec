"""A JSON Schema for the headers of the feed's messages (CloudEvents 1.0, NATS binding, binary mode)."""

from collections.abc import Iterable
from typing import Any, Final

from adapters.contract.schemas import DIALECT, URN
from adapters.nats import headers

_UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DIGEST: Final = "^[0-9a-f]{64}$"


def header_schema(tags: Iterable[str]) -> dict[str, Any]:
    """The schema of a message's headers, as an object of texts."""
    known = list(tags)
    properties = {
        "ce-specversion": {"const": "1.0"},
        headers.ID: _text(f"^{_UUID}:[1-9][0-9]*$", "The event's identity: match and version."),
        headers.SOURCE: _text(
            "^urn:gongzhu:log:[a-z][a-z0-9-]{0,31}:[0-9a-f]+$",
            "The log's name and the stream's epoch. Another epoch is another stream: begin again at position 1.",
        ),
        headers.TYPE: {
            "enum": [f"gongzhu.{tag}" for tag in known],
            "description": "Event type and schema version.",
        },
        "ce-subject": _text(f"^{_UUID}$", "The match."),
        "ce-time": {"type": "string", "format": "date-time", "description": "The event's `at`."},
        "ce-dataschema": {
            "enum": [URN + tag for tag in known],
            "description": "The `$id` of the body's schema.",
        },
        "content-type": {"const": "application/json"},
        headers.SEQUENCE: _text(
            "^[0-9]{20}$",
            "The log position, padded with zeros; always the message's stream sequence as well.",
        ),
        headers.ROW_DIGEST: _text(
            _DIGEST, "SHA-256 of the row in the log, in hex; README.md says over what."
        ),
        headers.SEALED_DIGEST: _text(
            _DIGEST, "SHA-256 of the row's sealed part, in hex; absent where the row has none."
        ),
    }
    return {
        "$schema": DIALECT,
        "$id": URN + "headers",
        "title": "Headers",
        "description": "A message's headers. Others may come; those of NATS itself begin with `Nats-`.",
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name != headers.SEALED_DIGEST],
        "additionalProperties": True,
    }


def _text(pattern: str, description: str) -> dict[str, str]:
    return {"type": "string", "pattern": pattern, "description": description}
