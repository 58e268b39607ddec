"""Files of recorded hands, and the hands that come with the program, as matches to import."""

from collections.abc import Iterator
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO, Final

from adapters.errors import AdapterError
from replays.hand_records import MOST_BYTES
from replays.recorded_hands import RecordedMatch, RecordError, read_records

BUNDLED: Final = "arena_hands.jsonl"


class FileUnreadable(AdapterError):
    """A file of recorded hands cannot be read."""


def records_in(path: Path, at: datetime) -> Iterator[RecordedMatch | RecordError]:
    """What each line of a file comes to; the file's name stands in errors. Raises `FileUnreadable`."""
    try:
        with path.open("rb") as stream:
            yield from read_records(capped_lines(stream, MOST_BYTES), path.name, at)
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror or error}") from error


def bundled_records(at: datetime) -> Iterator[RecordedMatch | RecordError]:
    """The recorded hands that come with the program."""
    with files("adapters").joinpath("data", BUNDLED).open("rb") as stream:
        yield from read_records(stream, BUNDLED, at)


def capped_lines(stream: BinaryIO, most: int) -> Iterator[bytes]:
    """The lines of a stream; of a longer one its first `most` + 1 bytes, so that a reader sees that it is longer."""
    while line := stream.readline(most + 1):
        yield line
        while len(line) > most and not line.endswith(b"\n"):
            line = stream.readline(most + 1)
