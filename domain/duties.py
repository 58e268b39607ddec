"""What the service owes a match next, and when (design §3, who appends what).

A duty follows from the log, from the time this service began to serve it, and from nothing hidden: not from a card,
not from a legal play. After a start of the service no seat's time ends within the match's grace. A seat that was
handed over is acted for after a constant delay. A seat that let its time pass several turns in a row counts as gone:
by the match's own policy it is handed over and the match plays on, to its end even where nobody is left, or the match
is abandoned, which it also is once all four seats are handed over.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec

from domain.decisions.deadlines import declarations_deadline, play_deadline
from domain.decisions.dealing import missing_nonces
from domain.events import CardsPlayed, Event, SeatHandedOver, SeatTakenBack
from domain.match import Match, evolve
from domain.seats import SEATS, BySeat, Seat, replaced

AUTOPILOT_DELAY_S: Final = 1
"""How long the autopilot waits before it acts for a seat that was handed over, whatever it holds."""
GONE_AFTER: Final = 3
"""How many turns in a row a seat lets pass until it is gone for long."""

Missed = BySeat[int]
"""By seat: how many turns in a row its time ran out."""
NONE_MISSED: Final[Missed] = (0, 0, 0, 0)

OFFER_LASTS_S: Final = 3600
"""How long a match waits for company since anything last happened at it."""

Task = Literal[
    "close_offer", "unseat", "declare", "close_declarations", "play", "deal", "replace", "break_off"
]
"""In order: close an offer nobody takes; unseat who owes a nonce; declare and say done for a seat handed over; close
the window; play for a seat; deal the next hand; replace a player who is gone; break off a match nobody plays."""


class Duty(msgspec.Struct, frozen=True):
    """A task, when it is due (UTC), and the seat it is done for, if one."""

    at: datetime
    task: Task
    seat: Seat | None = None


def duty_of(match: Match, since: datetime, missed: Missed = NONE_MISSED) -> Duty | None:
    """The next duty; None where the match waits for its players alone. `since`: when the service started."""
    if match.ended:
        return None
    gone = [seat for seat in SEATS if missed[seat] >= GONE_AFTER and not match.autopilot[seat]]
    if gone and match.phase != "seating":
        return Duty(match.at, "replace", gone[0])
    if match.phase != "seating" and all(match.autopilot) and match.opened.abandonment == "abandon":
        return Duty(match.at, "break_off")
    grace = since + timedelta(seconds=match.opened.clocks.grace_s)
    if match.phase == "seating":
        return _seating_duty(match, grace)
    if match.phase == "declaring":
        return _declaring_duty(match, grace)
    if match.phase == "playing":
        return _playing_duty(match, grace)
    return _dealing_duty(match)


def _seating_duty(match: Match, grace: datetime) -> Duty | None:
    if match.full_since is None:
        return Duty(max(match.at + timedelta(seconds=OFFER_LASTS_S), grace), "close_offer")
    if not missing_nonces(match):
        return None
    return Duty(max(match.full_since + timedelta(seconds=match.opened.clocks.seat_s), grace), "unseat")


def _declaring_duty(match: Match, grace: datetime) -> Duty | None:
    deadline = declarations_deadline(match)
    if deadline is None or match.hand is None:
        return None
    close = Duty(max(deadline, grace), "close_declarations")
    handed_over = [seat for seat in SEATS if match.autopilot[seat] and not match.hand.done[seat]]
    if not handed_over:
        return close
    declare = Duty(match.hand.dealt_at + _AUTOPILOT_DELAY, "declare", handed_over[0])
    return min(declare, close, key=_when)


def _playing_duty(match: Match, grace: datetime) -> Duty | None:
    deadline = play_deadline(match)
    if deadline is None or match.hand is None or match.hand.turn is None:
        return None
    turn = match.hand.turn
    at = max(deadline, grace)
    if match.autopilot[turn]:
        at = min(at, match.hand.turn_since + _AUTOPILOT_DELAY)
    return Duty(at, "play", turn)


def _dealing_duty(match: Match) -> Duty | None:
    if match.phase != "between_hands" or match.last_hand is None:
        return None
    return Duty(match.last_hand.at + timedelta(seconds=match.opened.clocks.pause_s), "deal")


def missed_after(missed: Missed, match: Match, event: Event) -> Missed:
    """The turns missed in a row after an event. `match` stands before it."""
    if isinstance(event, CardsPlayed):
        ran_out = event.by == "autopilot" and not match.autopilot[event.seat]
        return replaced(missed, event.seat, missed[event.seat] + 1 if ran_out else 0)
    if isinstance(event, SeatHandedOver | SeatTakenBack):
        return replaced(missed, event.seat, 0)
    return missed


def missed_in(events: Iterable[Event]) -> Missed:
    """The turns missed in a row after the events of a match, from its first on."""
    match, missed = None, NONE_MISSED
    for event in events:
        if match is not None:
            missed = missed_after(missed, match, event)
        match = evolve(match, event)
    return missed


_AUTOPILOT_DELAY: Final = timedelta(seconds=AUTOPILOT_DELAY_S)


def _when(duty: Duty) -> datetime:
    return duty.at
