"""Sealing: the secret part of an event, encrypted on its way into the log (design §3).

AES-256-GCM under a random 96-bit nonce. Key id, match, version and tag are bound to the ciphertext, so a sealed part
that is moved to another row does not open; every secret of one event type is padded to one length, so that its size
tells nothing. Who holds the keys can read live hands; without them everything public still works.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from adapters.keys import KEY_ID_BYTES, KeyRing
from adapters.randomness import Randomness
from domain.errors import BrokenLog
from domain.events import SECRET_TYPES, CardDeclared, Event, HandDealt, MatchOpened, SecretPart

_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 2
_LABEL: Final = b"gongzhu/seal/1"

PADDED_LENGTHS: Final[Mapping[type[Event], int]] = {MatchOpened: 80, HandDealt: 200, CardDeclared: 48}
"""Bytes every secret of a type is padded to, before encryption; two decks of cards and a seed fit."""
SNAPSHOT_STEP: Final = 4096
"""Snapshots are padded to a multiple of this."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODERS: Final = {kind: msgspec.msgpack.Decoder(shape) for kind, shape in SECRET_TYPES.items()}


class Sealer:
    """Seals and opens secret parts with the keys of one key ring."""

    def __init__(self, keys: KeyRing, randomness: Randomness) -> None:
        self._keys = keys
        self._randomness = randomness
        self._ciphers: dict[bytes, AESGCM] = {}

    def seal_secret(
        self, event_type: type[Event], secret: SecretPart, match: UUID, version: int, tag: str
    ) -> bytes:
        """The sealed part of an event."""
        plaintext = _padded(_ENCODER.encode(secret), PADDED_LENGTHS[event_type])
        return self.seal(plaintext, _bound(match, version, tag))

    def open_secret(
        self, event_type: type[Event], sealed: bytes, match: UUID, version: int, tag: str
    ) -> SecretPart | None:
        """The secret in a sealed part; None without its key. Raises `BrokenLog` where it does not open."""
        plaintext = self.open(sealed, match, version, tag)
        return None if plaintext is None else _DECODERS[event_type].decode(_unpadded(plaintext))

    def seal_snapshot(self, state: bytes, match: UUID, version: int, tag: str) -> bytes:
        """A sealed snapshot, padded so that its size tells little."""
        size = -(-(len(state) + _LENGTH_BYTES * 2) // SNAPSHOT_STEP) * SNAPSHOT_STEP
        return self.seal(_padded(state, size, length_bytes=4), _bound(match, version, tag))

    def open_snapshot(self, sealed: bytes, match: UUID, version: int, tag: str) -> bytes | None:
        """The state in a sealed snapshot; None without its key. Raises `BrokenLog` where it does not open."""
        plaintext = self.open(sealed, match, version, tag)
        return None if plaintext is None else _unpadded(plaintext, length_bytes=4)

    def seal(self, plaintext: bytes, bound: bytes) -> bytes:
        """Key id, nonce and ciphertext."""
        key_id = self._keys.current
        nonce = self._randomness.bytes(_NONCE_BYTES)
        cipher = self._cipher(key_id)
        if cipher is None:
            raise LookupError(f"the current key {key_id.hex()} is not in the key ring")
        return key_id + nonce + cipher.encrypt(nonce, plaintext, bound + key_id)

    def open(self, sealed: bytes, match: UUID, version: int, tag: str) -> bytes | None:
        """The padded plaintext; None without its key. Raises `BrokenLog` where it does not open."""
        key_id, nonce = sealed[:KEY_ID_BYTES], sealed[KEY_ID_BYTES : KEY_ID_BYTES + _NONCE_BYTES]
        cipher = self._cipher(key_id)
        if cipher is None:
            return None
        try:
            return cipher.decrypt(
                nonce, sealed[KEY_ID_BYTES + _NONCE_BYTES :], _bound(match, version, tag) + key_id
            )
        except (InvalidTag, ValueError):
            what = f"the sealed part does not open with key {key_id.hex()}: it was altered, or belongs to another row"
            raise BrokenLog(what, match=match, version=version, tag=tag) from None

    def _cipher(self, key_id: bytes) -> AESGCM | None:
        if key_id not in self._ciphers:
            key = self._keys.get(key_id)
            if key is None:
                return None
            self._ciphers[key_id] = AESGCM(key)
        return self._ciphers[key_id]


def _bound(match: UUID, version: int, tag: str) -> bytes:
    return _LABEL + match.bytes + version.to_bytes(8, "big") + tag.encode()


def _padded(plaintext: bytes, size: int, length_bytes: int = _LENGTH_BYTES) -> bytes:
    if len(plaintext) + length_bytes > size:
        raise ValueError(f"a secret of {len(plaintext)} bytes does not fit into {size}")
    return (len(plaintext).to_bytes(length_bytes, "big") + plaintext).ljust(size, b"\0")


def _unpadded(padded: bytes, length_bytes: int = _LENGTH_BYTES) -> bytes:
    size = int.from_bytes(padded[:length_bytes], "big")
    return padded[length_bytes : length_bytes + size]
