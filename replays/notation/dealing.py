"""Words for a hand that is dealt: its number, its time, its cards and its seed as far as they are known."""

from collections.abc import Iterable
from typing import Literal

from domain.dealing import Deal
from domain.events import HandDealt
from domain.seats import SEATS, BySeat, Seat
from replays.notation.course import Course, HandKnown
from replays.notation.lexing import Cursor
from replays.notation.texts import instant
from replays.notation.words import Lines, named, optional


def dealt(event: HandDealt, known: HandKnown) -> Lines:
    """`hand NUMBER TIME [leads SEAT] [shown] [unordered]`, then the `cards` of each seat, or `?`, and the `seed`."""
    first = ["hand", str(event.hand_no), instant(event.at)]
    first += [] if event.leader is None else ["leads", str(event.leader)]
    first += optional(event.deal is not None, "shown")
    first += optional(known.deal is not None and known.deal.order == "unknown", "unordered")
    return [first, *_cards(known.deal), *([named("seed", known.seed)] if known.seed is not None else [])]


def _cards(deal: Deal | None) -> Lines:
    if deal is None:
        return [["cards", "?"]]
    return [["cards", str(seat), *deal.hands[seat]] for seat in SEATS]


def read_dealt(cursor: Cursor, course: Course) -> tuple[HandDealt, HandKnown]:
    """What `hand` means, and what is said of its cards."""
    cursor.expect("hand")
    number = cursor.number("the hand's number")
    at = cursor.instant()
    leader = cursor.seat() if cursor.skips("leads") else None
    shown = cursor.skips("shown")
    order: Literal["dealt", "unknown"] = "unknown" if cursor.skips("unordered") else "dealt"
    hands = _read_cards(cursor, course)
    if hands is None and (shown or order == "unknown"):
        raise cursor.error("the `cards` of all seats")
    deal = Deal(hands, order) if hands is not None else None
    known = HandKnown(deal=deal, seed=cursor.string("a seed, in quotes") if cursor.skips("seed") else None)
    stamp = course.stamp(at, at - at)
    return HandDealt(**stamp, hand_no=number, leader=leader, deal=deal if shown else None), known


def _read_cards(cursor: Cursor, course: Course) -> BySeat[tuple[str, ...]] | None:
    hands: dict[Seat, tuple[str, ...]] = {}
    while cursor.skips("cards"):
        if cursor.skips("?"):
            break
        if cursor.next.text in map(str, hands):
            raise cursor.error("a seat whose cards were not named before, or `?`")
        seat = cursor.seat()
        hands[seat] = _read_hand(cursor, course, hands.values())
    if not hands:
        return None
    if len(hands) < len(SEATS):
        raise cursor.error("the `cards` of all four seats, or `cards ?` alone")
    return (hands[0], hands[1], hands[2], hands[3])


def _read_hand(cursor: Cursor, course: Course, others: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The cards of one seat, as many as are dealt and none twice. Raises `NotationError`."""
    taken = {card for hand in others for card in hand}
    hand: list[str] = []
    size = course.opened.ruleset.hand_size
    while len(hand) < size:
        token = cursor.next
        card = cursor.card(f"{size} cards here, or `cards ?` where they are not known")
        if card in taken:
            raise cursor.error("a card that is dealt once", token)
        taken.add(card)
        hand.append(card)
    return tuple(hand)
