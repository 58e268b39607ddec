"""Reviews of matches of the log: what was reviewed before is read, the rest is reviewed now and kept."""

from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from uuid import UUID

from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool
from adapters.postgres.reviews import StoredReviews
from adapters.timelines import Timelines
from domain.events import HandEnded
from replays.review import HandNotEnded, HandReview, ReviewSettings, review_hand
from replays.timeline import Timeline

Told = Callable[[int, int, int], None]
"""Told while a hand is reviewed: its number, and how many of how many decisions are done."""


class NothingToReview(AdapterError):
    """A match in which no hand has ended."""


class Reviewer:
    """Reviews hands of one log."""

    def __init__(self, pool: Pool, timelines: Timelines | None = None) -> None:
        self.timelines = timelines or Timelines(pool)
        self.stored = StoredReviews(pool)

    def reviews(
        self,
        match: UUID,
        hands: Iterable[int],
        settings: ReviewSettings,
        *,
        keep_going: Callable[[], bool] = lambda: True,
        told: Told = lambda _hand, _done, _of: None,
    ) -> Iterator[HandReview]:
        """The review of each of these hands of a match. Raises `MatchNotOpen`, `HandNotEnded`, `Stopped`."""
        for hand_no in hands:
            review = self.stored.find(match, hand_no, settings)
            if review is None:
                timeline = self.timelines.of(match)
                review = reviewed(timeline, hand_no, settings, keep_going=keep_going, told=told)
                self.stored.keep(review)
            yield review


def reviewed(
    timeline: Timeline,
    hand_no: int,
    settings: ReviewSettings,
    *,
    keep_going: Callable[[], bool] = lambda: True,
    told: Told = lambda _hand, _done, _of: None,
) -> HandReview:
    """A hand reviewed now."""
    return review_hand(
        timeline,
        hand_no,
        settings,
        keep_going=keep_going,
        progress=lambda done, of: told(hand_no, done, of),
    )


def ended_hands(timeline: Timeline) -> list[int]:
    """The numbers of the hands that have ended."""
    return [step.event.hand_no for step in timeline if isinstance(step.event, HandEnded)]


def hands_to_review(timeline: Timeline, wanted: int | None) -> list[int]:
    """The hand wanted, or all that have ended. Raises `NothingToReview`, and `HandNotEnded` for one that has not."""
    ended = ended_hands(timeline)
    if wanted is not None:
        if wanted not in ended:
            known = f"ended hands: {', '.join(map(str, ended)) or 'none'}"
            raise HandNotEnded(f"hand {wanted} of this match has not been played to its end; {known}")
        return [wanted]
    if not ended:
        raise NothingToReview("no hand of this match has ended yet; hands are reviewed when they have ended")
    return ended


def within(seconds: float | None) -> Callable[[], bool]:
    """Says yes until so many seconds have passed; for ever without a number."""
    if seconds is None:
        return lambda: True
    until = monotonic() + seconds
    return lambda: monotonic() < until
