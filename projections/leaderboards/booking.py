"""What hands and settlements give their players: entries in the ledger, and the boards that follow them."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.errors import BrokenLog
from domain.events import Event, HandEnded, MatchAbandoned, MatchOpened, MatchSettled
from domain.scoring import Account
from domain.seats import SEATS, BySeat
from projections.leaderboards import ratings
from projections.leaderboards.rows import (
    MATCHES_IN_PLAY,
    RATED_MATCHES,
    Amounts,
    Entry,
    MatchInPlay,
    RatedMatch,
)
from projections.leaderboards.standings import book
from projections.read_model import Rows


def match_opened(event: MatchOpened, _position: int, rows: Rows) -> None:
    """Remembers what the match's amounts depend on."""
    rows.put(
        MATCHES_IN_PLAY,
        MatchInPlay(
            match=event.match,
            ruleset=event.ruleset.name,
            origin=event.origin,
            by_blood=event.ruleset.by_blood,
            partners=event.ruleset.partners,
            decks=event.ruleset.decks,
        ),
    )


def hand_ended(event: HandEnded, position: int, rows: Rows) -> None:
    """A zero_sum hand is booked at once; a blood hand waits for the settlement."""
    match = match_in_play(event, rows)
    slams = by_seat([int(account.rule == "slam") for account in event.accounts])
    pigs = by_seat([pigs_taken(account, match.decks) for account in event.accounts])
    if event.points is None:
        rows.put(
            MATCHES_IN_PLAY,
            replace(
                match,
                hands=match.hands + 1,
                slams=by_seat([match.slams[seat] + slams[seat] for seat in SEATS]),
                pigs=by_seat([match.pigs[seat] + pigs[seat] for seat in SEATS]),
            ),
        )
        return
    points = event.points
    given = [Amounts(points=points[s], hands=1, slams=slams[s], pigs=pigs[s]) for s in SEATS]
    book([_entry(event, position, match, seat, given[seat]) for seat in SEATS], rows)


def match_settled(event: MatchSettled, position: int, rows: Rows) -> None:
    """Books the match, with all its hands where it is one of blood, and rates its players."""
    match = match_in_play(event, rows)
    won = wins(event.points, by_blood=match.by_blood)
    given = [_settlement(match, event.points, won, seat) for seat in SEATS]
    book([_entry(event, position, match, seat, given[seat]) for seat in SEATS], rows)
    rated = RatedMatch(
        ruleset=match.ruleset,
        origin=match.origin,
        position=position,
        match=event.match,
        at=event.at,
        partners=match.partners,
        players=event.players,
        results=event.points,
    )
    rows.put(RATED_MATCHES, rated)
    ratings.rate(rated, rows)
    rows.delete(MATCHES_IN_PLAY, (event.match,))


def match_abandoned(event: MatchAbandoned, _position: int, rows: Rows) -> None:
    """Nothing more comes of this match but what was booked."""
    rows.delete(MATCHES_IN_PLAY, (event.match,))


def match_in_play(event: Event, rows: Rows) -> MatchInPlay:
    """The match an event belongs to. Raises `BrokenLog` where none is in play."""
    match = rows.get(MATCHES_IN_PLAY, (event.match,))
    if match is None:
        raise BrokenLog("this match is not in play", match=event.match, version=event.version)
    return match


def wins(results: BySeat[int], *, by_blood: bool) -> BySeat[int]:
    """1 for each winner by seat: who gains points of blood; who has the highest zero_sum total, ties included."""
    least = 1 if by_blood else max(results)
    return by_seat([int(result >= least) for result in results])


def pigs_taken(account: Account, decks: int) -> int:
    """How many pigs a player took."""
    return decks if account.rule == "slam" else len(account.pigs)


def by_seat(values: Sequence[int]) -> BySeat[int]:
    """Four values as a tuple by seat."""
    return (values[0], values[1], values[2], values[3])


def _settlement(match: MatchInPlay, points: BySeat[int], won: BySeat[int], seat: int) -> Amounts:
    """What a settlement gives a seat; the points and hands of zero_sum have been booked hand by hand."""
    if not match.by_blood:
        return Amounts(matches=1, wins=won[seat])
    return Amounts(
        points=points[seat],
        matches=1,
        hands=match.hands,
        wins=won[seat],
        slams=match.slams[seat],
        pigs=match.pigs[seat],
    )


def _entry(
    event: HandEnded | MatchSettled,
    position: int,
    match: MatchInPlay,
    seat: int,
    given: Amounts,
) -> Entry:
    return Entry(
        match=event.match,
        version=event.version,
        seat=seat,
        recorded_by=event.version,
        position=position,
        kind="hand" if isinstance(event, HandEnded) else "settlement",
        hand_no=event.hand_no if isinstance(event, HandEnded) else None,
        ruleset=match.ruleset,
        origin=match.origin,
        at=event.at,
        player=event.players[seat],
        points=given.points,
        matches=given.matches,
        hands=given.hands,
        wins=given.wins,
        slams=given.slams,
        pigs=given.pigs,
        counts=True,
    )
