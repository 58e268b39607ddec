"""A process of the `run` chaos: `service` lets bots play, `relay` publishes, `projections` keeps all read models.

Each goes on through servers that go away and come back, until it is killed or asked to end. A service writes each
acknowledged command to a file of its own, after the reply.
"""

import asyncio
import logging
import os
import sys
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import msgspec
import psycopg
from eventsourcing.persistence import PersistenceError

from adapters import signals
from adapters.bot_matches import BotMatches, Order
from adapters.composition import match_service, system_ports
from adapters.errors import AdapterError
from adapters.feed import PROJECTIONS, Feed, _keep
from adapters.match_service import Accepted
from adapters.postgres.claims import MatchClaims
from adapters.postgres.match_rows import known_matches
from adapters.postgres.recorder import open_pool
from adapters.randomness import SystemRandomness
from adapters.serialization import encode_public
from domain.errors import CommandRefused
from domain.rulesets import RULESETS

AGAIN_S = 0.2
AWAY = (psycopg.Error, PersistenceError, AdapterError, CommandRefused)
"""What a service gets over: a server that is away, and a match that another service plays meanwhile."""

_log = logging.getLogger(__name__)


class Part(msgspec.Struct, frozen=True):
    """What a process is told: its role, the servers, the folder of keys, the pace of bots, the file for acks."""

    role: str
    database_url: str
    relay_url: str
    projections_url: str
    folder: str
    pace_s: float
    acks: str


class Ack(msgspec.Struct, frozen=True):
    """An acknowledged command: its match, its first version, and SHA-256 of each event's public form."""

    match: UUID
    first: int
    digests: tuple[str, ...]


class Service:
    """Plays matches of every ruleset, those first that others left unfinished, again and again."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._acks = os.open(part.acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    async def run(self) -> None:
        """Begins anew whenever a server was away."""
        while True:
            try:
                await self._play()
            except* AWAY as trouble:
                _log.warning("begins anew: %s", trouble.exceptions[0])
            await asyncio.sleep(AGAIN_S)

    async def _play(self) -> None:
        part, ports = self._part, system_ports()
        async with (
            match_service(part.database_url, Path(part.folder), ports) as service,
            MatchClaims(part.database_url) as claims,
        ):
            bots = BotMatches(service, claims, ports, pace_s=part.pace_s, on_accepted=self._acknowledge)
            orders = [Order(ruleset=ruleset, matches=2, hands=2) for ruleset in RULESETS.values()]
            while True:
                with open_pool(part.database_url) as pool:
                    known = list(known_matches(pool))
                await bots.finish(known)
                await bots.play(orders)

    def _acknowledge(self, accepted: Accepted) -> None:
        digests = tuple(sha256(encode_public(event)).hexdigest() for event in accepted.events)
        ack = Ack(accepted.match, accepted.events[0].version, digests)
        os.write(self._acks, msgspec.json.encode(ack) + b"\n")


async def work(part: Part) -> None:
    """Does what the role says, for ever."""
    if part.role == "service":
        return await Service(part).run()
    own = () if part.role == "relay" else PROJECTIONS
    feed = Feed(part.database_url, part.relay_url, part.projections_url, SystemRandomness(), projections=own)
    if part.role == "relay":
        return await _keep(feed.healths[0], feed._run_relay)
    return await feed._keep_projections()


def main(part: Part) -> None:
    """Works until the process is killed, or ends in good order when it is asked to."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    signals.end_like_interrupt()
    try:
        asyncio.run(work(part))
    except KeyboardInterrupt:
        _log.warning("ends as asked")


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Part))
