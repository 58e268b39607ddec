"""The part of an export that is being written, and what is counted of it."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from uuid import UUID

from adapters.exports.ended_matches import EndedMatch
from adapters.exports.folder import Done, ExportFolder
from adapters.exports.manifest import Counts, Kind, Part
from adapters.exports.player_files import PlayerFile
from adapters.exports.text_parts import PartWriter, TextPart

NamesOf = Callable[[Iterable[UUID]], dict[UUID, str]]
"""What players are called, of those who have a name."""


class Tally:
    """Counts matches."""

    def __init__(self) -> None:
        self.matches = 0
        self.schemas: Counter[str] = Counter()

    def add(self, tags: Iterable[str]) -> None:
        """One more match, by the tags of its rows."""
        self.matches += 1
        self.schemas.update(tags)

    def counts(self) -> Counts:
        """What was counted."""
        hands = sum(number for tag, number in self.schemas.items() if tag.startswith("HandEnded."))
        return Counts(
            matches=self.matches,
            hands=hands,
            events=self.schemas.total(),
            schemas=dict(sorted(self.schemas.items())),
        )


class OpenPart:
    """The part that is being written."""

    def __init__(self, target: ExportFolder, kind: Kind, names_of: NamesOf | None) -> None:
        self._target = target
        self._number = len(target.done) + 1
        self._writer = _writer(target.unfinished, self._number, kind)
        self._players = PlayerFile(target.unfinished, self._number, kind, names_of) if names_of else None
        self._tally = Tally()
        self._first: EndedMatch | None = None
        self._last: EndedMatch | None = None
        self.bytes = 0

    def add(self, match: EndedMatch) -> None:
        """One more match."""
        self._writer.add(match)
        if self._players is not None:
            self._players.add(match)
        self._tally.add(row.tag for row in match.rows)
        bare = match._replace(rows=[])
        self._first, self._last = self._first or bare, bare
        self.bytes += sum(len(row.public) for row in match.rows)

    def finish(self) -> None:
        """Closes its files, gives them their names and writes down that it is done."""
        files = self._writer.finish()
        if self._players is not None:
            files += self._players.finish()
        first, last = self._first, self._last
        part = Part(
            number=self._number,
            counts=self._tally.counts(),
            first_match=first.id if first else None,
            last_match=last.id if last else None,
            first_ended_at=first.ended_at if first else None,
            last_ended_at=last.ended_at if last else None,
            files=self._target.keep(files),
        )
        self._target.add(Done(position=last.position if last else 0, part=part))

    def give_up(self) -> None:
        """Closes its files as they are."""
        self._writer.give_up()


def _writer(folder: Path, number: int, kind: Kind) -> PartWriter:
    if kind != "parquet":
        return TextPart(folder, number, kind)
    # Arrow takes its time to load.
    from adapters.exports.parquet_parts import ParquetPart

    return ParquetPart(folder, number)
