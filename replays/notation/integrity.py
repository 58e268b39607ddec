"""Words for what integrity staff decide after a match."""

from datetime import timedelta
from typing import Any

from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from replays.notation.course import Course
from replays.notation.lexing import Cursor
from replays.notation.texts import instant
from replays.notation.words import Lines, named, needed_numbers, numbers, read_numbers


def annulled(event: MatchAnnulled | AnnulmentLifted) -> Lines:
    """`annulled|lifted TIME case TEXT cause TEXT by TEXT`."""
    word = "annulled" if isinstance(event, MatchAnnulled) else "lifted"
    return [[word, instant(event.at), *_reasons(event)]]


def read_annulled(cursor: Cursor, course: Course) -> MatchAnnulled | AnnulmentLifted:
    """What `annulled` and `lifted` mean."""
    event_type = MatchAnnulled if cursor.one_of("annulled", "lifted") == "annulled" else AnnulmentLifted
    stamp = course.stamp(cursor.instant(), timedelta(0))
    return event_type(**stamp, **_read_reasons(cursor))


def corrected(event: HandCorrected) -> Lines:
    """`corrected TIME hand NUMBER raw N N N N [blood …] [points …] [match_points …] case TEXT cause TEXT by TEXT`."""
    words = ["corrected", instant(event.at), "hand", str(event.hand_no), *numbers("raw", event.raw_scores)]
    words += [*numbers("blood", event.blood), *numbers("points", event.points)]
    return [[*words, *numbers("match_points", event.match_points), *_reasons(event)]]


def read_corrected(cursor: Cursor, course: Course) -> HandCorrected:
    """What `corrected` means."""
    cursor.expect("corrected")
    stamp = course.stamp(cursor.instant(), timedelta(0))
    cursor.expect("hand")
    number = cursor.number("the hand's number")
    raw_scores = needed_numbers(cursor, "raw")
    blood, points = read_numbers(cursor, "blood"), read_numbers(cursor, "points")
    match_points = read_numbers(cursor, "match_points")
    return HandCorrected(
        **stamp,
        **_read_reasons(cursor),
        hand_no=number,
        players=course.everyone(),
        raw_scores=raw_scores,
        blood=blood,
        points=points,
        match_points=match_points,
    )


def _reasons(event: MatchAnnulled | AnnulmentLifted | HandCorrected) -> list[str]:
    return [*named("case", event.case), *named("cause", event.cause), *named("by", event.by)]


def _read_reasons(cursor: Cursor) -> dict[str, Any]:
    reasons: dict[str, Any] = {}
    for word in ("case", "cause", "by"):
        cursor.expect(word)
        reasons[word] = cursor.string(f"the {word}, in quotes")
    return reasons
