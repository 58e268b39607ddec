"""Seats that are away, and the end of a match by other means (design §3, rules.md §6)."""

from typing import Any

from domain import commands
from domain.decisions.disclosure import disclosed
from domain.decisions.story import Story, require_phase, seat_named
from domain.errors import AlreadyHandedOver, NotHandedOver
from domain.events import MatchAbandoned, SeatHandedOver, SeatTakenBack
from domain.match import Match


def hand_over_seat(story: Story, command: commands.HandOverSeat) -> None:
    """Let the autopilot play for a seat."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "handing over a seat", "declaring", "playing", "between_hands", seat=seat)
    if match.autopilot[seat]:
        raise AlreadyHandedOver(seat=seat)
    story.add(SeatHandedOver, hand_no=_hand_no(match), seat=seat, cause=command.cause)


def take_back_seat(story: Story, command: commands.TakeBackSeat) -> None:
    """Let the player play again."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "taking back a seat", "declaring", "playing", "between_hands", seat=seat)
    if not match.autopilot[seat]:
        raise NotHandedOver(seat=seat)
    story.add(SeatTakenBack, hand_no=_hand_no(match), seat=seat, cause=command.cause)


def _hand_no(match: Match) -> int | None:
    return match.hand.number if match.hand is not None else None


def abandon_match(story: Story, command: commands.AbandonMatch) -> None:
    """End the match without a settlement; the hand in progress becomes public where its key is here."""
    match = story.match
    require_phase(match, "abandoning", "seating", "declaring", "playing", "between_hands")
    hand, decks = match.hand, match.ruleset.decks
    nothing: dict[str, Any] = {"deal": None, "seed": None, "declarations": ()}
    available = hand is None or (hand.order is not None and None not in [d.card for d in hand.declarations])
    story.add(
        MatchAbandoned,
        players=match.players,
        cause=command.cause,
        by=command.by,
        hand_no=_hand_no(match),
        deal_unavailable=not available,
        **(disclosed(hand, decks) if hand is not None and available else nothing),
    )
