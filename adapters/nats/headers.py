"""Headers of the feed's messages: the CloudEvents 1.0 NATS binding in binary mode (design §5).

    ce-specversion      1.0
    ce-id               <match>:<version>
    ce-source           urn:gongzhu:log:<log>:<epoch>
    ce-type             gongzhu.<tag>, the tag being <type>.<schema>
    ce-subject          <match>
    ce-time             the event's `at`
    ce-dataschema       urn:gongzhu:schema:<tag>
    content-type        application/json
    ce-sequence         the log position, padded with zeros to 20 digits
    ce-rowdigest        SHA-256 of the row in the log, hex
    ce-sealeddigest     SHA-256 of the row's sealed part, hex; absent where it has none

The row's digest is SHA-256 over position (8 bytes, big-endian), match id (16), version (8), tag, SHA-256 of the body
and the sealed part's digest (SHA-256 of nothing where it has none): a consumer can check what it was sent.
"""

import hashlib
from functools import lru_cache
from typing import Final

import msgspec

from adapters.serialization import Row

ID: Final = "ce-id"
SOURCE: Final = "ce-source"
TYPE: Final = "ce-type"
SEQUENCE: Final = "ce-sequence"
ROW_DIGEST: Final = "ce-rowdigest"
SEALED_DIGEST: Final = "ce-sealeddigest"
EXPECTED_LAST: Final = "Nats-Expected-Last-Sequence"

_TYPE_PREFIX: Final = "gongzhu."


class _Envelope(msgspec.Struct):
    """What a header needs of a body that a row does not hold beside it."""

    at: str


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)


def source_of(log: str, epoch: str) -> str:
    """The source all messages of one stream name."""
    return f"urn:gongzhu:log:{log}:{epoch}"


def epoch_of(source: str) -> str:
    """The epoch a source names."""
    return source.rpartition(":")[2]


def identifier_of(row: Row) -> str:
    """The identifier of a row's event: match and version."""
    return f"{row.match}:{row.version}"


@lru_cache(maxsize=256)
def _of_tag(tag: str) -> tuple[str, str, str]:
    """The subject's last part, the type and the schema of a tag."""
    return tag.partition(".")[0], _TYPE_PREFIX + tag, f"urn:gongzhu:schema:{tag}"


def tag_of_type(ce_type: str) -> str:
    """The tag that a message's type names."""
    return ce_type.removeprefix(_TYPE_PREFIX)


def subject_of(row: Row, prefix: str) -> str:
    """Where a row is published."""
    return f"{prefix}.{row.match}.{_of_tag(row.tag)[0]}"


def headers_of(row: Row, public: bytes, source: str) -> dict[str, str]:
    """The headers a row is published with, the condition on its place among them."""
    match = str(row.match)
    _, ce_type, schema = _of_tag(row.tag)
    headers = {
        "ce-specversion": "1.0",
        ID: f"{match}:{row.version}",
        SOURCE: source,
        TYPE: ce_type,
        "ce-subject": match,
        "ce-time": _ENVELOPE.decode(public).at,
        "ce-dataschema": schema,
        "content-type": "application/json",
        SEQUENCE: f"{row.position:020}",
        ROW_DIGEST: row.digest.hex(),
        EXPECTED_LAST: str(row.position - 1),
    }
    if len(public) != len(row.body):
        headers[SEALED_DIGEST] = hashlib.sha256(row.body[len(public) + 1 :]).hexdigest()
    return headers


def parse_headers(raw: bytes) -> dict[str, str]:
    """The headers of a message as it came or is stored; the last of those of one name."""
    lines = raw.decode("utf-8", "replace").split("\r\n")[1:]
    try:
        # As we write them, and all others do: a colon and a space, and an empty line at the end.
        return dict([line.split(": ", 1) for line in lines[:-2]])
    except ValueError:
        pairs = (line.partition(":") for line in lines if line)
        return {name.strip(): value.strip() for name, _, value in pairs}
