"""Exercises out of costly decisions: the table as the player saw it, a question, and the answer apart from it."""

from collections.abc import Iterable, Iterator
from typing import Literal
from uuid import UUID

import msgspec

from domain.seats import Seat
from domain.visibility import MatchView
from replays.review.hands import Choice, HandReview, Reviewed
from replays.timeline import Timeline


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was best by what the player knew, what was chosen, and what each choice was worth."""

    best: str
    chosen: str
    choices: tuple[Choice, ...]


class Exercise(msgspec.Struct, frozen=True, kw_only=True):
    """One decision to try: `view` is all that its seat saw of the match just before it."""

    match: UUID
    hand_no: int
    step: int
    seat: Seat
    kind: Literal["play", "declaration"]
    card: str | None
    question: str
    options: tuple[str, ...]
    view: MatchView
    answer: Answer


def exercises_of(timeline: Timeline, review: HandReview, seats: Iterable[Seat]) -> Iterator[Exercise]:
    """One for each costly decision that the players of these seats made in a hand, in order."""
    wanted = set(seats)
    for one in review.decisions:
        if one.costly and one.seat in wanted and one.by == "player":
            yield _exercise(timeline, review, one)


def _exercise(timeline: Timeline, review: HandReview, one: Reviewed) -> Exercise:
    if one.kind == "declaration":
        question = f"You hold {one.card}: declare it open, hidden, or not at all?"
        if len(one.choices) == 2:
            question = f"You hold {one.card}: declare it, or not?"
    else:
        question = "What do you play?"
    return Exercise(
        match=review.match,
        hand_no=review.hand_no,
        step=one.step - 1,
        seat=one.seat,
        kind=one.kind,
        card=one.card,
        question=question,
        options=tuple(sorted(choice.label for choice in one.choices)),
        view=timeline.view(one.step - 1, one.seat),
        answer=Answer(best=one.best, chosen=one.chosen, choices=one.choices),
    )
