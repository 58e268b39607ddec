"""What hands and matches give their players."""

from typing import Final

from msgspec.structs import replace

from domain.cards import PIG, card_key, name_of
from domain.errors import BrokenLog
from domain.events import CardsPlayed, Event, HandDealt, HandEnded, MatchAbandoned, MatchOpened, MatchSettled
from domain.scoring import Account
from domain.seats import SEATS, BySeat, Seat
from projections.leaderboards.booking import pigs_taken, wins
from projections.players.rows import (
    NOTHING,
    PARTICIPATIONS,
    SEATS_IN_PLAY,
    Participation,
    SeatsInPlay,
    Statistics,
)
from projections.players.sums import change, participations
from projections.read_model import Rows

_PIG_NAME: Final = name_of(PIG, decks=1)


def match_opened(event: MatchOpened, _position: int, rows: Rows) -> None:
    """Begins to follow a match."""
    ruleset = event.ruleset
    rows.put(
        SEATS_IN_PLAY,
        SeatsInPlay(
            match=event.match,
            ruleset=ruleset.name,
            origin=event.origin,
            by_blood=ruleset.by_blood,
            decks=ruleset.decks,
        ),
    )


def _seats(event: Event, rows: Rows) -> SeatsInPlay:
    seats = rows.get(SEATS_IN_PLAY, (event.match,))
    if seats is None:
        raise BrokenLog("this match is not in play", match=event.match, version=event.version)
    return seats


def hand_dealt(event: HandDealt, _position: int, rows: Rows) -> None:
    """Nobody has played in this hand yet."""
    nothing = (0, 0, 0, 0)
    rows.put(
        SEATS_IN_PLAY, replace(_seats(event, rows), plays=nothing, autopilot_plays=nothing, think_ms=nothing)
    )


def cards_played(event: CardsPlayed, _position: int, rows: Rows) -> None:
    """Counts a play, and the time it took where a person made it."""
    seats, seat = _seats(event, rows), event.seat
    if event.by == "autopilot":
        rows.put(SEATS_IN_PLAY, replace(seats, autopilot_plays=_added(seats.autopilot_plays, seat, 1)))
        return
    rows.put(
        SEATS_IN_PLAY,
        replace(
            seats,
            plays=_added(seats.plays, seat, 1),
            think_ms=_added(seats.think_ms, seat, event.think_ms),
        ),
    )


def _added(values: BySeat[int], seat: Seat, more: int) -> BySeat[int]:
    changed = list(values)
    changed[seat] += more
    return (changed[0], changed[1], changed[2], changed[3])


def hand_ended(event: HandEnded, _position: int, rows: Rows) -> None:
    """What the hand gives each of its players."""
    seats = _seats(event, rows)
    known = rows.get_many(PARTICIPATIONS, [(event.match, seat) for seat in SEATS])
    for seat in SEATS:
        given = _of_hand(seats, event, seat)
        before = known[seat] or _participation(seats, event, seat)
        change(
            before,
            replace(
                before,
                last_at=event.at,
                results=(*before.results, (given.raw_score, given.points)),
                statistics=before.statistics.plus(given),
            ),
            rows,
        )


def _participation(seats: SeatsInPlay, event: HandEnded, seat: Seat) -> Participation:
    return Participation(
        match=event.match,
        seat=seat,
        player=event.players[seat],
        ruleset=seats.ruleset,
        origin=seats.origin,
        last_at=event.at,
        results=(),
        settled=None,
        counts=True,
        statistics=NOTHING,
    )


def _of_hand(seats: SeatsInPlay, event: HandEnded, seat: Seat) -> Statistics:
    account = event.accounts[seat]
    declared = [d for d in event.declarations if d.seat == seat and not d.automatic]
    pigs = {d.card for d in event.declarations if d.seat == seat and card_key(d.card) == _PIG_NAME}
    return Statistics(
        hands=1,
        points=0 if event.points is None else event.points[seat],
        raw_score=event.raw_scores[seat],
        pigs=pigs_taken(account, seats.decks),
        slams=int(account.rule == "slam"),
        all_hearts=int(account.all_hearts),
        lone_transformers=int(account.rule == "lone_transformer"),
        declared_open=sum(d.level == "open" for d in declared),
        declared_hidden=sum(d.level == "hidden" for d in declared),
        declared_pigs_taken=_taken_of(pigs, account),
        plays=seats.plays[seat],
        autopilot_plays=seats.autopilot_plays[seat],
        think_ms=seats.think_ms[seat],
    )


def _taken_of(pigs: set[str], account: Account) -> int:
    """How many of these pigs the player of the account took."""
    return len(pigs) if account.rule == "slam" else sum(pig.card in pigs for pig in account.pigs)


def match_settled(event: MatchSettled, _position: int, rows: Rows) -> None:
    """What the match gives each of its players."""
    seats = _seats(event, rows)
    won = wins(event.points, by_blood=seats.by_blood)
    for before in participations(event, rows):
        points = event.points[before.seat] if seats.by_blood else 0
        given = Statistics(matches=1, wins=won[before.seat], points=points)
        changed = replace(
            before, settled=(points, won[before.seat]), statistics=before.statistics.plus(given)
        )
        change(before, replace(changed, last_at=event.at), rows)
    rows.delete(SEATS_IN_PLAY, (event.match,))


def match_abandoned(event: MatchAbandoned, _position: int, rows: Rows) -> None:
    """Nothing more comes of it; hands that have ended stand."""
    rows.delete(SEATS_IN_PLAY, (event.match,))
