"""Every step of a match decided anew and compared with what was recorded (design §7, P5).

The events are public forms or full ones; only what is public is used. Each group of events is turned back into the
command it came from, decided at the recorded time, and compared field by field, so that takers, scores, accounts,
blood, points, settlements, leaders, think times and openings are all recomputed. Deals are taken as published (that
they follow from the chain of seeds is another check), corrections as given, and of a hand whose deal is not public
all is checked that can be known.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from domain.decisions import Decision, decide_and_evolve
from domain.errors import BrokenLog, CommandRefused, DealUnavailable
from domain.events import (
    CardDeclared,
    DealSecret,
    Event,
    HandCorrected,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    secret_of,
)
from domain.match import Match, evolve
from replays.causes import command_of
from replays.disclosure import decks_of, disclosed, with_openings
from replays.findings import AuditReport, Finding, StepDiffers, difference, impossible, refused
from replays.hand_spans import HandSpan, hand_spans
from replays.known_cards import with_known_cards
from replays.places import Place
from replays.unpublished import closed_declaration, match_opening

_RULES_FAIL: Final = (LookupError, ValueError, ArithmeticError, StopIteration)
"""What the rules raise where a ruleset's numbers or a log's make no sense together."""

NO_EVENT: Final = Finding(
    place=Place(), field=None, recorded=None, recomputed="MatchOpened", what="there is no event"
)


def audit(events: Sequence[Event]) -> AuditReport:
    """Whether every step of a match is what our rules make of it, or the first that is not. No match has no event."""
    walk = _Walk(events)
    finding = None if events else NO_EVENT
    try:
        while walk.done < len(walk.told):
            walk.take_group()
    except StepDiffers as differs:
        finding = differs.finding
    return AuditReport(
        match=events[0].match if events else None,
        events=walk.done,
        hands=sum(isinstance(event, HandEnded) for event in walk.told[: walk.done]),
        ok=finding is None,
        first_difference=finding,
    )


class _Walk:
    """The way through a match's events: those before `done` hold, and `match` is the state after them."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.told = list(disclosed(events))
        self.decks = decks_of(self.told)
        self.spans = {span.first: span for span in hand_spans(self.told)}
        for span in self.spans.values():
            if secret_of(self.told[span.first]) is None:
                of_hand = self.told[span.first : span.end]
                self.told[span.first : span.end] = with_openings(of_hand, span.ending, self.decks)
        self.done = 0
        self.match: Match | None = None
        self.span: HandSpan | None = None

    def take_group(self) -> None:
        """Goes past the events of one command. Raises `StepDiffers` where they are not what it leads to."""
        first = self.told[self.done]
        if first.at.utcoffset() != timedelta(0):
            raise StepDiffers(impossible(first, "times are in UTC", field="at"))
        try:
            decision = self._decide(first)
        except CommandRefused as refusal:
            raise StepDiffers(refused(first, refusal)) from refusal
        except BrokenLog as broken:
            raise StepDiffers(impossible(first, broken.what)) from broken
        except _RULES_FAIL as failure:
            raise StepDiffers(
                impossible(first, f"our rules cannot decide this step: {failure!r}")
            ) from failure
        self._compare(decision)
        self.match = self._with_known_cards(decision.match)

    def _compare(self, decision: Decision) -> None:
        for recomputed in decision.events:
            recorded = self.told[self.done] if self.done < len(self.told) else None
            if finding := difference(recorded, recomputed):
                raise StepDiffers(finding)
            self.done += 1

    def _decide(self, first: Event) -> Decision:
        """What the command that an event came from leads to here."""
        if isinstance(first, MatchOpened) and self.match is None:
            return match_opening(first)
        if isinstance(first, HandCorrected):
            return Decision((first,), evolve(self.match, first))
        if isinstance(first, CardDeclared) and first.card is None and secret_of(first) is None:
            if self.span is not None and _deal_is_published(self.span):
                text = "nothing published opens this declaration"
                raise StepDiffers(impossible(first, text, field="commitment"))
            return closed_declaration(self.match, first)
        command = command_of(first, self.decks)
        if command is None:
            raise StepDiffers(
                impossible(first, f"no command leads to {type(first).__name__} here", field="type")
            )
        return decide_and_evolve(self.match, command, first.at, self._published_deal)

    def _published_deal(self, match: Match) -> DealSecret | None:
        """The next deal as the hand's end publishes it, None where it does not."""
        if match.opened.origin == "imported":
            raise DealUnavailable
        first = next((first for first in self.spans if first >= self.done), None)
        secret = secret_of(self.told[first]) if first is not None else None
        return secret if isinstance(secret, DealSecret) else None

    def _with_known_cards(self, match: Match) -> Match:
        """The match; where a hand was dealt whose deal is not public, with what is known of its cards."""
        self.span = self.spans.get(self.done - 1, self.span)
        if match.hand is None or match.hand.holdings is not None or self.span is None:
            return match
        of_hand = self.told[self.span.first : self.span.end]
        return replace(match, hand=with_known_cards(match.hand, match.ruleset, of_hand))


def _deal_is_published(span: HandSpan) -> bool:
    return span.ending is not None and not (
        isinstance(span.ending, MatchAbandoned) and span.ending.deal_unavailable
    )
