"""The key ring: the keys that seal secrets, in an owner-only file (design §3).

A key is 32 random bytes; its id is the beginning of a digest of it. The newest key seals, every key opens.
"""

import base64
import contextlib
import fcntl
import hashlib
import hmac
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from adapters.data_folder import write_private
from adapters.errors import AdapterError
from adapters.randomness import Randomness

KEY_BYTES: Final = 32
KEY_ID_BYTES: Final = 8
_ID_LABEL: Final = b"gongzhu/key-id/1"
_COMMANDS_LABEL: Final = b"gongzhu/commands/1"


class KeysUnreadable(AdapterError):
    """The key file is not what it should be."""


class _StoredKeys(msgspec.Struct):
    """The key file: ids in hex with their keys in base64, oldest first."""

    keys: dict[str, str]


class KeyRing:
    """Keys by id, oldest first. A ring without keys opens nothing and seals nothing."""

    def __init__(self, keys: dict[bytes, bytes]) -> None:
        self._keys = keys

    def __repr__(self) -> str:
        return f"KeyRing({len(self._keys)} keys)"

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def ids(self) -> tuple[bytes, ...]:
        """The ids of all keys, oldest first."""
        return tuple(self._keys)

    @property
    def current(self) -> bytes:
        """The id of the key that seals. Raises `KeysUnreadable` where there is none."""
        if not self._keys:
            raise KeysUnreadable(
                "there is no key to seal with; give the key file, or start the service to make one"
            )
        return next(reversed(self._keys))

    def get(self, key_id: bytes) -> bytes | None:
        """The key of this id, or None."""
        return self._keys.get(key_id)

    def command_digest(self, content: bytes, key_id: bytes | None = None) -> bytes:
        """Key id and HMAC of a command's content, under a key derived from the sealing key (the current one)."""
        used = key_id or self.current
        key = self._keys.get(used)
        if key is None:
            raise KeysUnreadable(f"key {used.hex()} is not in the key ring")
        derived = hmac.digest(key, _COMMANDS_LABEL, "sha256")
        return used + hmac.digest(derived, content, "sha256")


def key_id_of(key: bytes) -> bytes:
    """The id of a key."""
    return hashlib.sha256(_ID_LABEL + key).digest()[:KEY_ID_BYTES]


def load_keys(path: Path) -> KeyRing:
    """The keys of a file; an empty ring where there is no file. Raises `KeysUnreadable`."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return KeyRing({})
    except OSError as error:
        raise KeysUnreadable(f"cannot read the key file {path}: {error.strerror}") from error
    try:
        stored = msgspec.json.decode(text, type=_StoredKeys)
        keys = {bytes.fromhex(key_id): base64.b64decode(key) for key_id, key in stored.keys.items()}
    except (msgspec.MsgspecError, ValueError):
        raise KeysUnreadable(f"the key file {path} is damaged; put its backup back") from None
    if any(len(key) != KEY_BYTES or key_id_of(key) != key_id for key_id, key in keys.items()):
        raise KeysUnreadable(f"a key in {path} does not fit its id; put its backup back")
    return KeyRing(keys)


NewKey = Callable[[str], None]
"""Hears of a new key by its id, in hex, before the key is written; if it raises, no key is made."""


def untold(_key_id: str) -> None:
    """Tells nobody of a new key."""


def ensure_keys(path: Path, randomness: Randomness, new: NewKey = untold) -> KeyRing:
    """The keys of a file, made with a first key where there is none."""
    with locked(path):
        keys = load_keys(path)
        return keys if len(keys) else _with_new_key(path, keys, randomness, new)


def rotate_keys(path: Path, randomness: Randomness, new: NewKey = untold) -> KeyRing:
    """The keys with a new one that seals from now on; the old ones still open."""
    with locked(path):
        return _with_new_key(path, load_keys(path), randomness, new)


def _with_new_key(path: Path, keys: KeyRing, randomness: Randomness, new: NewKey) -> KeyRing:
    key = randomness.bytes(KEY_BYTES)
    new(key_id_of(key).hex())
    all_keys = {**{key_id: keys.get(key_id) or b"" for key_id in keys.ids}, key_id_of(key): key}
    stored = _StoredKeys(
        {key_id.hex(): base64.b64encode(value).decode() for key_id, value in all_keys.items()}
    )
    write_private(path, msgspec.json.format(msgspec.json.encode(stored)))
    return KeyRing(all_keys)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One writer of the key file at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
