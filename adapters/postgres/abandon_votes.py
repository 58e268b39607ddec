"""Which seats want a match abandoned: kept until all four agree, or the match ends otherwise."""

from typing import Final, LiteralString
from uuid import UUID

from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from domain.seats import SEATS, BySeat, Seat

_VOTE: Final[LiteralString] = """
INSERT INTO live.abandon_votes (match, seat, player) VALUES (%b, %b::smallint, %b)
ON CONFLICT (match, seat) DO UPDATE SET player = excluded.player
"""
_WITHDRAW: Final[LiteralString] = "DELETE FROM live.abandon_votes WHERE match = %b AND seat = %b::smallint"
_FORGET: Final[LiteralString] = "DELETE FROM live.abandon_votes WHERE match = %b"
_VOTES: Final[LiteralString] = "SELECT seat, player FROM live.abandon_votes WHERE match = %b"


def vote(
    pool: Pool, match: UUID, seat: Seat, player: UUID, players: BySeat[UUID | None], *, agree: bool
) -> BySeat[bool]:
    """Records one seat's wish; which of the players who sit there now agree."""
    with translated_errors(), pool.connection() as connection:
        if agree:
            connection.execute(_VOTE, [match, seat, player], binary=True)
        else:
            connection.execute(_WITHDRAW, [match, seat], binary=True)
        found = dict(connection.execute(_VOTES, [match], binary=True).fetchall())
    agreed = [found.get(seat) is not None and found[seat] == players[seat] for seat in SEATS]
    return (agreed[0], agreed[1], agreed[2], agreed[3])


def forget_votes(pool: Pool, match: UUID) -> None:
    """Forgets the votes on a match that has ended."""
    with translated_errors(), pool.connection() as connection:
        connection.execute(_FORGET, [match], binary=True)
