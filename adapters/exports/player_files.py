"""Players' names beside a part, where they are asked for: files of their own, so that they can be removed again.

Everything else in an export knows players by their random ids alone. A name that is erased here stays in the exports
that hold it: whoever asked for names has to remove these files (infra/exports.md).
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from uuid import UUID

import msgspec

from adapters.exports.ended_matches import EndedMatch
from adapters.exports.manifest import Kind
from adapters.exports.text_parts import NewFile
from adapters.serialization import decode_row
from domain.events import MatchAbandoned, MatchSettled


class NamedPlayer(msgspec.Struct, frozen=True):
    """What a player of the part is called now."""

    player: UUID
    name: str


class PlayerFile:
    """The names of the players of one part: NDJSON, or a Parquet table."""

    def __init__(
        self, folder: Path, number: int, kind: Kind, names_of: Callable[[Iterable[UUID]], dict[UUID, str]]
    ) -> None:
        self._folder = folder
        self._in_parquet = kind == "parquet"
        self._path = (
            f"players/part-{number:05}.parquet" if self._in_parquet else f"players-{number:05}.ndjson"
        )
        self._names_of = names_of
        self._players: set[UUID] = set()

    def add(self, match: EndedMatch) -> None:
        """The players of one more match."""
        for row in match.rows:
            if row.tag.startswith(("MatchSettled.", "MatchAbandoned.")):
                ending = decode_row(row)
                assert isinstance(ending, MatchSettled | MatchAbandoned), "the tag says so"
                self._players.update(player for player in ending.players if player is not None)

    def finish(self) -> list[NewFile]:
        """Asks for the names and writes them, by player's id."""
        named = sorted(
            (NamedPlayer(*item) for item in self._names_of(self._players).items()), key=lambda one: one.player
        )
        path = self._folder / self._path
        path.parent.mkdir(exist_ok=True)
        if self._in_parquet:
            self._write_table(path, named)
        else:
            path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in named))
        with path.open("rb") as file:
            os.fsync(file.fileno())
        return [NewFile(self._path, "players", len(named))]

    def _write_table(self, path: Path, named: list[NamedPlayer]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {"player": [str(one.player) for one in named], "name": [one.name for one in named]}
        schema = pa.schema({"player": pa.string(), "name": pa.string()})
        pq.write_table(pa.table(columns, schema), path, compression="zstd")
