"""Words for plays, and for seats handed over and taken back.

A card is a play of whoever's turn it is: `SQ`, in two decks also the pair `SQa+SQb`, with `*` where the autopilot
played it, and the think time in seconds. The first of a trick is led by the trick's number and its leader, `3. 2:`.
"""

from datetime import timedelta

from domain.events import By, CardsPlayed, SeatHandedOver, SeatTakenBack, TrickTaken
from replays.notation.course import Course, Unsayable
from replays.notation.lexing import Cursor
from replays.notation.words import Lines, named, time_since


def played(event: CardsPlayed, course: Course) -> Lines:
    """`[TRICK. SEAT:] CARD[+CARD][*](SECONDS)`. Raises `Unsayable` for a play that these words would not mean."""
    hand = course.in_hand
    think = event.at - hand.turn_since
    if think < timedelta(0) or not 1 <= len(event.cards) <= 2:
        raise Unsayable("a play of one card or two")
    if course.played(event.cards, event.by, think) != event or course.contradicts(event.seat, event.cards):
        raise Unsayable("another play")
    label = [] if hand.plays else [f"{event.trick_no}.", f"{event.seat}:"]
    mark = "*" if event.by == "autopilot" else ""
    return [[*label, "".join(["+".join(event.cards), mark, *time_since(hand.turn_since, event.at)])]]


def read_played(cursor: Cursor, course: Course) -> CardsPlayed:
    """What a card means."""
    hand = course.in_hand
    if cursor.next.kind == "number":
        _read_label(cursor, course)
    cards = [cursor.card("a card")]
    if cursor.skips("+"):
        cards.append(cursor.card("the pair's other card"))
    by: By = "autopilot" if cursor.skips("*") else "player"
    think = cursor.span()
    course.stamp(hand.turn_since, think)
    return course.played(tuple(cards), by, think)


def _read_label(cursor: Cursor, course: Course) -> None:
    """Goes past a trick's number and leader. Raises `NotationError` where the course says otherwise."""
    hand = course.in_hand
    if hand.plays:
        raise cursor.error(f"the card of seat {hand.turn} to trick {hand.trick_no}")
    if cursor.next.text.lstrip("0") != str(hand.trick_no):
        raise cursor.error(f"trick {hand.trick_no}")
    cursor.take()
    cursor.expect(".")
    if hand.turn is not None and cursor.next.text != str(hand.turn):
        before = "has the first lead" if hand.trick_no == 1 else "took the trick before"
        raise cursor.error(f"seat {hand.turn}, who {before}")
    cursor.take()
    cursor.expect(":")


def read_taken(cursor: Cursor, last: TrickTaken | None) -> None:
    """Goes past `taken [by SEAT]`, which only repeats who took the trick. Raises `NotationError`."""
    if last is None:
        raise cursor.error("the four plays of a trick before `taken`")
    cursor.expect("taken")
    if cursor.skips("by"):
        if cursor.next.text != str(last.seat):
            raise cursor.error(f"seat {last.seat}, who takes trick {last.trick_no}")
        cursor.take()


def handed_over(event: SeatHandedOver | SeatTakenBack, course: Course) -> Lines:
    """`handover|takeback SEAT (SECONDS) cause TEXT`; the time counts from the event before."""
    word = "handover" if isinstance(event, SeatHandedOver) else "takeback"
    return [[word, str(event.seat), *time_since(course.at, event.at), *named("cause", event.cause)]]


def read_handed_over(cursor: Cursor, course: Course) -> SeatHandedOver | SeatTakenBack:
    """What `handover` and `takeback` mean."""
    event_type = SeatHandedOver if cursor.one_of("handover", "takeback") == "handover" else SeatTakenBack
    seat = cursor.seat()
    stamp = course.stamp(course.at, cursor.span())
    cursor.expect("cause")
    return event_type(**stamp, hand_no=course.hand_no, seat=seat, cause=cursor.string("why, in quotes"))
