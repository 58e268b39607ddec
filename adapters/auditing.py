"""Audits of matches in the log: the digests of their rows, then every step decided anew. No key is needed."""

import hmac
from collections.abc import Iterator
from uuid import UUID

import msgspec

from adapters.postgres.match_rows import Pool, rows_of_match
from adapters.serialization import Row, decode_row, row_digest
from domain.errors import BrokenLog
from replays.audit import audit


class MatchAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome for one match; `what` names the first thing that differs, by match and version, or is None."""

    match: UUID
    events: int
    hands: int
    ok: bool
    what: str | None


def audit_match(pool: Pool, match: UUID) -> MatchAudit:
    """Whether a match's rows are as they were recorded, and every step is what the rules make of it."""
    rows = rows_of_match(pool, match)
    damage = next(damaged_rows(rows), None)
    if damage is not None:
        return MatchAudit(match=match, events=0, hands=0, ok=False, what=damage)
    try:
        report = audit([decode_row(row) for row in rows])
    except BrokenLog as broken:
        return MatchAudit(match=match, events=0, hands=0, ok=False, what=str(broken))
    first = report.first_difference
    return MatchAudit(
        match=match,
        events=report.events,
        hands=report.hands,
        ok=report.ok,
        what=first.describe() if first is not None else None,
    )


def damaged_rows(rows: list[Row]) -> Iterator[str]:
    """What is wrong with the rows themselves: altered bits, and versions that are missing."""
    for expected, row in enumerate(rows, 1):
        if row.version != expected:
            yield f"match {row.match}, version {expected}: the row is missing (version {row.version} follows)"
        digest = row_digest(row.position, row.match, row.version, row.tag, row.body)
        if not hmac.compare_digest(digest, row.digest):
            place = f"match {row.match}, version {row.version}, position {row.position}"
            yield f"{place}: the row differs from the digest it was recorded with"
