"""The folder of an export while it is written: whatever interrupts it, what is there is whole or not there.

    manifest.json             what is in the finished export
    matches-00001.ndjson …    finished parts
    .unfinished/              only while it is written: a lock, the files of the part that is being written, and
    .unfinished/journal       what is exported, then a line for each finished part with the place to go on from

A part's files get their names when they are on the disk, and the journal names the part after that; so what the
journal does not name is written again, to the same bytes.
"""

import os
import shutil
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from adapters.errors import AdapterError
from adapters.exports.manifest import (
    FORM,
    MANIFEST,
    ExportedFile,
    Filters,
    Kind,
    Manifest,
    Origin,
    Part,
    file_digest,
    read_manifest,
    written,
)
from adapters.exports.text_parts import NewFile
from adapters.file_lock import FileLock

UNFINISHED: Final = ".unfinished"
_JOURNAL: Final = "journal"
_ENCODER: Final = msgspec.json.Encoder()


class ExportRefused(AdapterError):
    """A folder that an export cannot be written to, or not further; what is in it stays as it is."""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """What is exported: decided once, however often the export is interrupted."""

    export: int = FORM
    kind: Kind
    software: str
    origin: Origin
    exported_at: datetime
    filters: Filters
    names: bool
    part_bytes: int


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A finished part, and the position of the ending event of its last match."""

    position: int
    part: Part


class ExportFolder:
    """A folder that an export is written to by this process alone. Use as a context manager.

    `begun` and `done` say what an interrupted export left here, `finished` is the manifest of a finished one.
    Raises `ExportRefused`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unfinished = path / UNFINISHED
        self.begun: Begun | None = None
        self.done: list[Done] = []
        self.finished: Manifest | None = None
        self._lock = FileLock(self.unfinished / "lock")

    def __enter__(self) -> Self:
        try:
            self._open()
        except OSError as error:
            raise ExportRefused(f"cannot export to {self.path}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        if isinstance(error, OSError):
            raise ExportRefused(
                f"cannot write to {self.path}: {error.strerror or error}; "
                "once that is put right, run the same command again"
            ) from error

    def _open(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / MANIFEST).exists():
            self.finished = read_manifest(self.path)
        elif any(entry.name != UNFINISHED for entry in self.path.iterdir()) and not self.unfinished.exists():
            raise ExportRefused(f"{self.path} holds other files; export to a new or an empty folder")
        self.unfinished.mkdir(exist_ok=True)
        if not self._lock.take():
            raise ExportRefused(
                f"another command is exporting to {self.path}; wait for it, or take another folder"
            )
        self._read_journal()

    def _read_journal(self) -> None:
        """Takes in what is done; a line that was cut off by a kill is as if it had not been written."""
        journal = self.unfinished / _JOURNAL
        if not journal.exists():
            return
        *lines, _ = journal.read_bytes().split(b"\n")
        if lines:
            try:
                self.begun = msgspec.json.decode(lines[0], type=Begun)
                self.done = [msgspec.json.decode(line, type=Done) for line in lines[1:]]
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise ExportRefused(
                    f"{journal} of an unfinished export cannot be read ({error}); remove {self.path} and begin anew"
                ) from None

    def begin(self, begun: Begun) -> None:
        """Writes down what is exported, or goes on with what is done of it."""
        self.begun = begun
        for entry in self.unfinished.iterdir():
            if entry.name != "lock":
                _remove(entry)
        self._write(_JOURNAL, b"".join(_ENCODER.encode(one) + b"\n" for one in (begun, *self.done)))
        _put(self.unfinished / f"new-{_JOURNAL}", self.unfinished / _JOURNAL)

    def start_afresh(self) -> None:
        """Removes what an export left here, finished or not."""
        names = [file.path for one in self.done for file in one.part.files]
        if self.finished is not None:
            names += [file.path for file in self.finished.files]
        for name in (MANIFEST, *names):
            (self.path / name).unlink(missing_ok=True)
        self.begun, self.done, self.finished = None, [], None

    def keep(self, files: list[NewFile]) -> tuple[ExportedFile, ...]:
        """Gives the files of a part, written below `unfinished`, their names; what they are."""
        return tuple(self._keep(file) for file in files)

    def _keep(self, file: NewFile) -> ExportedFile:
        size, digest = file_digest(self.unfinished / file.path)
        target = self.path / file.path
        target.parent.mkdir(exist_ok=True)
        _put(self.unfinished / file.path, target)
        return ExportedFile(path=file.path, holds=file.holds, rows=file.rows, bytes=size, sha256=digest)

    def add(self, done: Done) -> None:
        """Writes down that a part is finished."""
        self.done.append(done)
        with (self.unfinished / _JOURNAL).open("ab") as journal:
            journal.write(_ENCODER.encode(done) + b"\n")
            journal.flush()
            os.fsync(journal.fileno())

    def finish(self, manifest: Manifest) -> None:
        """Puts the manifest there: from then on the export is finished."""
        self._write(MANIFEST, written(manifest))
        _put(self.unfinished / f"new-{MANIFEST}", self.path / MANIFEST)
        self.finished = manifest
        self.clean_up()

    def clean_up(self) -> None:
        """Removes what is only there while an export is written."""
        shutil.rmtree(self.unfinished)

    def _write(self, name: str, content: bytes) -> None:
        with (self.unfinished / f"new-{name}").open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _put(source: Path, target: Path) -> None:
    """Renames a file that is on the disk, durably."""
    source.replace(target)
    descriptor = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
