"""The keys of bearer tokens: one of ours to sign with, in an owner-only file, and public ones of other providers.

`token-keys.json` in the data folder holds our private keys (Ed25519, base64), newest last; the newest signs, all are
accepted, so tokens outlive a rotation. Another identity provider's public keys come as a JSON Web Key Set.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any, Final

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from adapters.data_folder import write_private
from adapters.errors import AdapterError
from adapters.keys import NewKey, locked, untold
from adapters.randomness import Randomness

KEY_FILE: Final = "token-keys.json"
_SECRET_BYTES: Final = 32


class TokenKeysUnreadable(AdapterError):
    """The key file, or a provider's key set, is not what it should be."""


class _Stored(msgspec.Struct):
    """The key file: private keys in base64, oldest first."""

    keys: list[str]


class TokenKeys:
    """Our signing keys, oldest first, and the public keys of other providers by their ids."""

    def __init__(self, secrets: list[bytes], others: dict[str, Any] | None = None) -> None:
        self._own = {_id_of(secret): Ed25519PrivateKey.from_private_bytes(secret) for secret in secrets}
        self._others = others or {}

    def __repr__(self) -> str:
        return f"TokenKeys({len(self._own)} own, {len(self._others)} of others)"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of our own keys, oldest first."""
        return tuple(self._own)

    @property
    def signing_id(self) -> str:
        """The id of the key that signs."""
        return next(reversed(self._own))

    @property
    def signing(self) -> Ed25519PrivateKey:
        """The key that signs."""
        return self._own[self.signing_id]

    def accepted(self, key_id: str) -> Any:
        """The public key of this id. Raises `KeyError`."""
        if key_id in self._own:
            return self._own[key_id].public_key()
        return self._others[key_id]


def load_token_keys(data: Path) -> TokenKeys | None:
    """The keys of a data folder, None where there are none yet. Raises `TokenKeysUnreadable`."""
    secrets = _load(data / KEY_FILE)
    return TokenKeys(secrets) if secrets else None


def ensure_token_keys(
    data: Path, randomness: Randomness, others: Path | None = None, new: NewKey = untold
) -> TokenKeys:
    """The keys of a data folder, made with a first key where there is none. Raises `TokenKeysUnreadable`."""
    with locked(data / KEY_FILE):
        secrets = _load(data / KEY_FILE)
        if not secrets:
            secrets = _add(data / KEY_FILE, [], randomness, new)
    return TokenKeys(secrets, _load_others(others) if others else None)


def rotate_token_keys(data: Path, randomness: Randomness, new: NewKey = untold) -> TokenKeys:
    """The keys with a new one that signs from now on; tokens of the old ones are still accepted."""
    with locked(data / KEY_FILE):
        return TokenKeys(_add(data / KEY_FILE, _load(data / KEY_FILE), randomness, new))


def _add(path: Path, secrets: list[bytes], randomness: Randomness, new: NewKey) -> list[bytes]:
    secrets = [*secrets, randomness.bytes(_SECRET_BYTES)]
    new(_id_of(secrets[-1]))
    stored = _Stored([base64.b64encode(secret).decode() for secret in secrets])
    write_private(path, msgspec.json.format(msgspec.json.encode(stored)))
    return secrets


def _load(path: Path) -> list[bytes]:
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
        secrets = [base64.b64decode(key, validate=True) for key in stored.keys]
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError, ValueError):
        raise TokenKeysUnreadable(
            f"the key file {path} cannot be read or is damaged; put its backup back"
        ) from None
    if any(len(secret) != _SECRET_BYTES for secret in secrets):
        raise TokenKeysUnreadable(f"a key in {path} has the wrong length; put its backup back")
    return secrets


def _load_others(path: Path) -> dict[str, Any]:
    """The public keys of a JSON Web Key Set, by their ids."""
    try:
        key_set = jwt.PyJWKSet.from_json(path.read_text(encoding="utf-8"))
    except (
        OSError,
        ValueError,
        AttributeError,
        TypeError,
        jwt.PyJWKSetError,
        jwt.PyJWKError,
        jwt.InvalidKeyError,
    ):
        raise TokenKeysUnreadable(f"{path} is not a JSON Web Key Set with keys we can use") from None
    return {key.key_id: key.key for key in key_set.keys if key.key_id and key.algorithm_name in _ASYMMETRIC}


def _id_of(secret: bytes) -> str:
    public = Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    return hashlib.sha256(public).hexdigest()[:16]


_ASYMMETRIC: Final = ("EdDSA", "ES256", "RS256")
