"""The event types as a list: versions, public and secret fields."""

import msgspec

from adapters.serialization import TYPES_BY_TAG
from adapters.upcasts import UPCASTS
from domain.events import SECRET_TYPES


class EventEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event type: its newest schema, the older ones that are still read, its fields."""

    type: str
    schema: int
    read_from: tuple[int, ...]
    public: tuple[str, ...]
    secret: tuple[str, ...]


def catalogue() -> list[EventEntry]:
    """Every event type, in the order a match meets them."""
    return [_entry(tag) for tag in TYPES_BY_TAG]


def _entry(tag: str) -> EventEntry:
    name, _, schema = tag.partition(".")
    event_type = TYPES_BY_TAG[tag]
    secret = SECRET_TYPES.get(event_type)
    return EventEntry(
        type=name,
        schema=int(schema),
        read_from=tuple(older for known, older in sorted(UPCASTS) if known == name),
        public=tuple(
            field.encode_name for field in msgspec.structs.fields(event_type) if field.name != "secret"
        ),
        secret=tuple(field.name for field in msgspec.structs.fields(secret)) if secret else (),
    )
