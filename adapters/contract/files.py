"""The contract as files: what belongs into the folder, what differs there, and writing it.

Schemas of older versions stay as they are: the events they describe are in the stream for ever, and no type is left
to generate them from.
"""

import json
from pathlib import Path
from typing import Any, Final

from adapters.contract.asyncapi import HEADERS_FILE, asyncapi_document
from adapters.contract.compatibility import losses
from adapters.contract.headers import header_schema
from adapters.contract.schemas import event_schemas
from adapters.errors import AdapterError
from adapters.upcasts import UPCASTS

FOLDER: Final = Path(__file__).parents[2] / "infra" / "contract"
_SCHEMAS: Final = "schemas"


class ContractBroken(AdapterError):
    """A schema would take something away from its readers."""


def contract_files(folder: Path = FOLDER) -> dict[Path, bytes]:
    """Every generated file of the contract with what it has to hold, by path."""
    schemas = event_schemas()
    tags = sorted(schemas.keys() | _older_tags())
    documents: dict[str, Any] = {
        "asyncapi.json": asyncapi_document(tags),
        HEADERS_FILE: header_schema(tags),
        **{f"{_SCHEMAS}/{tag}.json": schema for tag, schema in schemas.items()},
    }
    return {folder / name: _rendered(document) for name, document in documents.items()}


def differing(folder: Path = FOLDER) -> list[str]:
    """The files that are not as the code has them, each with what is wrong; empty where all are."""
    wanted = contract_files(folder)
    found = set((folder / _SCHEMAS).glob("*.json"))
    older = {folder / _SCHEMAS / f"{tag}.json" for tag in _older_tags()}
    return [
        *(_differs(path, content) for path, content in wanted.items() if _read(path) != content),
        *(
            f"{path.name} is missing: it describes events that are still read"
            for path in sorted(older - found)
        ),
        *(f"{path.name} describes no event" for path in sorted(found - wanted.keys() - older)),
    ]


def broken(folder: Path = FOLDER) -> list[str]:
    """What the code's schemas take away from readers of the schemas in the folder, a line each."""
    return [
        f"{tag}: {loss}"
        for tag, schema in event_schemas().items()
        for known in _known_versions(folder, tag)
        for loss in losses(known, schema)
    ]


def write(folder: Path = FOLDER, *, breaking: bool = False) -> list[Path]:
    """Writes what differs; the paths written. Raises `ContractBroken`, unless `breaking` is meant."""
    if not breaking and (lost := broken(folder)):
        raise ContractBroken(
            f"readers would lose {'; '.join(lost)}. A breaking change is a second stream: see {folder / 'README.md'}"
        )
    changed = {path: content for path, content in contract_files(folder).items() if _read(path) != content}
    for path, content in changed.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sorted(changed)


def _older_tags() -> set[str]:
    return {f"{name}.{schema}" for name, schema in UPCASTS}


def _known_versions(folder: Path, tag: str) -> list[Any]:
    """The schemas in the folder of this type, of this version and those before it."""
    name, _, newest = tag.partition(".")
    paths = [folder / _SCHEMAS / f"{name}.{number}.json" for number in range(1, int(newest) + 1)]
    return [json.loads(path.read_bytes()) for path in paths if path.exists()]


def _rendered(document: Any) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _differs(path: Path, content: bytes) -> str:
    return f"{path.name} is {'missing' if _read(path) is None else 'not as the code has it'} ({len(content)} bytes)"
