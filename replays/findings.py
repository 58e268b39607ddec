"""What an audit says: that every step of a match holds, or the first that differs and in what."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from domain.errors import CommandRefused
from domain.events import Event, public_form
from replays.places import Place, place_of


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One step that differs from what our rules make of it.

    `field` is the path of the field in the event's public form (`accounts[2].hearts`; `type` where another event
    stands there), `recorded` and `recomputed` its two values as plain data, None where one side has nothing. `rule`
    names the clause a refused step breaks.
    """

    place: Place
    field: str | None
    recorded: Any
    recomputed: Any
    what: str
    rule: str = ""

    def describe(self) -> str:
        """One sentence: the place, the field, and what differs there."""
        field = f", {self.field}" if self.field else ""
        return f"{self.place.describe()}{field}: {self.what}"


class StepDiffers(Exception):
    """A step that does not hold; `finding` says where and in what."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.describe())


class AuditReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an audit. `events` and `hands` count what was found to hold: events, and finished hands."""

    match: UUID | None
    events: int
    hands: int
    ok: bool
    first_difference: Finding | None


def difference(recorded: Event | None, recomputed: Event) -> Finding | None:
    """The first field, in written order, in which a recorded event differs from the recomputed one."""
    if recorded is None:
        return _missing(recomputed)
    recorded, recomputed = public_form(recorded), public_form(recomputed)
    if type(recorded) is type(recomputed) and recorded == recomputed:
        return None
    field, was, is_now = next(
        differences(msgspec.to_builtins(recorded), msgspec.to_builtins(recomputed)), (None, None, None)
    )
    return Finding(
        place=place_of(recorded),
        field=field,
        recorded=was,
        recomputed=is_now,
        what=f"recorded {was!r}, recomputed {is_now!r}",
    )


def _missing(recomputed: Event) -> Finding:
    kind = type(recomputed).__name__
    return Finding(
        place=place_of(recomputed),
        field="type",
        recorded=None,
        recomputed=kind,
        what=f"the log ends here, recomputed {kind}",
    )


def differences(recorded: object, recomputed: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Every leaf in which two values of plain data differ, as path, first and second value."""
    if isinstance(recorded, dict) and isinstance(recomputed, dict):
        for key in [*recorded, *(key for key in recomputed if key not in recorded)]:
            yield from differences(
                recorded.get(key), recomputed.get(key), f"{path}.{key}" if path else str(key)
            )
    elif isinstance(recorded, list | tuple) and isinstance(recomputed, list | tuple):
        if len(recorded) != len(recomputed):
            yield path, recorded, recomputed
            return
        for index, pair in enumerate(zip(recorded, recomputed, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif recorded != recomputed:
        yield path, recorded, recomputed


def refused(event: Event, refusal: CommandRefused) -> Finding:
    """The finding that our rules refuse the step an event records."""
    return Finding(
        place=place_of(event),
        field=None,
        recorded=type(event).__name__,
        recomputed=refusal.reason,
        what=f"the rules refuse this step: {refusal}",
        rule=refusal.rule,
    )


def impossible(event: Event, what: str, *, field: str | None = None) -> Finding:
    """The finding that an event cannot stand where it does."""
    return Finding(
        place=place_of(event), field=field, recorded=type(event).__name__, recomputed=None, what=what
    )
