"""Which player a person means who types an id, a part of one, or a bot's name."""

from uuid import UUID

from adapters.bots import BOT_NAMES
from adapters.errors import AdapterError
from adapters.postgres import ledger


class NoSuchPlayer(AdapterError):
    """No player on a board, or more than one, is meant."""


def player_meant(database_url: str, text: str) -> UUID:
    """The one player of this id, part of an id, or bot's name. Raises `NoSuchPlayer`."""
    wanted = text.strip().lower().removeprefix("…")
    if (bot := _bot(wanted)) is not None:
        return bot
    found = ledger.players_like(database_url, wanted) if wanted.replace("-", "").isalnum() else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchPlayer(f"no board has a player {text}; `gongzhu leaderboard --json` shows their ids")
    raise NoSuchPlayer(f"{len(found)} or more players begin or end with {text}; give more of the id")


def known_player(text: str) -> UUID | None:
    """The player whom a whole id or a bot's name means; None where he has to be looked up."""
    try:
        return UUID(text.strip())
    except ValueError:
        return _bot(text.lower())


def anyone_meant(database_url: str, text: str) -> UUID:
    """The player of this whole id, on a board or not, or the one that `player_meant` finds. Raises `NoSuchPlayer`."""
    return known_player(text) or player_meant(database_url, text)


def _bot(text: str) -> UUID | None:
    wanted = text.replace(" ", "")
    return next((bot for bot, name in BOT_NAMES.items() if wanted == name.replace(" ", "")), None)
