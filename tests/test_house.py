"""The house itself: what is installed is pinned, and `./dev` can be called from anywhere."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCKS = ["requirements.lock", "requirements-bench.lock"]
PINNED = re.compile(r"[a-z0-9-]+==[^ ;]+( ; [^\\]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def _pins(lock: str) -> dict[str, list[Version]]:
    """The versions of each package in a lock; two where they differ by the Python's version."""
    pins: dict[str, list[Version]] = {}
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            name, _, rest = line.partition("==")
            pins.setdefault(name, []).append(Version(rest.split()[0]))
    return pins


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_pins_with_hashes_and_nothing_else(lock: str) -> None:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not (PINNED.fullmatch(line) or HASH.fullmatch(line))] == []


def test_lock_meets_every_requirement_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["test"]
    pins = _pins("requirements.lock")
    for requirement in map(Requirement, wanted + project["build-system"]["requires"]):
        versions = pins.get(requirement.name, [])
        assert versions, f"{requirement} is not in the lock"
        assert all(version in requirement.specifier for version in versions), requirement


def test_both_locks_agree() -> None:
    main, bench = (_pins(lock) for lock in LOCKS)
    assert {name: bench[name] for name in main.keys() & bench.keys()} == {
        name: main[name] for name in main.keys() & bench.keys()
    }


def test_launcher_can_be_read_by_an_old_python() -> None:
    ast.parse((ROOT / "dev").read_text(encoding="utf-8"), feature_version=(3, 7))


def test_launcher_tells_what_it_can_do_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ROOT / "dev")
    told = subprocess.run([tmp_path / "link", "--help"], cwd="/", capture_output=True, text=True, check=True)
    assert "test [--long]" in told.stdout


def test_launcher_refuses_what_it_cannot_do() -> None:
    refused = subprocess.run([ROOT / "dev", "tset"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no `tset`" in refused.stderr
