"""First results of commands: what a command that comes again under its id was accepted with (design §3).

Of the content only a keyed digest is kept, of the result only the versions: the answer is made from the events again.
"""

import asyncio
from typing import Any, Final
from uuid import UUID

import msgspec

from adapters.event_store import MatchLog
from adapters.keys import KEY_ID_BYTES, KeyRing
from adapters.postgres.appending import NO_SEAT, CommandKey
from adapters.postgres.command_ids import KnownCommand, find_command
from domain.commands import Command
from domain.errors import CommandRefused
from domain.events import Event
from domain.secret import Secret


class CommandIdReused(CommandRefused):
    """The id belongs to another command of this seat."""

    text = "command id {command_id} was used for another command of this seat; take a new one"


class FirstResults:
    """The first results of the commands of one log, by match, seat and command id."""

    def __init__(self, log: MatchLog, keys: KeyRing) -> None:
        self._log = log
        self._keys = keys

    def key(self, match: UUID, command: Command, seat: int, command_id: UUID | None) -> CommandKey | None:
        """Under what the command is remembered; None for one that cannot come again."""
        if command_id is None:
            return None
        return CommandKey(match, seat, command_id, self._keys.command_digest(content_of(command)))

    async def find(self, key: CommandKey, command: Command) -> tuple[Event, ...] | None:
        """The events this id was accepted with before, if it was. Raises `CommandIdReused` for another command's."""
        known = await asyncio.to_thread(find_command, self._log.pool, key)
        if known is None:
            return None
        key_id = known.content[:KEY_ID_BYTES]
        if self._keys.command_digest(content_of(command), key_id) != known.content:
            seat = None if key.seat == NO_SEAT else key.seat
            raise CommandIdReused(seat=seat, command_id=key.command_id)
        return await asyncio.to_thread(self._events, key.match, known)

    def _events(self, match: UUID, known: KnownCommand) -> tuple[Event, ...]:
        events = self._log.events_of(match, after=known.first_version - 1, until=known.last_version)
        return tuple(events)


def content_of(command: Command) -> bytes:
    """What a client asked for, as bytes: the command's type and fields, without what the service drew for it."""
    return _CONTENT.encode([type(command).__name__, command])


def _nothing(value: Any) -> None:
    if not isinstance(value, Secret):
        raise NotImplementedError(type(value))


_CONTENT: Final = msgspec.json.Encoder(enc_hook=_nothing)
