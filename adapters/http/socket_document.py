"""The AsyncAPI 3 document of the live socket: its address, its frames, and the commands it takes.

Made from the very types that are sent and read; `GET /asyncapi.json` serves it beside the OpenAPI document.
"""

from functools import lru_cache
from typing import Any, Final

import msgspec
from litestar import Response, get

from adapters.http.actions import SEAT_ACTIONS
from adapters.http.bodies import Receipt
from adapters.http.documented import errors
from adapters.http.freshness import FRESHNESS, KEPT_HOUR
from adapters.http.live import Answered, Asked
from adapters.http.problems import Problem
from adapters.live.frames import Change, Snapshot

_FRAMES: Final = {"snapshot": Snapshot, "change": Change, "answer": Answered}
_SCHEMAS: Final = "#/components/schemas/"

Document = dict[str, Any]


@lru_cache(maxsize=1)
def socket_document() -> Document:
    """The document."""
    types = [Snapshot, Change, Receipt, Problem, *SEAT_ACTIONS.values()]
    _, schemas = msgspec.json.schema_components(types, ref_template=_SCHEMAS + "{name}")
    schemas = {name: _readable(schema) for name, schema in schemas.items()}
    schemas["Answered"] = _answered()
    schemas["Asked"] = _asked()
    return {
        "asyncapi": "3.0.0",
        "id": "urn:gongzhu:live",
        "info": {
            "title": "Gongzhu live tables",
            "version": "1",
            "description": "One WebSocket a viewer: a snapshot, then numbered changes; commands and their answers.",
        },
        "defaultContentType": "application/json",
        "channels": {"live": _channel()},
        "operations": _operations(),
        "components": {"messages": _messages(), "schemas": schemas},
    }


def _answered() -> Document:
    """The schema of an answer, whose body is one of two shapes."""
    return {
        "title": "Answered",
        "description": _paragraph(Answered.__doc__ or ""),
        "type": "object",
        "properties": {
            "frame": {"const": "answer"},
            "do": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "command_id": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]},
            "status": {"type": "integer"},
            "body": {"anyOf": [{"$ref": _SCHEMAS + kind.__name__} for kind in (Receipt, Problem)]},
        },
        "required": ["frame", *(field.name for field in msgspec.structs.fields(Answered))],
    }


def _asked() -> Document:
    """The schema of a command, whose body is that of what it does."""
    integer = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    return {
        "title": "Asked",
        "description": _paragraph(Asked.__doc__ or ""),
        "type": "object",
        "properties": {
            "do": {"enum": list(SEAT_ACTIONS)},
            "body": {"anyOf": [{"$ref": _SCHEMAS + body.__name__} for body in SEAT_ACTIONS.values()]},
            "seat": integer,
            "sent_ms": integer,
        },
        "required": ["do"],
        "additionalProperties": False,
    }


def _channel() -> Document:
    return {
        "address": "/matches/{match}/live",
        "description": "`as` and `after` are query parameters; the token is a header, or a subprotocol of a browser.",
        "parameters": {"match": {"description": "The match's id."}},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in (*_FRAMES, "command")},
        "bindings": {
            "ws": {
                "method": "GET",
                "query": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "as": {"enum": ["spectator", "seat"], "default": "spectator"},
                        "after": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "the number of the last frame taken in",
                        },
                    },
                },
                "bindingVersion": "0.1.0",
            }
        },
    }


def _operations() -> Document:
    channel = {"$ref": "#/channels/live"}
    frames = [{"$ref": f"#/channels/live/messages/{name}"} for name in _FRAMES]
    command = [{"$ref": "#/channels/live/messages/command"}]
    return {
        "sendFrames": {
            "action": "send",
            "channel": channel,
            "messages": frames,
            "summary": "First a snapshot, or the change since `after`; then a change each time; answers in between.",
        },
        "takeCommands": {
            "action": "receive",
            "channel": channel,
            "messages": command,
            "summary": "A seat's commands; each is answered after what it led to.",
        },
    }


def _messages() -> Document:
    kinds = {**_FRAMES, "command": Asked}
    return {
        name: {
            "name": name,
            "summary": _paragraph(kind.__doc__ or ""),
            "payload": {"$ref": _SCHEMAS + kind.__name__},
        }
        for name, kind in kinds.items()
    }


def _readable(schema: Document) -> Document:
    if "description" not in schema:
        return schema
    return {**schema, "description": _paragraph(schema["description"])}


def _paragraph(text: str) -> str:
    return " ".join(text.split())


@get(
    "/asyncapi.json",
    tags=["matches"],
    summary="Read the document of the live socket",
    responses=errors(),
    opt={"query": (), FRESHNESS: KEPT_HOUR},
)
async def read_socket_document() -> Response[Document]:
    """AsyncAPI 3."""
    return Response(content=socket_document())
