"""Bearer tokens: signed, expiring, of one role (design §8).

A token is a JSON Web Token signed with Ed25519 by this service, or by another identity provider whose public keys were
set. It names a role and, for players, a random player id; names, addresses and the like are never in it.
"""

from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, get_args
from uuid import UUID

import jwt
import msgspec
from jwt.types import Options

from adapters.clock import Clock
from adapters.errors import AdapterError
from adapters.identity.token_keys import TokenKeys

Role = Literal["player", "spectator", "service", "investigator", "operator"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
AUDIENCE: Final = "gongzhu"
_ALGORITHMS: Final = ["EdDSA", "ES256", "RS256"]
_MOST_KNOWN: Final = 10_000
_LONGEST_TOKEN: Final = 4_096
_LONGEST_SUBJECT: Final = 80


class TokenRefused(AdapterError):
    """The token is not one of ours, has expired, or says nothing we understand."""


class Bearer(msgspec.Struct, frozen=True):
    """Who asks. `player` for players only; `expires` is None for who brought no token.

    `subject`: whom a token of staff or a service was issued to, or else the token's own id, where it says so.
    """

    role: Role
    player: UUID | None = None
    expires: datetime | None = None
    subject: str = ""

    @property
    def told(self) -> str:
        """Who this is, as the operators' audit trail names him."""
        return f"{self.role} {self.subject}".rstrip()

    def is_over(self, now: datetime) -> bool:
        """Whether the token has expired."""
        return self.expires is not None and self.expires <= now


# Time is told by our own clock, not by the library's.
_UNTIMED: Final[Options] = {
    "require": ["exp", "aud"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}

ANYONE: Final = Bearer("spectator")
"""Who brings no token: he may see what everyone may see."""


class Bearers:
    """Issues tokens, and says who brought one. Tokens seen before are not checked again, but for their expiry."""

    def __init__(self, keys: TokenKeys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._known: OrderedDict[str, Bearer] = OrderedDict()

    def issue(self, role: Role, player: UUID | None, lasts: timedelta, subject: str | None = None) -> str:
        """A token for a role; a player's names his id, any other may name whom it is issued to."""
        now = self._clock.now()
        claims: dict[str, Any] = {
            "aud": AUDIENCE,
            "role": role,
            "iat": _seconds(now),
            "exp": _seconds(now + lasts),
        }
        if player is not None or subject:
            claims["sub"] = str(player or subject)
        return jwt.encode(
            claims, self._keys.signing, algorithm="EdDSA", headers={"kid": self._keys.signing_id}
        )

    def bearer(self, token: str) -> Bearer:
        """Who brought this token. Raises `TokenRefused`."""
        bearer = self._known.get(token)
        if bearer is None:
            bearer = self._read(token)
            self._known[token] = bearer
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        if bearer.is_over(self._clock.now()):
            raise TokenRefused("the token has expired; get a new one")
        return bearer

    def _read(self, token: str) -> Bearer:
        if len(token) > _LONGEST_TOKEN:
            raise TokenRefused("the token is too long to be one")
        try:
            key = self._keys.accepted(str(jwt.get_unverified_header(token).get("kid", "")))
            claims = jwt.decode(token, key, algorithms=_ALGORITHMS, audience=AUDIENCE, options=_UNTIMED)
            return _bearer(claims)
        except (jwt.InvalidTokenError, LookupError, ValueError, TypeError, OverflowError):
            raise TokenRefused("the token was not issued for this service, or was altered") from None


def _bearer(claims: dict[str, Any]) -> Bearer:
    role, expires = claims["role"], datetime.fromtimestamp(int(claims["exp"]), tz=UTC)
    if role not in ROLES:
        raise ValueError("a role we know")
    if role == "player":
        return Bearer(role, UUID(claims["sub"]), expires)
    return Bearer(role, None, expires, _subject(claims))


def _subject(claims: dict[str, Any]) -> str:
    """Whom a token of staff names: printable, of a bounded length, and no more trusted than its issuer."""
    given = claims.get("sub") or (f"token {claims['jti']}" if "jti" in claims else "")
    return "".join(character for character in str(given) if character.isprintable())[:_LONGEST_SUBJECT]


def _seconds(at: datetime) -> int:
    return int(at.timestamp())
