"""Frames: what a viewer of a live match is sent (design P2, §3).

A frame's number is the version of the match it leads to. The first is a snapshot of the viewer's view; each later one
is a change: what was appended since the number before, and the parts of the view that differ. Both are made from the
log and `domain.visibility.view` alone, so any process can make the frames that follow any number. `now` is the time
at the service when it was made, `deadline` when the service acts if nobody does.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import astuple

from adapters.serialization import encode_public
from domain.events import Abandonment, Clocks, Event, MatchOpened, Origin
from domain.match import Match
from domain.rulesets import Ruleset
from domain.visibility import HandView, MatchView, Viewer, view


class MatchTerms(msgspec.Struct, frozen=True, kw_only=True):
    """On which terms a match was opened, and by whom. `anchor` is s₀ in hex, of a chain of `chain_length`."""

    ruleset: Ruleset
    hands_agreed: int | None
    clocks: Clocks
    abandonment: Abandonment
    origin: Origin
    anchor: str | None
    chain_length: int | None
    opened_by: UUID | None
    opened_at: datetime


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, tag="snapshot", tag_field="frame"):
    """The whole view, and the terms of the match."""

    number: int
    now: datetime
    deadline: datetime | None
    view: MatchView
    terms: MatchTerms


class Change(msgspec.Struct, frozen=True, kw_only=True, tag="change", tag_field="frame"):
    """From the view of number `after` to that of `number`.

    `events` are the public forms of what was appended in between. `changes` are the fields of the view that differ,
    with their new values; where there is a hand before and after, `hand` holds its differing fields only.
    """

    after: int
    number: int
    now: datetime
    deadline: datetime | None
    events: tuple[msgspec.Raw, ...]
    changes: dict[str, Any]


_ENCODER: Final = msgspec.json.Encoder()
_VIEW_FIELDS: Final = tuple(field.name for field in msgspec.structs.fields(MatchView))
_HAND_FIELDS: Final = tuple(field.name for field in msgspec.structs.fields(HandView))


def snapshot(match: Match, viewer: Viewer, now: datetime, deadline: datetime | None) -> Snapshot:
    """The snapshot of a match for a viewer."""
    seen, terms = view(match, viewer), terms_of(match.opened)
    return Snapshot(number=match.version, now=now, deadline=deadline, view=seen, terms=terms)


def terms_of(opened: MatchOpened) -> MatchTerms:
    """The terms a match was opened on."""
    return MatchTerms(
        ruleset=opened.ruleset,
        hands_agreed=opened.hands_agreed,
        clocks=opened.clocks,
        abandonment=opened.abandonment,
        origin=opened.origin,
        anchor=opened.anchor,
        chain_length=opened.chain_length,
        opened_by=opened.opened_by,
        opened_at=opened.at,
    )


def encoded(frame: Snapshot | Change) -> bytes:
    """A frame as it is sent."""
    return _ENCODER.encode(frame)


def change(
    before: MatchView,
    after: MatchView,
    events: Sequence[msgspec.Raw],
    now: datetime,
    deadline: datetime | None,
) -> Change:
    """The change from one view to a later one of the same viewer. `events`: those in between, in public form."""
    return Change(
        after=before.version,
        number=after.version,
        now=now,
        deadline=deadline,
        events=tuple(events),
        changes=differences(before, after),
    )


def public_forms(events: Iterable[Event]) -> list[msgspec.Raw]:
    """Events as everyone may see them, rendered."""
    return [msgspec.Raw(encode_public(event)) for event in events]


def differences(before: MatchView, after: MatchView) -> dict[str, Any]:
    """The fields of the later view that differ; of a hand that was there before, its differing fields."""
    changed = _changed(before, after, _VIEW_FIELDS)
    if "hand" in changed and before.hand is not None and after.hand is not None:
        changed["hand"] = _changed(before.hand, after.hand, _HAND_FIELDS)
    return changed


def _changed(before: msgspec.Struct, after: msgspec.Struct, names: tuple[str, ...]) -> dict[str, Any]:
    fields = zip(names, astuple(before), astuple(after), strict=True)
    return {name: new for name, old, new in fields if old is not new and old != new}


def applied(seen: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A decoded view after a decoded change: what every client does with `changes`."""
    hand, changed_hand = seen.get("hand"), changes.get("hand")
    merged = {**seen, **changes}
    if isinstance(hand, dict) and isinstance(changed_hand, dict):
        merged["hand"] = {**hand, **changed_hand}
    return merged
