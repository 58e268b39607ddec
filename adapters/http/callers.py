"""Who sends a request: by his token, and from where. The same for HTTP and sockets.

Addresses and devices go from here into connection records, as keyed digests, and nowhere else.
"""

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar.connection import ASGIConnection

from adapters.http.site import Site
from adapters.identity.bearers import ANYONE, Bearer, TokenRefused
from adapters.people.visits import Visit, Visitor

_BEARER: Final = "Bearer "

Connection = ASGIConnection[Any, Any, Any, Any]


class Caller(msgspec.Struct, frozen=True):
    """Who asks. `address` and `device` are as they came, for as long as the request lasts."""

    bearer: Bearer
    address: str
    device: str

    @property
    def counted_as(self) -> str:
        """For whom requests are counted: a player, whatever his address, or a role at an address."""
        if self.bearer.player is not None:
            return f"player {self.bearer.player}"
        return f"{self.bearer.role} {self.address}"


def caller_of(connection: Connection, bearer: Bearer) -> Caller:
    """Who asks, where the token was read already."""
    address = connection.client.host if connection.client else "unknown"
    return Caller(bearer, address, connection.headers.get("user-agent", ""))


def bearer_of(site: Site, connection: Connection) -> Bearer:
    """Who asks, by his `Authorization`; anyone where there is none. Raises `TokenRefused`."""
    given = connection.headers.get("authorization")
    if given is None:
        return ANYONE
    if not given.startswith(_BEARER):
        raise TokenRefused("give the token as `Authorization: Bearer …`")
    return site.bearers.bearer(given.removeprefix(_BEARER).strip())


def counted_as(site: Site, connection: Connection) -> str:
    """For whom a request is counted, whether or not its token is good."""
    try:
        bearer = bearer_of(site, connection)
    except TokenRefused:
        bearer = ANYONE
    return caller_of(connection, bearer).counted_as


def note_command(site: Site, caller: Caller, match: UUID, do: str, sent_ms: int | None) -> None:
    """Remembers that a player asked something of a match, which there is, over HTTP; nothing of who is no player."""
    if caller.bearer.player is not None:
        site.visits.ask(_visitor(site, caller, caller.bearer.player, match), do, sent_ms)


def opened_visit(site: Site, caller: Caller, match: UUID, after: int | None) -> Visit | None:
    """Remembers that a player's socket was opened; None for who is no player."""
    if caller.bearer.player is None:
        return None
    return site.visits.open(_visitor(site, caller, caller.bearer.player, match), after)


def _visitor(site: Site, caller: Caller, player: UUID, match: UUID) -> Visitor:
    digest = site.people.connections.digest
    return Visitor(player, match, digest(caller.address), digest(caller.device))
