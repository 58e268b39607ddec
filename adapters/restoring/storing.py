"""Putting matches found in files into the log: each whole or not at all, none of them twice, none over another.

A match of which the log holds any event is never touched: with the same bytes it is there already, with others it is
refused, whether it is live or ended.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final, LiteralString, TypeAlias
from uuid import UUID

from adapters.group_commit import GroupCommit
from adapters.importing import ImportReport
from adapters.postgres.appending import Append
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from adapters.restoring.found import Faulty, FoundMatch
from adapters.restoring.soundness import NotSound, sound_rows
from adapters.serialization import public_part

_AT_ONCE: Final = 64
_BYTES_AT_ONCE: Final = 8_000_000

_STORED: Final[LiteralString] = """
SELECT match, tag, body FROM log.events WHERE match = ANY (%b::uuid[]) ORDER BY match, version
"""

_Public: TypeAlias = tuple[str, bytes]
"""The tag of a row and its public form."""


class Restorer:
    """Restores matches into one log, and keeps the count."""

    def __init__(
        self,
        pool: Pool,
        commits: GroupCommit,
        report: ImportReport,
        on_match: Callable[[], None] = lambda: None,
    ) -> None:
        self._pool = pool
        self._commits = commits
        self._report = report
        self._on_match = on_match

    async def restore(self, found: Iterable[FoundMatch | Faulty]) -> None:
        """Restores what can be; the report says what became of each."""
        batch: list[FoundMatch] = []
        size = 0
        for one in found:
            if isinstance(one, Faulty):
                self.complain(one)
                continue
            batch.append(one)
            size += sum(map(len, one.publics))
            if len(batch) == _AT_ONCE or size > _BYTES_AT_ONCE:
                await self._restore_batch(batch)
                batch, size = [], 0
        await self._restore_batch(batch)

    def complain(self, faulty: Faulty) -> None:
        """Counts something that is not restored."""
        self._report.refuse(faulty.describe())

    async def _restore_batch(self, batch: Sequence[FoundMatch]) -> None:
        there = await asyncio.to_thread(self._stored, [one.match for one in batch])
        # In the order of the file: so is the order of their endings in the log.
        await asyncio.gather(*[self._restore_one(one, there.get(one.match, [])) for one in batch])

    async def _restore_one(self, found: FoundMatch, there: Sequence[_Public]) -> None:
        self._on_match()
        if there:
            self._compare(found, there)
            return
        try:
            rows = sound_rows(found)
        except NotSound as reason:
            self.complain(Faulty(found.place_of(reason.version), str(reason)))
            return
        if (await self._commits.append(Append(rows))).result == "stored":
            self._report.restored += 1
            return
        # Since it was looked up, someone has stored a match of this id.
        self._compare(found, (await asyncio.to_thread(self._stored, [found.match]))[found.match])

    def _compare(self, found: FoundMatch, there: Sequence[_Public]) -> None:
        what = _difference(found, there)
        if what is None:
            self._report.there_already += 1
        else:
            self.complain(Faulty(found.place_of(None), what))

    def _stored(self, matches: Sequence[UUID]) -> dict[UUID, list[_Public]]:
        """What the log holds of these matches."""
        rows: dict[UUID, list[_Public]] = {}
        with translated_errors(), self._pool.connection() as connection:
            for match, tag, body in connection.execute(_STORED, [list(matches)], binary=True):
                rows.setdefault(match, []).append((tag, public_part(body)))
        return rows


def _difference(found: FoundMatch, there: Sequence[_Public]) -> str | None:
    """What tells a match from the one of its id in the log; None where nothing does."""
    if not any(tag.startswith(("MatchSettled.", "MatchAbandoned.")) for tag, _ in there):
        return "a match of this id is being played here; nothing of it is replaced"
    pairs = zip(found.publics, there, strict=False)
    other = next((number for number, (own, (_, theirs)) in enumerate(pairs, 1) if own != theirs), None)
    if other is not None:
        return f"the log holds it with other bytes, first at version {other}; it stays there as it is"
    more = len(found.publics) - len(there)
    if more < 0:
        return f"the log knows {-more} more events of it, decided since then; it stays there as it is"
    if more > 0:
        return (
            f"the file has {more} more events of it than the log, decided elsewhere since then; it stays here as it "
            "is: annul or correct it here too, or import into an empty log"
        )
    return None
