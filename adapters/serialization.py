"""Events as they are stored, and back (design §3, stored form).

A row's body is the event's public form as one JSON object, rendered once, and, where there are secret fields, a NUL
byte and the sealed part. The public form is what the stream carries, byte for byte. The row's tag is `Type.schema`.
"""

import hashlib
from typing import Any, Final
from uuid import UUID

import msgspec

from adapters.sealing import Sealer
from adapters.upcasts import UPCASTS, upcast
from domain.errors import BrokenLog
from domain.events import EVENT_TYPES, Event, name_of_type, public_form, secret_of
from domain.secret import Secret

_SEPARATOR: Final = b"\0"
_NOTHING: Final = hashlib.sha256(b"").digest()


def _schema_of(event_type: type[Event]) -> int:
    return next(int(field.default) for field in msgspec.structs.fields(event_type) if field.name == "schema")


TYPES_BY_TAG: Final[dict[str, type[Event]]] = {
    f"{name_of_type(event_type)}.{_schema_of(event_type)}": event_type for event_type in EVENT_TYPES
}
"""The newest tag of every event type."""
_TAGS: Final = {event_type: tag for tag, event_type in TYPES_BY_TAG.items()}
_OLDER_TAGS: Final = {f"{name}.{schema}": f"{name}.{schema + 1}" for name, schema in UPCASTS}

_ENCODER: Final = msgspec.json.Encoder()
_DECODERS: Final = {tag: msgspec.json.Decoder(event_type) for tag, event_type in TYPES_BY_TAG.items()}


class Row(msgspec.Struct, frozen=True):
    """A row of the match log. `position` counts from 1 over the whole log, `version` within the match."""

    position: int
    match: UUID
    version: int
    tag: str
    body: bytes
    digest: bytes

    @property
    def public(self) -> bytes:
        """The public form: what the stream carries."""
        return public_part(self.body)

    @property
    def sealed(self) -> bytes | None:
        """The sealed part, or None."""
        return sealed_part(self.body)


def public_part(body: bytes) -> bytes:
    """The public form in a row's body."""
    return body.partition(_SEPARATOR)[0]


def sealed_part(body: bytes) -> bytes | None:
    """The sealed part of a row's body, or None."""
    _, separator, sealed = body.partition(_SEPARATOR)
    return sealed if separator else None


def part_digests(body: bytes) -> bytes:
    """SHA-256 of the public form, then SHA-256 of the sealed part or of nothing (64 bytes)."""
    public, separator, sealed = body.partition(_SEPARATOR)
    return hashlib.sha256(public).digest() + (hashlib.sha256(sealed).digest() if separator else _NOTHING)


def row_digest(position: int, match: UUID, version: int, tag: str, body: bytes) -> bytes:
    """The digest beside a row: SHA-256 over position, match id, version, tag and the two parts' digests.

    Numbers are 8 bytes, big-endian, signed as PostgreSQL's bigint.
    """
    return row_digest_of_parts(position, match, version, tag, part_digests(body))


def row_digest_of_parts(position: int, match: UUID, version: int, tag: str, digests: bytes) -> bytes:
    """`row_digest` from the two parts' digests, for a reader who has only one of the parts."""
    numbers = position.to_bytes(8, "big", signed=True), match.bytes, version.to_bytes(8, "big", signed=True)
    return hashlib.sha256(b"".join([*numbers, tag.encode(), digests])).digest()


def tag_of(event: Event) -> str:
    """The tag of an event's row."""
    return _TAGS[type(event)]


def encode_public(event: Event) -> bytes:
    """An event's public form as it is stored and published."""
    return _ENCODER.encode(public_form(event))


def encode_body(event: Event, sealer: Sealer) -> bytes:
    """An event's row body: the public form and, where it has secrets, NUL and the sealed part."""
    public = encode_public(event)
    secret = secret_of(event)
    if secret is None:
        return public
    return (
        public
        + _SEPARATOR
        + sealer.seal_secret(type(event), secret, event.match, event.version, tag_of(event))
    )


def decode_public(tag: str, public: bytes, match: UUID, version: int, position: int | None = None) -> Event:
    """An event from its stored public form, in its newest schema. Raises `BrokenLog` naming the row."""
    try:
        event = _DECODERS[tag].decode(public) if tag in _DECODERS else _decode_older(tag, public)
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError) as error:
        what = "unknown tag" if isinstance(error, KeyError) else f"the payload does not decode: {error}"
        raise BrokenLog(what, match=match, version=version, position=position, tag=tag) from None
    if event.match != match or event.version != version:
        what = f"the payload is of match {event.match}, version {event.version}"
        raise BrokenLog(what, match=match, version=version, position=position, tag=tag)
    return event


def _decode_older(tag: str, public: bytes) -> Event:
    if tag not in _OLDER_TAGS:
        raise KeyError(tag)
    newest = tag
    while newest in _OLDER_TAGS:
        newest = _OLDER_TAGS[newest]
    fields: dict[str, Any] = msgspec.json.decode(public)
    return msgspec.convert(
        upcast(fields["type"], fields, int(newest.partition(".")[2])), TYPES_BY_TAG[newest]
    )


def decode_body(
    tag: str, body: bytes, match: UUID, version: int, sealer: Sealer, position: int | None = None
) -> Event:
    """An event from its row's body, with its secret where the key is here. Raises `BrokenLog` naming the row."""
    public, separator, sealed = body.partition(_SEPARATOR)
    event = decode_public(tag, public, match, version, position)
    if not separator:
        return event
    secret = sealer.open_secret(type(event), sealed, match, version, tag)
    return event if secret is None else msgspec.structs.replace(event, secret=Secret(secret))


def decode_row(row: Row) -> Event:
    """The public event of a row. Raises `BrokenLog`."""
    return decode_public(row.tag, row.public, row.match, row.version, row.position)
