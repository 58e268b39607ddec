"""The manifest of an export: what is in its files, so that anyone can tell whether they are whole and unchanged.

Two exports of the same matches have equal manifests but for `origin` and `exported_at`.
"""

import hashlib
from collections import Counter
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec

from adapters.errors import AdapterError

Kind = Literal["ndjson", "parquet", "notation"]
KINDS: Final[tuple[Kind, ...]] = ("ndjson", "parquet", "notation")

FORM: Final = 1
"""The version of the export's form: of its files' names and contents, and of this manifest."""
MANIFEST: Final = "manifest.json"
_LARGEST: Final = 64_000_000


class NotAnExport(AdapterError):
    """A folder that holds no finished export, or one of a form not known here."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Which log the matches come from: its name, and the position up to which it was read, with that row's digest."""

    log: str
    position: int
    digest: str | None


class Filters(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which ended matches are wanted; what is empty does not count.

    `since` and `until` are of the ending event, the first included, the second not.
    """

    rulesets: tuple[str, ...] = ()
    players: tuple[UUID, ...] = ()
    origins: tuple[str, ...] = ()
    matches: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


_PATH: Final = r"^(?:[a-z]{1,20}-[0-9]{5,9}\.(?:ndjson|txt)|[a-z]{1,20}/part-[0-9]{5,9}\.parquet)\Z"


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a part: its path in the folder, what it holds, and its content's size, digest and rows.

    A row is an event of NDJSON, a match of notation, a row of a table, a player with a name.
    """

    path: Annotated[str, msgspec.Meta(pattern=_PATH)]
    holds: str
    rows: int
    bytes: int
    sha256: str


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How much there is; `schemas` counts events by type and schema, such as `CardsPlayed.1`."""

    matches: int
    hands: int
    events: int
    schemas: dict[str, int]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Matches that end one after another, and the files they are in. The ranges are None where there is no match."""

    number: int
    counts: Counts
    first_match: UUID | None
    last_match: UUID | None
    first_ended_at: datetime | None
    last_ended_at: datetime | None
    files: tuple[ExportedFile, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All of an export."""

    export: int = FORM
    kind: Kind
    software: str
    origin: Origin
    exported_at: datetime
    filters: Filters
    names: bool
    counts: Counts
    parts: tuple[Part, ...]

    @property
    def files(self) -> list[ExportedFile]:
        """Every file, in order."""
        return [file for part in self.parts for file in part.files]


class _Form(msgspec.Struct):
    export: int


def software() -> str:
    """This program and its version."""
    return f"gongzhu {version('gongzhu')}"


def total(counts: Counts, more: Counts) -> Counts:
    """Two counts together."""
    schemas = Counter(counts.schemas)
    schemas.update(more.schemas)
    return Counts(
        matches=counts.matches + more.matches,
        hands=counts.hands + more.hands,
        events=counts.events + more.events,
        schemas=dict(sorted(schemas.items())),
    )


def no_counts() -> Counts:
    """Nothing counted."""
    return Counts(matches=0, hands=0, events=0, schemas={})


def written(manifest: Manifest) -> bytes:
    """The manifest as the file holds it."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a finished export. Raises `NotAnExport`."""
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise NotAnExport(
            f"{folder} holds no finished export: {MANIFEST} cannot be read ({error.strerror}); "
            "if the export was interrupted, run the same `gongzhu export` again"
        ) from error
    return _decoded(path, content)


def _decoded(path: Path, content: bytes) -> Manifest:
    try:
        if len(content) > _LARGEST:
            raise NotAnExport(f"{path} has more than {_LARGEST:,} bytes; it is no manifest")
        form = msgspec.json.decode(content, type=_Form).export
        if form != FORM:
            raise NotAnExport(
                f"{path} is of form {form}, this program knows {FORM}; use the version that made it"
            )
        return msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAnExport(f"{path} is no manifest of an export ({error}); copy or export it again") from None


def file_digest(path: Path) -> tuple[int, str]:
    """Size and SHA-256 (hex) of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest
