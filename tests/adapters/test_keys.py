"""The key file: made once, owner-only, never damaged quietly, rotated without losing old rows."""

import base64
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adapters.keys import KeyRing, KeysUnreadable, ensure_keys, load_keys, rotate_keys
from adapters.randomness import SystemRandomness
from adapters.sealing import Sealer
from domain.events import HandDealt
from tests.adapters.test_sealing import EVENTS

CHANCE = SystemRandomness()


def test_key_file_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first = ensure_keys(path, CHANCE)
    assert ensure_keys(path, CHANCE).ids == first.ids
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_processes_that_start_together_make_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        rings = list(threads.map(lambda _: ensure_keys(tmp_path / "keys.json", CHANCE), range(8)))
    assert len({ring.ids for ring in rings}) == 1


def test_old_key_still_opens_after_rotation(tmp_path: Path) -> None:
    path, event = tmp_path / "keys.json", EVENTS[HandDealt]
    old = Sealer(ensure_keys(path, CHANCE), CHANCE)
    sealed = old.seal(b"before", b"bound")
    rotated = rotate_keys(path, CHANCE)
    assert len(rotated) == 2
    assert load_keys(path).ids == rotated.ids
    assert sealed[:8] == rotated.ids[0]
    assert Sealer(rotated, CHANCE).seal(b"after", b"bound")[:8] == rotated.ids[1]
    assert event.version


def test_damaged_key_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text("{")
    with pytest.raises(KeysUnreadable, match="damaged"):
        load_keys(path)
    key = base64.b64encode(b"x" * 32).decode()
    path.write_text(json.dumps({"keys": {"00" * 8: key}}))
    with pytest.raises(KeysUnreadable, match="does not fit its id"):
        load_keys(path)


def test_ring_without_keys_seals_nothing_and_prints_no_key(tmp_path: Path) -> None:
    with pytest.raises(KeysUnreadable, match="no key to seal with"):
        Sealer(KeyRing({}), CHANCE).seal(b"x", b"y")
    ring = ensure_keys(tmp_path / "keys.json", CHANCE)
    assert "1 keys" in repr(ring)
    assert base64.b64encode(ring.get(ring.current) or b"").decode() not in repr(ring)
