"""The stretches of a match's events that belong to one hand each."""

from collections.abc import Iterable
from typing import Final

import msgspec

from domain.events import CardsPlayed, Event, HandDealt, HandEnded, MatchAbandoned, PublishedDeclaration

_BOUNDS: Final = frozenset({HandDealt, HandEnded, MatchAbandoned})


class HandSpan(msgspec.Struct, frozen=True, kw_only=True):
    """The events of one hand: `events[first:end]`, from its `HandDealt` to what ended it or to the last one there is.

    `ending` is None while the hand is in progress, and where the match was abandoned outside a hand.
    """

    number: int
    first: int
    end: int
    ending: HandEnded | MatchAbandoned | None


def hand_spans(events: Iterable[Event]) -> list[HandSpan]:
    """The spans of all hands dealt, in order. They do not overlap, whatever the events are."""
    spans: list[HandSpan] = []
    dealt: HandDealt | None = None
    first = end = 0
    for index, event in enumerate(events):
        end = index + 1
        if type(event) not in _BOUNDS:
            continue
        if isinstance(event, HandDealt):
            if dealt is not None:
                spans.append(HandSpan(number=dealt.hand_no, first=first, end=index, ending=None))
            dealt, first = event, index
        elif dealt is not None and isinstance(event, HandEnded | MatchAbandoned):
            spans.append(HandSpan(number=dealt.hand_no, first=first, end=end, ending=event))
            dealt = None
    if dealt is not None:
        spans.append(HandSpan(number=dealt.hand_no, first=first, end=end, ending=None))
    return spans


def published_declarations(
    events: Iterable[Event], ending: HandEnded | MatchAbandoned | None
) -> list[PublishedDeclaration]:
    """Every declaration a hand's events have made public: with the cards played, then at its end."""
    published = [opening for event in events if isinstance(event, CardsPlayed) for opening in event.openings]
    return [*published, *(ending.declarations if ending is not None else ())]
