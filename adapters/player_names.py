"""What players are called where people read: bots by their names, others by the beginning of their ids."""

from uuid import UUID

from adapters.bots import BOT_NAMES
from domain.seats import BySeat


def name_of_player(player: UUID | None) -> str:
    """A short name; `—` for an empty seat."""
    if player is None:
        return "—"
    return BOT_NAMES.get(player, f"…{str(player)[-6:]}")


def names_by_seat(players: BySeat[UUID | None]) -> BySeat[str]:
    """The names of four players."""
    names = [name_of_player(player) for player in players]
    return (names[0], names[1], names[2], names[3])
