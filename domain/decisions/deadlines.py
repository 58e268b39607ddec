"""When the service acts by itself: deadlines computed from the log (design §3, rules.md §3)."""

from datetime import datetime, timedelta

from domain.match import Match


def declarations_deadline(match: Match) -> datetime | None:
    """When the open declaration window closes by itself (UTC), None where none is open."""
    if match.phase != "declaring" or match.hand is None:
        return None
    return match.hand.dealt_at + timedelta(seconds=match.opened.clocks.declare_s)


def play_deadline(match: Match) -> datetime | None:
    """When the autopilot plays for the seat whose turn it is (UTC), None where no seat is to play."""
    if match.phase != "playing" or match.hand is None:
        return None
    return match.hand.turn_since + timedelta(seconds=match.opened.clocks.play_s)
