"""One key a player, for what is sealed per player: destroyed with its row, and with it all that it opens."""

import hmac
from typing import Final, LiteralString
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from adapters.errors import AdapterError
from adapters.keys import KEY_BYTES, KEY_ID_BYTES, KeyRing
from adapters.people.names import PlayerErased
from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from adapters.randomness import Randomness

_NONCE_BYTES: Final = 12
_WRAP_LABEL: Final = b"gongzhu/player-keys/1"
_DIGEST_LABEL: Final = b"gongzhu/person-digests/1"
_ADD: Final[LiteralString] = """
INSERT INTO people.player_keys (player, sealed)
SELECT %(player)s, %(sealed)s WHERE NOT EXISTS (SELECT FROM people.erased WHERE player = %(player)s)
ON CONFLICT (player) DO NOTHING
"""
_GET: Final[LiteralString] = "SELECT sealed FROM people.player_keys WHERE player = %s"


class Unreadable(AdapterError):
    """A record of a person does not open: its key is gone, or it was altered."""


class PlayerKeys:
    """The keys of players in one database, sealed with the keys of one key ring."""

    def __init__(self, pool: Pool, keys: KeyRing, randomness: Randomness) -> None:
        self._pool = pool
        self._keys = keys
        self._randomness = randomness

    def digest(self, value: str) -> bytes:
        """A keyed digest (16 bytes) of an address or a device: equal for equal ones, and of no other use."""
        oldest = self._keys.get(self._keys.ids[0]) or b""
        return hmac.digest(hmac.digest(oldest, _DIGEST_LABEL, "sha256"), value.encode(), "sha256")[:16]

    def seal(self, player: UUID, plaintext: bytes) -> bytes:
        """Seals something of a player under his key, made where he has none. Raises `PlayerErased`."""
        key = self._of(player) or self._made(player)
        nonce = self._randomness.bytes(_NONCE_BYTES)
        return nonce + AESGCM(key).encrypt(nonce, plaintext, player.bytes)

    def open(self, player: UUID, sealed: bytes) -> bytes:
        """What was sealed of a player. Raises `Unreadable`."""
        key = self._of(player)
        if key is None:
            raise Unreadable(f"the key of player {player} is gone; he was erased")
        return _opened(key, sealed, player.bytes, f"a record of player {player}")

    def _made(self, player: UUID) -> bytes:
        wrapped = self._wrapped(player, self._randomness.bytes(KEY_BYTES))
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_ADD, {"player": player, "sealed": wrapped})
        key = self._of(player)
        if key is None:
            raise PlayerErased
        return key

    def _of(self, player: UUID) -> bytes | None:
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_GET, [player]).fetchone()
        if row is None:
            return None
        wrapped = bytes(row[0])
        wrapping = self._wrapping(wrapped[:KEY_ID_BYTES])
        return _opened(wrapping, wrapped[KEY_ID_BYTES:], player.bytes, f"the key of player {player}")

    def _wrapped(self, player: UUID, key: bytes) -> bytes:
        nonce = self._randomness.bytes(_NONCE_BYTES)
        wrapping = AESGCM(self._wrapping(self._keys.current))
        return self._keys.current + nonce + wrapping.encrypt(nonce, key, player.bytes)

    def _wrapping(self, key_id: bytes) -> bytes:
        key = self._keys.get(key_id)
        if key is None:
            raise Unreadable(f"key {key_id.hex()} is not in the key ring")
        return hmac.digest(key, _WRAP_LABEL, "sha256")


def _opened(key: bytes, sealed: bytes, bound: bytes, what: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound)
    except (InvalidTag, ValueError):
        raise Unreadable(f"{what} does not open; it was altered, or sealed with other keys") from None
