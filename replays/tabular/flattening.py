"""Flat rows made from the public events of a match that has ended."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from domain.events import Event, HandEnded, MatchSettled
from domain.match import match_result
from domain.seats import SEATS
from replays.hand_spans import hand_spans
from replays.tabular.hand_facts import HandFacts
from replays.tabular.match_facts import MatchFacts
from replays.tabular.shapes import DeclarationRow, HandRow, MatchRow, PlayRow


class FlatRows(NamedTuple):
    """The rows of a match by table, in the order it was played."""

    matches: list[MatchRow]
    hands: list[HandRow]
    plays: list[PlayRow]
    declarations: list[DeclarationRow]


def flat_rows(events: Sequence[Event]) -> FlatRows:
    """The rows of a match that has ended, from its public events: whole, from the first, and as the rules make them."""
    match = MatchFacts(events)
    told = FlatRows([_match_row(match)], [], [], [])
    for span in hand_spans(events):
        hand = HandFacts(match, span)
        if isinstance(span.ending, HandEnded):
            told.hands.extend(hand.hand_row(seat, span.ending) for seat in SEATS)
        told.plays.extend(hand.play_rows())
        told.declarations.extend(hand.declaration_rows())
    return told


def _match_row(match: MatchFacts) -> MatchRow:
    opened, ending, ruleset, clocks = match.opened, match.ending, match.opened.ruleset, match.opened.clocks
    settled = ending if isinstance(ending, MatchSettled) else None
    blood, points = match_result(ruleset, match.raw_scores)
    if ruleset.by_blood:
        moved = [event.match_points for event in match.corrections if event.match_points is not None]
        points = moved[-1] if moved else settled.points if settled is not None else (0, 0, 0, 0)
    by_seat: dict[str, Any] = {}
    for seat in SEATS:
        by_seat[f"player_{seat}"] = match.players[seat]
        by_seat[f"points_{seat}"] = points[seat]
        by_seat[f"blood_{seat}"] = blood[seat] if ruleset.by_blood else None
        by_seat[f"recorded_points_{seat}"] = None if settled is None else settled.points[seat]
    return MatchRow(
        match=opened.match,
        ruleset=ruleset.name,
        revision=ruleset.revision,
        decks=ruleset.decks,
        partners=ruleset.partners,
        first_lead=ruleset.first_lead,
        origin=opened.origin,
        hands_agreed=opened.hands_agreed,
        opened_by=opened.opened_by,
        opened_at=opened.at,
        ended_at=ending.at,
        ended="settled" if settled is not None else "abandoned",
        cause=ending.cause,
        annulled=match.annulled,
        corrections=len(match.corrections),
        hands=len(match.ended),
        events=len(match.events),
        **by_seat,
        seat_s=clocks.seat_s,
        declare_s=clocks.declare_s,
        play_s=clocks.play_s,
        pause_s=clocks.pause_s,
        grace_s=clocks.grace_s,
        abandonment=opened.abandonment,
        anchor=opened.anchor,
        chain_length=opened.chain_length,
    )
