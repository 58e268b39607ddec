"""Matches in files of public events: NDJSON, read line by line, and JSON arrays.

In NDJSON an empty line closes a match. One that is not closed is not restored: if the file was cut off, its newest
events (an annulment, a correction) would be missing and nothing would tell.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final
from uuid import UUID

import msgspec

from adapters.event_files import HEADS, Head
from adapters.record_files import capped_lines
from adapters.restoring.found import MOST_BYTES, UNDECODABLE, Faulty, FoundMatch

LONGEST_LINE: Final = 1_000_000
"""A longer line is no event; the longest real one has about 5,000 bytes."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def matches_in_lines(stream: BinaryIO, source: str) -> Iterator[FoundMatch | Faulty]:
    """What each match in a stream of NDJSON comes to, in order."""
    reading = _Reading(source, "line")
    number = 0
    for number, line in enumerate(capped_lines(stream, LONGEST_LINE), 1):
        if len(line) > LONGEST_LINE:
            yield from reading.fault(
                number, f"the line has more than {LONGEST_LINE:,} bytes; no event is so long"
            )
            continue
        text = line.removeprefix(_BYTE_ORDER_MARK if number == 1 else b"").strip(b" \t\r\n")
        yield from reading.take(number, text) if text else reading.close()
    yield from reading.end(number)


def matches_in_array(stream: BinaryIO, source: str) -> Iterator[FoundMatch | Faulty]:
    """What each match in one JSON array of public events comes to; that the array is closed tells that it is whole."""
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        yield Faulty(source, f"the array has more than {MOST_BYTES:,} bytes; use NDJSON for many matches")
        return
    try:
        objects = msgspec.json.decode(content.removeprefix(_BYTE_ORDER_MARK), type=list[msgspec.Raw])
    except UNDECODABLE as error:
        yield Faulty(source, f"not an array of public events ({error}); export it again")
        return
    reading = _Reading(source, "object", all_closed=True)
    for number, raw in enumerate(objects, 1):
        yield from reading.take(number, bytes(raw))
    yield from reading.end(len(objects))


class _Reading:
    """The match that is being read: its events so far; or, once something in it was faulty, none of them."""

    def __init__(self, source: str, unit: str, *, all_closed: bool = False) -> None:
        self._source = source
        self._unit = unit
        self._all_closed = all_closed
        self._match: UUID | None = None
        self._first = 0
        self._publics: list[bytes] = []
        self._bytes = 0
        self._passing_over = False

    def take(self, number: int, text: bytes) -> Iterator[FoundMatch | Faulty]:
        """One more event."""
        try:
            head = HEADS.decode(text)
        except UNDECODABLE as error:
            yield from self.fault(number, f"not a stored public event ({error}); export it again")
            return
        if head.version == 1 and head.match != self._match:
            yield from self._begin(number, head)
        yield from self._add(number, head, text)

    def close(self) -> Iterator[FoundMatch | Faulty]:
        """An empty line: what was read is whole."""
        if self._publics and self._match is not None:
            yield FoundMatch(self._source, self._unit, self._first, self._match, tuple(self._publics))
        self._forget()

    def end(self, number: int) -> Iterator[FoundMatch | Faulty]:
        """What was read ends here without being closed."""
        if self._all_closed:
            yield from self.close()
        elif self._publics:
            yield self._unclosed(number)
        self._forget()

    def _begin(self, number: int, head: Head) -> Iterator[FoundMatch | Faulty]:
        yield from self.end(number - 1)
        self._match, self._first = head.match, number

    def _add(self, number: int, head: Head, text: bytes) -> Iterator[Faulty]:
        if self._passing_over:
            return
        if self._match is None:
            what = f"version {head.version} of match {head.match}, whose beginning is not in the file"
        elif head.match != self._match:
            what = f"an event of match {head.match} within match {self._match}"
        elif head.version != len(self._publics) + 1:
            what = f"version {head.version} of match {head.match} where {len(self._publics) + 1} is due"
        elif self._bytes > MOST_BYTES:
            what = f"match {head.match} has more than {MOST_BYTES:,} bytes; a match is far smaller"
        else:
            self._publics.append(text)
            self._bytes += len(text)
            return
        yield from self.fault(number, f"{what}; nothing of this match is restored, export it again")

    def fault(self, number: int, what: str) -> Iterator[Faulty]:
        """One complaint for each match; what follows of it is passed over."""
        if not self._passing_over:
            yield Faulty(self._place(number), what)
        self._passing_over = True
        self._publics.clear()

    def _unclosed(self, number: int) -> Faulty:
        return Faulty(
            self._place(number),
            f"no empty line closes match {self._match}, so its end may be missing; "
            "export it again, or add an empty line behind it if you know that it is whole",
        )

    def _forget(self) -> None:
        self._match, self._publics, self._bytes, self._passing_over = None, [], 0, False

    def _place(self, number: int) -> str:
        return f"{self._source} {self._unit} {number}"
