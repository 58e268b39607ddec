"""What a path given to `import` is: told by how it begins, never by its name."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Literal

from adapters.errors import AdapterError
from adapters.event_files import HEADS
from adapters.exports.manifest import MANIFEST, ExportedFile, Kind, Manifest, file_digest, read_manifest
from adapters.restoring.found import UNDECODABLE, Faulty, FoundMatch
from adapters.restoring.lines import matches_in_array, matches_in_lines
from adapters.restoring.texts import matches_in_text

SourceKind = Literal["export", "events", "array", "notation", "parquet", "records"]

_BEGINNING: Final = 65_536
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_OBJECT: Final = re.compile(rb"\{\s*(?:\"|\}|\Z)")
_ARRAY: Final = re.compile(rb"\[\s*(?:\{|\]|\Z)")
_TAG: Final = re.compile(rb"\[\s*gongzhu\b", re.IGNORECASE)
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
}
HOLDING_MATCHES: Final = ("events", "notations")
"""What files of an export hold that matches are read from."""
_KINDS: Final[dict[Kind, SourceKind]] = {"ndjson": "events", "notation": "notation", "parquet": "parquet"}


class UnknownSource(AdapterError):
    """A path that holds nothing `import` can read; the text says why and what to do."""


def kind_of(path: Path) -> SourceKind:
    """What a path is. Raises `UnknownSource`."""
    if path.is_dir():
        return "export"
    if path.name == MANIFEST:
        raise UnknownSource(f"{path} is the manifest of an export; import its folder {path.parent}")
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError as error:
        raise UnknownSource(f"cannot read {path}: {error.strerror}") from error
    return _kind_of_file(path, beginning)


def _kind_of_file(path: Path, beginning: bytes) -> SourceKind:
    for magic, name in _PACKED.items():
        if beginning.startswith(magic):
            raise UnknownSource(f"{path} is packed with {name}; unpack it first")
    if beginning.startswith(b"PAR1"):
        return "parquet"
    text = beginning.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not text:
        raise UnknownSource(f"{path} is empty")
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnknownSource(f"{path} is text in UTF-16; save it as UTF-8")
    if _OBJECT.match(text):
        return "events" if _tells_of_an_event(text) else "records"
    if _ARRAY.match(text):
        return "array"
    if _TAG.match(text) or (text[:1] in b"{#" and _TAG.search(text)):
        return "notation"
    raise UnknownSource(
        f"{path} line 1 begins with none of what can be imported: recorded hands or public events (a JSON object a "
        "line), notation ([Gongzhu …]), Parquet, or the folder of an export"
    )


def _tells_of_an_event(text: bytes) -> bool:
    """Whether the first line is of a public event; where it does not decode, whether it begins like one."""
    line = text.partition(b"\n")[0]
    try:
        HEADS.decode(line)
    except UNDECODABLE:
        return re.match(rb"\{\s*\"type\"\s*:", line) is not None
    return True


def matches_in_file(path: Path, kind: SourceKind) -> Iterator[FoundMatch | Faulty]:
    """What each match in a file of this kind comes to, in order."""
    if kind == "parquet":
        # Arrow takes its time to load.
        from adapters.restoring.tables import matches_in_table

        yield from matches_in_table(path, str(path))
        return
    read: dict[str, Callable[[BinaryIO, str], Iterator[FoundMatch | Faulty]]] = {
        "events": matches_in_lines,
        "array": matches_in_array,
        "notation": matches_in_text,
    }
    try:
        with path.open("rb") as stream:
            yield from read[kind](stream, str(path))
    except OSError as error:
        yield Faulty(str(path), f"cannot be read: {error.strerror}")


def matches_in_folder(folder: Path) -> Iterator[FoundMatch | Faulty]:
    """What each match in an export comes to, in order. Raises `NotAnExport`.

    A file that is not the one that was exported is not read at all.
    """
    manifest = read_manifest(folder)
    for file in manifest.files:
        if file.holds in HOLDING_MATCHES:
            changed = what_changed(folder, file)
            if changed is not None:
                yield changed
            else:
                yield from matches_of_export(folder, manifest, file)


def matches_of_export(folder: Path, manifest: Manifest, file: ExportedFile) -> Iterator[FoundMatch | Faulty]:
    """What each match in one file of an export comes to, in order."""
    return matches_in_file(folder / file.path, _KINDS[manifest.kind])


def what_changed(folder: Path, file: ExportedFile) -> Faulty | None:
    """What tells a file from the one that was exported; None where nothing does."""
    path = folder / file.path
    again = "nothing of it is restored; copy or export it again"
    try:
        size, digest = file_digest(path)
    except OSError as error:
        return Faulty(str(path), f"cannot be read ({error.strerror}); {again}")
    if size != file.bytes:
        what = "it was cut off" if size < file.bytes else "something was added"
        return Faulty(str(path), f"{size:,} bytes, in the manifest {file.bytes:,}: {what}; {again}")
    if digest != file.sha256:
        return Faulty(str(path), f"its SHA-256 is not that of the manifest: it was changed; {again}")
    return None
