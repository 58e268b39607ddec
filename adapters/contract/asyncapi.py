"""The AsyncAPI 3 document of the feed: its stream, subjects, messages and headers.

AsyncAPI's NATS binding knows a queue and nothing of JetStream, so what a consumer has to know of the stream stands in
`x-` fields: the stream's name and configuration, what a sequence means, what an epoch is, and how to read.
"""

from collections.abc import Sequence
from typing import Any, Final

from adapters.nats.headers import SEQUENCE, SOURCE
from adapters.nats.stream import MAIN, configuration, stream_name, subject_prefix

HEADERS_FILE: Final = "headers.json"
_FORMAT: Final = "application/schema+json;version=2020-12"
_EPOCH: Final = "drawn when the stream was made, 16 hexadecimal digits"

READING: Final[dict[str, Any]] = {
    "name": "any name of your own that nobody guesses",
    "deliver_policy": "by_start_sequence",
    "opt_start_seq": "your position + 1",
    "ack_policy": "none",
    "mem_storage": True,
    "inactive_threshold": 30_000_000_000,
}
"""The consumer to read through: ephemeral, pulled, without acknowledgements."""


def asyncapi_document(tags: Sequence[str]) -> dict[str, Any]:
    """The document over these messages: every event type and version that is in a stream."""
    return {
        "asyncapi": "3.0.0",
        "id": "urn:gongzhu:feed",
        "info": _info(),
        "defaultContentType": "application/json",
        "channels": {"events": _channel(tags)},
        "operations": {"publishEvents": _operation()},
        "components": {"messages": {tag: _message(tag) for tag in tags}},
    }


def _info() -> dict[str, Any]:
    return {
        "title": "Gongzhu feed",
        "version": "1",
        "description": (
            "Every public event of the match log, in the order of the log, each once. Version 1 only ever gains "
            "fields; see README.md beside this file."
        ),
        "license": {"name": "MIT"},
    }


def _channel(tags: Sequence[str]) -> dict[str, Any]:
    return {
        "address": f"{subject_prefix(MAIN)}.{{match}}.{{type}}",
        "title": "Events of matches",
        "description": "One message an event. A subject names the match and the type, so both can be filtered by.",
        "messages": {tag: {"$ref": f"#/components/messages/{tag}"} for tag in tags},
        "parameters": {
            "match": {"description": "The match's id.", "location": "$message.header#/ce-subject"},
            "type": {
                "description": "The event's type.",
                "enum": sorted({tag.partition(".")[0] for tag in tags}),
                "location": "$message.payload#/type",
            },
        },
        "x-jetstream": _jetstream(),
    }


def _jetstream() -> dict[str, Any]:
    return {
        "stream": stream_name(MAIN),
        "configuration": configuration(MAIN, _EPOCH, 1),
        "sequence": f"stream sequence = log position = the number in {SEQUENCE}, from 1 and without gaps",
        "epoch": {
            "metadata": "gongzhu.epoch",
            "header": f"the last part of {SOURCE}",
            "meaning": "another epoch is another stream: what was kept of the old one is void, begin at position 1",
        },
        "order": "the order of the log, over all matches",
        "deduplication": (
            "none, and none is needed: messages carry no Nats-Msg-Id; each is published on condition of the sequence "
            "before it (Nats-Expected-Last-Sequence), so a position is stored once"
        ),
        "exactlyOnce": "keep your position in the transaction of what a message changes; apply position + 1 only",
        "consumer": READING,
        "otherLogs": {
            "stream": stream_name("{log}"),
            "address": f"{subject_prefix('{log}')}.{{match}}.{{type}}",
            "description": "A log of another name has a stream and subjects of its own.",
        },
    }


def _operation() -> dict[str, Any]:
    return {
        "action": "send",
        "channel": {"$ref": "#/channels/events"},
        "summary": "The relay publishes what was appended to the log.",
        "bindings": {"nats": {"bindingVersion": "0.1.0"}},
    }


def _message(tag: str) -> dict[str, Any]:
    return {
        "name": f"gongzhu.{tag}",
        "title": tag.partition(".")[0],
        "contentType": "application/json",
        "headers": _schema(HEADERS_FILE),
        "payload": _schema(f"schemas/{tag}.json"),
    }


def _schema(path: str) -> dict[str, Any]:
    return {"schemaFormat": _FORMAT, "schema": {"$ref": f"./{path}"}}
