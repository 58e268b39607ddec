"""Scenarios of one command: given what has happened, when this is asked, then these events follow, or a refusal.

    given(table).when(SayDone(seat=0)).then(happened(DeclarationDone, seat=0))
    given(table).when(SayDone(seat=0)).is_refused(AlreadyDone, seat=0)

An expectation names the fields that matter to it. Every scenario also checks what holds for any command: events are
numbered on from the last one, folding them gives the state that was decided, and a refusal leaves nothing changed.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pytest

from domain.commands import Command
from domain.decisions import decide, decide_and_evolve
from domain.errors import CommandRefused
from domain.events import Event
from domain.match import Match, fold
from tests.support.tables import MORNING, Table


class Happened(NamedTuple):
    """An event of this type whose named fields have these values."""

    type: type[Event]
    fields: dict[str, Any]


def happened(event_type: type[Event], **fields: Any) -> Happened:
    """What an event is expected to be, by the fields that matter."""
    return Happened(event_type, fields)


def given(past: Table | Sequence[Event]) -> "Given":
    """What has happened so far: a table's events, or these."""
    return Given(past.events, past.at) if isinstance(past, Table) else Given(past, MORNING)


class Given:
    """What has happened, and when the command will be asked."""

    def __init__(self, events: Sequence[Event], at: datetime) -> None:
        self.events = tuple(events)
        self.at = at

    def when(self, command: Command) -> "When":
        """Asks the command of the match that these events led to."""
        return When(self, command)


class When:
    """A command asked of a past; what follows is yet to be said."""

    def __init__(self, past: Given, command: Command) -> None:
        self._past = past
        self._command = command
        self._match = fold(past.events)

    def then(self, *expected: Happened) -> Match:
        """Exactly these events follow, in this order. Gives the match after them."""
        decision = decide_and_evolve(self._match, self._command, self._past.at)
        assert [type(event).__name__ for event in decision.events] == [e.type.__name__ for e in expected]
        for event, wanted in zip(decision.events, expected, strict=True):
            got = {name: getattr(event, name) for name in wanted.fields}
            assert got == wanted.fields, type(event).__name__
        self._check_numbering(decision.events)
        assert fold([*self._past.events, *decision.events]) == decision.match
        return decision.match

    def is_refused(self, refusal: type[CommandRefused], **details: Any) -> CommandRefused:
        """The command is refused for this reason, with these details, and nothing has changed."""
        with pytest.raises(refusal) as caught:
            decide(self._match, self._command, self._past.at)
        assert type(caught.value) is refusal
        said = {"seat": caught.value.seat, "card": caught.value.card, **caught.value.details}
        assert {name: said[name] for name in details} == details
        assert self._match == fold(self._past.events)
        return caught.value

    def _check_numbering(self, events: Sequence[Event]) -> None:
        first = len(self._past.events) + 1
        assert [event.version for event in events] == list(range(first, first + len(events)))
        times = [event.at for event in (*self._past.events, *events)]
        assert times == sorted(times)
