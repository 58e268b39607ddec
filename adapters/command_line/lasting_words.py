"""Words that are kept for ever in the log: they name no player, or he could never be erased."""

from uuid import UUID

from adapters.errors import AdapterError
from adapters.people.names import Names, named_in
from adapters.postgres.match_rows import Pool, rows_of_match
from adapters.serialization import decode_row
from domain.events import PlayerSeated


class NamesAPlayer(AdapterError):
    """Words that are kept for ever name a player."""


def refuse_names(pool: Pool, match: UUID, *words: str) -> None:
    """Refuses words that name one of the players who sat at the match. Raises `NamesAPlayer`."""
    seatings = [
        event for row in rows_of_match(pool, match) if isinstance(event := decode_row(row), PlayerSeated)
    ]
    names = Names(pool).of({seating.player for seating in seatings})
    for player in named_in("\n".join(words), names):
        raise NamesAPlayer(
            f"what you say names player {player}, and is kept for ever; say his seat, or his id"
        )
