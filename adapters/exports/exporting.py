"""Exporting: matches of a log to a folder of parts with a manifest, or to a stream."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import psycopg

from adapters.exports.ended_matches import EndedMatch, EndedMatches, origin_of
from adapters.exports.folder import Begun, ExportFolder, ExportRefused
from adapters.exports.forms import ndjson, notation
from adapters.exports.manifest import Counts, Filters, Kind, Manifest, Part, no_counts, software, total
from adapters.exports.parts import NamesOf, OpenPart, Tally

PART_BYTES: Final = 64_000_000
"""A part ends with the match that brings it to so many bytes of public events."""

OnMatch = Callable[[int, int], None]
"""Hears how many matches of the log are done, and of how many."""


class ExportOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted: the form, which matches, whether with players' names, and how large a part may become."""

    kind: Kind
    filters: Filters = Filters()
    names: bool = False
    part_bytes: int = PART_BYTES


def export(
    database_url: str,
    order: ExportOrder,
    folder: Path,
    at: datetime,
    *,
    log: str = "main",
    names_of: NamesOf | None = None,
    overwrite: bool = False,
    on_match: OnMatch = lambda _done, _of: None,
) -> Manifest:
    """Exports the ended matches of a log that the filters let through, or goes on where it was interrupted.

    What was appended since it began is left out, so that it makes no difference how often it was interrupted.
    `names_of` is asked where names are wanted. Raises `ExportRefused`, `BrokenLog`.
    """
    with ExportFolder(folder) as target, psycopg.connect(database_url, autocommit=True) as connection:
        if overwrite:
            target.start_afresh()
        elif target.finished is not None:
            return _finished_before(target, order)
        begun = _begun(target, connection, order, at, log)
        target.begin(begun)
        _write_parts(target, connection, begun, names_of if order.names else None, on_match)
        manifest = _manifest(begun, [done.part for done in target.done])
        target.finish(manifest)
        return manifest


def export_to_stream(
    database_url: str,
    kind: Kind,
    filters: Filters,
    stream: BinaryIO,
    on_match: OnMatch = lambda _done, _of: None,
) -> Counts:
    """Writes the matches to a stream as text, one after another; what was written. Raises `BrokenLog`."""
    render = {"ndjson": ndjson, "notation": notation}[kind]
    tally = Tally()
    with psycopg.connect(database_url, autocommit=True) as connection:
        matches = EndedMatches(connection, origin_of(connection, "").position, filters)
        for match in _told(matches, 0, on_match):
            stream.write(render(match))
            tally.add(row.tag for row in match.rows)
    stream.flush()
    return tally.counts()


def _finished_before(target: ExportFolder, order: ExportOrder) -> Manifest:
    """What a former run finished but for tidying up. Raises `ExportRefused` where that was tidied up too."""
    finished, begun = target.finished, target.begun
    assert finished is not None, "asked by the caller"
    target.clean_up()
    if begun is None or _wanted(begun) != order:
        raise ExportRefused(
            f"{target.path} holds a finished export of {finished.counts.matches} matches "
            f"({finished.exported_at:%Y-%m-%d %H:%M} UTC); take another folder, or --overwrite"
        )
    return finished


def _wanted(begun: Begun) -> ExportOrder:
    return ExportOrder(kind=begun.kind, filters=begun.filters, names=begun.names, part_bytes=begun.part_bytes)


def _begun(
    target: ExportFolder, connection: psycopg.Connection[Any], order: ExportOrder, at: datetime, log: str
) -> Begun:
    """What an interrupted export was to be, where there is one, else what is wanted now. Raises `ExportRefused`."""
    if target.begun is None:
        return Begun(
            kind=order.kind,
            software=software(),
            origin=origin_of(connection, log),
            exported_at=at,
            filters=order.filters,
            names=order.names,
            part_bytes=order.part_bytes,
        )
    begun = target.begun
    again = "go on with the same options, take another folder, or begin anew with --overwrite"
    if _wanted(begun) != order:
        asked = f"{begun.kind}, filters {msgspec.json.encode(begun.filters).decode()}"
        raise ExportRefused(
            f"{target.path} holds an unfinished export of other matches or form ({asked}); {again}"
        )
    if begun.software != software():
        raise ExportRefused(
            f"the export in {target.path} was begun by {begun.software}, this is {software()}; {again}"
        )
    if _digest_at(connection, begun.origin.position) != begun.origin.digest:
        raise ExportRefused(f"the export in {target.path} was begun from another log; {again}")
    return begun


def _digest_at(connection: psycopg.Connection[Any], position: int) -> str | None:
    found = connection.execute("SELECT digest FROM log.events WHERE position = %s", [position]).fetchone()
    return found[0].hex() if found is not None else None


def _write_parts(
    target: ExportFolder,
    connection: psycopg.Connection[Any],
    begun: Begun,
    names_of: NamesOf | None,
    on_match: OnMatch,
) -> None:
    """Writes the parts that are not done yet; of nothing at all one empty part."""
    after = target.done[-1].position if target.done else 0
    part: OpenPart | None = None
    matches = EndedMatches(connection, begun.origin.position, begun.filters)
    try:
        for match in _told(matches, after, on_match):
            part = part or OpenPart(target, begun.kind, names_of)
            part.add(match)
            if part.bytes >= begun.part_bytes:
                part.finish()
                part = None
        if part is not None or not target.done:
            part = part or OpenPart(target, begun.kind, names_of)
            part.finish()
            part = None
    finally:
        if part is not None:
            part.give_up()


def _told(matches: EndedMatches, after: int, on_match: OnMatch) -> Iterator[EndedMatch]:
    """The matches behind a position, and word of each."""
    in_all = matches.count()
    before = in_all - matches.count(after)
    for match in matches.read(after):
        yield match
        on_match(before + matches.seen, in_all)
    on_match(in_all, in_all)


def _manifest(begun: Begun, parts: list[Part]) -> Manifest:
    counts = no_counts()
    for part in parts:
        counts = total(counts, part.counts)
    return Manifest(
        kind=begun.kind,
        software=begun.software,
        origin=begun.origin,
        exported_at=begun.exported_at,
        filters=begun.filters,
        names=begun.names,
        counts=counts,
        parts=tuple(parts),
    )
