"""A player's sums: they follow the participations that count."""

from domain.events import Event
from projections.players.rows import (
    NOTHING,
    PARTICIPATIONS,
    PLAYERS,
    Participation,
    PlayerStatistics,
    Statistics,
)
from projections.read_model import Rows


def participations(event: Event, rows: Rows) -> list[Participation]:
    """What the match of an event gives its players, by seat."""
    return list(rows.scan(PARTICIPATIONS, (event.match,)))


def change(before: Participation, after: Participation, rows: Rows) -> None:
    """Writes a participation, and the sum it is part of."""
    rows.put(PARTICIPATIONS, after)
    key = (after.player, after.ruleset, after.origin)
    known = rows.get(PLAYERS, key)
    sums = known.statistics if known is not None else NOTHING
    sums = sums.plus(_counting(after)).plus(_counting(before), -1)
    last_at = after.last_at if known is None else max(known.last_at, after.last_at)
    player, ruleset, origin = key
    rows.put(
        PLAYERS,
        PlayerStatistics(player=player, ruleset=ruleset, origin=origin, last_at=last_at, statistics=sums),
    )


def _counting(participation: Participation) -> Statistics:
    return participation.statistics if participation.counts else NOTHING
