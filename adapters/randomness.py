"""Randomness, as a port, from the operating system, and from a seed."""

import hashlib
import secrets
from itertools import count
from typing import Protocol


class Randomness(Protocol):
    """Draws bytes nobody can predict (unless it says so)."""

    def bytes(self, size: int) -> bytes:
        """`size` random bytes."""
        ...


class SystemRandomness:
    """The operating system's cryptographic generator."""

    def bytes(self, size: int) -> bytes:
        """`size` random bytes."""
        return secrets.token_bytes(size)


class SeededRandomness:
    """The same bytes for the same seed, on every machine: predictable, for seeded matches and tests."""

    def __init__(self, seed: int | str) -> None:
        self._seed = str(seed).encode()
        self._numbers = count()

    def bytes(self, size: int) -> bytes:
        """The next `size` bytes of the seed's stream."""
        message = b"gongzhu/seeded/1" + next(self._numbers).to_bytes(8, "big") + self._seed
        return hashlib.shake_256(message).digest(size)
