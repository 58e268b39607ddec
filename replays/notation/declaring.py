"""Words for the declaration window. Its times count from the deal."""

from domain.events import CardDeclared, DeclarationDone, DeclarationsClosed
from domain.rulesets import Level
from replays.notation.course import CardKnown, Course, Unsayable
from replays.notation.lexing import Cursor
from replays.notation.words import Lines, named, optional, time_since


def declared(event: CardDeclared, known: CardKnown | None, course: Course) -> Lines:
    """`declares SEAT CARD|? open|hidden [automatic] (SECONDS) [commitment HEX] [opening HEX]`."""
    card = event.card if known is None else known.card
    if card is not None and course.contradicts(event.seat, [card]):
        raise Unsayable("a card dealt to this seat")
    words = ["declares", str(event.seat), card or "?", event.level, *optional(event.automatic, "automatic")]
    words += time_since(course.in_hand.dealt_at, event.at)
    if event.commitment is not None:
        words += named("commitment", event.commitment)
    if known is not None and known.opening is not None:
        words += named("opening", known.opening)
    return [words]


def read_declared(cursor: Cursor, course: Course) -> tuple[CardDeclared, CardKnown | None]:
    """What `declares` means, and which card lies face down where the text knows it."""
    cursor.expect("declares")
    hand, seat = course.in_hand, cursor.seat()
    card = None if cursor.skips("?") else cursor.card("the card declared, or `?` where it is not known")
    level: Level = "hidden" if cursor.one_of("open", "hidden") == "hidden" else "open"
    automatic = cursor.skips("automatic")
    stamp = course.stamp(hand.dealt_at, cursor.span())
    commitment = cursor.string("a commitment, in quotes") if cursor.skips("commitment") else None
    opening = cursor.string("an opening, in quotes") if cursor.skips("opening") else None
    if card is None and (level == "open" or opening is not None):
        raise Unsayable("the card of an open declaration, or of one with its opening")
    if level == "open" and opening is not None:
        raise Unsayable("no opening of an open declaration")
    event = CardDeclared(
        **stamp,
        hand_no=hand.number,
        seat=seat,
        level=level,
        automatic=automatic,
        card=card if level == "open" else None,
        commitment=commitment,
    )
    hidden = level == "hidden" and card is not None
    return event, CardKnown(card=card, opening=opening) if hidden and card is not None else None


def done(event: DeclarationDone, course: Course) -> Lines:
    """`done SEAT (SECONDS)`."""
    return [["done", str(event.seat), *time_since(course.in_hand.dealt_at, event.at)]]


def read_done(cursor: Cursor, course: Course) -> DeclarationDone:
    """What `done` means."""
    cursor.expect("done")
    hand, seat = course.in_hand, cursor.seat()
    return DeclarationDone(**course.stamp(hand.dealt_at, cursor.span()), hand_no=hand.number, seat=seat)


def closed(event: DeclarationsClosed, course: Course) -> Lines:
    """`closed all_done|time leads SEAT (SECONDS)`."""
    words = ["closed", event.cause, "leads", str(event.leader)]
    return [[*words, *time_since(course.in_hand.dealt_at, event.at)]]


def read_closed(cursor: Cursor, course: Course) -> DeclarationsClosed:
    """What `closed` means."""
    cursor.expect("closed")
    hand = course.in_hand
    by_time = cursor.one_of("all_done", "time") == "time"
    cursor.expect("leads")
    leader = cursor.seat()
    return DeclarationsClosed(
        **course.stamp(hand.dealt_at, cursor.span()),
        hand_no=hand.number,
        cause="time" if by_time else "all_done",
        leader=leader,
    )
