"""Words for the end of a hand and of a match."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, Literal

from domain.events import HandEnded, MatchAbandoned, MatchSettled
from domain.scoring import Account
from domain.seats import SEATS, BySeat
from replays.notation.accounts import account_words, read_account
from replays.notation.course import Course, Unsayable
from replays.notation.lexing import Cursor
from replays.notation.texts import instant
from replays.notation.words import (
    Lines,
    four,
    named,
    needed_numbers,
    numbers,
    optional,
    read_numbers,
    time_since,
)

SettledBy = Literal["threshold", "hands_played", "limit"]
CAUSES: Final[dict[str, SettledBy]] = {
    "threshold": "threshold",
    "hands_played": "hands_played",
    "limit": "limit",
}


def ended(event: HandEnded, course: Course) -> Lines:
    """`scores next SEAT (SECONDS)`, then for each seat `SEAT: RAW [blood N] [points N] ACCOUNT`."""
    lines = [["scores", "next", str(event.next_leader), *time_since(course.at, event.at)]]
    for seat in SEATS:
        words = [f"{seat}:", str(event.raw_scores[seat])]
        words += [] if event.blood is None else ["blood", str(event.blood[seat])]
        words += [] if event.points is None else ["points", str(event.points[seat])]
        lines.append([*words, *account_words(event.accounts[seat])])
    return lines


def read_ended(cursor: Cursor, course: Course) -> HandEnded:
    """What `scores` means; deal, seed and declarations are those told before."""
    cursor.expect("scores")
    hand = course.in_hand
    cursor.expect("next")
    next_leader = cursor.seat()
    stamp = course.stamp(course.at, cursor.span())
    lines = [_read_score(cursor, seat) for seat in SEATS]
    if hand.known.deal is None:
        raise Unsayable("the `cards` of all seats before the hand's end")
    return HandEnded(
        **stamp,
        hand_no=hand.number,
        players=course.everyone(),
        raw_scores=four([account.raw for account, _, _ in lines]),
        accounts=four([account for account, _, _ in lines]),
        blood=_all_or_none(cursor, [blood for _, blood, _ in lines]),
        points=_all_or_none(cursor, [points for _, _, points in lines]),
        next_leader=next_leader,
        deal=hand.known.deal,
        seed=hand.known.seed,
        declarations=course.declarations(),
    )


def _all_or_none(cursor: Cursor, values: Sequence[int | None]) -> BySeat[int] | None:
    """Four numbers, or None where none is given. Raises `NotationError` where some are."""
    given = [value for value in values if value is not None]
    if given and len(given) < len(values):
        raise cursor.error("blood, or points, of all four seats or of none before this")
    return four(given) if given else None


def _read_score(cursor: Cursor, seat: int) -> tuple[Account, int | None, int | None]:
    """A seat's account, blood and points."""
    if cursor.next.text != str(seat):
        raise cursor.error(f"the score of seat {seat}, `{seat}:`")
    cursor.take()
    cursor.expect(":")
    raw = cursor.number("a raw score")
    blood = cursor.number() if cursor.skips("blood") else None
    points = cursor.number() if cursor.skips("points") else None
    return read_account(cursor, raw), blood, points


def settled(event: MatchSettled, course: Course) -> Lines:
    """`settled CAUSE (SECONDS) [blood N N N N] points N N N N`."""
    words = ["settled", event.cause, *time_since(course.at, event.at)]
    return [[*words, *numbers("blood", event.blood), *numbers("points", event.points)]]


def read_settled(cursor: Cursor, course: Course) -> MatchSettled:
    """What `settled` means."""
    cursor.expect("settled")
    cause = CAUSES[cursor.one_of(*CAUSES)]
    stamp = course.stamp(course.at, cursor.span())
    blood = read_numbers(cursor, "blood")
    points = needed_numbers(cursor, "points")
    players = course.everyone()
    return MatchSettled(**stamp, players=players, blood=blood, points=points, cause=cause)


def abandoned(event: MatchAbandoned) -> Lines:
    """`abandoned TIME [unavailable] cause TEXT by TEXT`."""
    words = ["abandoned", instant(event.at), *optional(event.deal_unavailable, "unavailable")]
    return [[*words, *named("cause", event.cause), *named("by", event.by)]]


def read_abandoned(cursor: Cursor, course: Course) -> MatchAbandoned:
    """What `abandoned` means; what becomes public of a hand in progress is what was told before."""
    cursor.expect("abandoned")
    stamp = course.stamp(cursor.instant(), timedelta(0))
    unavailable = cursor.skips("unavailable")
    cursor.expect("cause")
    cause = cursor.string("why, in quotes")
    cursor.expect("by")
    by = cursor.string("by whom, in quotes")
    shown = course.hand is not None and not unavailable
    known = course.in_hand.known if shown else None
    return MatchAbandoned(
        **stamp,
        players=four(course.players),
        cause=cause,
        by=by,
        hand_no=course.hand_no,
        deal=known.deal if known is not None else None,
        seed=known.seed if known is not None else None,
        declarations=course.declarations() if shown else (),
        deal_unavailable=unavailable,
    )
