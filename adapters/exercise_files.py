"""Exercises as files: as data with their answers, or as a text that has all answers at its end."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from domain.cards import RANKS, SUITS
from domain.visibility import HandView
from replays.review import LIMITS, Exercise


def write_exercises(exercises: Sequence[Exercise], path: Path) -> None:
    """Writes a file: JSON where its name ends so, else Markdown."""
    if path.suffix == ".json":
        content = msgspec.json.format(
            msgspec.json.encode({"exercises": exercises, "limits": LIMITS}), indent=2
        )
        path.write_bytes(content + b"\n")
    else:
        path.write_text("\n".join(_text(exercises)) + "\n", encoding="utf-8")


def _text(exercises: Sequence[Exercise]) -> Iterator[str]:
    yield "# Exercises\n"
    for number, exercise in enumerate(exercises, 1):
        yield f"## {number}. {exercise.question}\n"
        assert exercise.view.hand is not None, "a decision is made within a hand"
        yield from _seen(exercise, exercise.view.hand)
        yield f"- you can choose: {', '.join(exercise.options)}\n"
    yield "# Answers\n"
    for number, exercise in enumerate(exercises, 1):
        yield from _answer(number, exercise)
    yield "# What these numbers assume\n"
    yield from (f"- {line}" for line in LIMITS)


def _seen(exercise: Exercise, hand: HandView) -> Iterator[str]:
    """The table as the seat saw it."""
    yield f"{exercise.view.ruleset}, hand {exercise.hand_no}, trick {hand.trick_no}; you are seat {exercise.seat}.\n"
    for suit in SUITS:
        if held := [card for card in hand.cards or () if card[0] == suit]:
            yield f"- you hold {' '.join(sorted(held, key=_by_rank, reverse=True))}"
    for play in hand.trick:
        yield f"- seat {play.seat} played {' '.join(play.cards)}"
    for declared in hand.declarations:
        yield f"- seat {declared.seat} declared {declared.card or 'a card'} {declared.level}"
    for seat, cards in enumerate(hand.taken):
        if cards:
            yield f"- seat {seat} has taken {' '.join(cards)}"
    yield f"- the whole hand so far: step {exercise.step} of match {exercise.match}"


def _by_rank(card: str) -> tuple[int, str]:
    return RANKS.index(card[1]), card


def _answer(number: int, exercise: Exercise) -> Iterator[str]:
    answer = exercise.answer
    yield f"## {number}. {answer.best}\n"
    yield f"Chosen was {answer.chosen}. By what seat {exercise.seat} knew:\n"
    yield "| choice | worth | costs | with all cards shown |\n|---|---|---|---|"
    for choice in answer.choices:
        error = "" if not choice.known_cost.error else f" ±{choice.known_cost.error:.0f}"
        yield (
            f"| {choice.label} | {choice.known.mean:+.0f} | {choice.known_cost.mean:.0f}{error} "
            f"| {choice.shown.mean:+.0f} |"
        )
    yield ""
