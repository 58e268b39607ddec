"""What integrity staff decided about a match, in lines: who, why, and of a corrected hand both results."""

from collections.abc import Sequence

from domain.events import AnnulmentLifted, Event, HandCorrected, HandEnded, MatchAnnulled, MatchSettled
from domain.seats import BySeat


def integrity_notes(events: Sequence[Event]) -> list[str]:
    """A line for each decision, in order; under a correction the recorded and the corrected result."""
    notes: list[str] = []
    for event in events:
        if isinstance(event, MatchAnnulled):
            notes.append(f"annulled by {event.by} in case {event.case}: {event.cause}")
        elif isinstance(event, AnnulmentLifted):
            notes.append(f"annulment lifted by {event.by} in case {event.case}: {event.cause}")
        elif isinstance(event, HandCorrected):
            notes += _correction(event, events)
    return notes


def _correction(corrected: HandCorrected, events: Sequence[Event]) -> list[str]:
    recorded = next(
        event for event in events if isinstance(event, HandEnded) and event.hand_no == corrected.hand_no
    )
    word = "blood" if corrected.points is None else "points"
    lines = [
        f"hand {corrected.hand_no} corrected by {corrected.by} in case {corrected.case}: {corrected.cause}",
        f"  recorded   raw {_four(recorded.raw_scores)}, {word} {_four(recorded.points or recorded.blood)}",
        f"  corrected  raw {_four(corrected.raw_scores)}, {word} {_four(corrected.points or corrected.blood)}",
    ]
    settled = next((event for event in events if isinstance(event, MatchSettled)), None)
    if settled is not None:
        lines.append(
            f"  the match's points: recorded {_four(settled.points)}, corrected {_four(corrected.match_points)}"
        )
    return lines


def _four(numbers: BySeat[int] | None) -> str:
    return "none" if numbers is None else " ".join(f"{number:+d}" for number in numbers)
