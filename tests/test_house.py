"""The house itself: what is installed is pinned, and `./dev` can be called from anywhere."""

import ast
import os
import re
import subprocess
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

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
    extras = project["project"]["optional-dependencies"].values()
    wanted = sum(extras, start=project["project"]["dependencies"] + project["build-system"]["requires"])
    pins = _pins("requirements.lock")
    for requirement in map(Requirement, wanted):
        if requirement.name == project["project"]["name"]:
            continue  # one extra may ask for another
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


def _launcher() -> ModuleType:
    launcher = ModuleType("dev")
    launcher.__file__ = str(ROOT / "dev")
    SourceFileLoader("dev", launcher.__file__).exec_module(launcher)
    return launcher


def _script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is all there is, for a root without a browser."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GONGZHU_CHROMIUM", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path


def test_launcher_installs_a_browser_where_root_has_none(
    debian: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    installed = debian / "chromium"
    text = f'echo "$@" >> {debian}/calls; [ "$6" = install ] && : > {installed} && /bin/chmod +x {installed}; exit 0'
    _script(debian / "apt-get", text)
    _launcher().find_browser()
    assert os.environ["GONGZHU_CHROMIUM"] == str(installed)
    assert "installing Debian's package chromium" in capfd.readouterr().err
    calls = (debian / "calls").read_text(encoding="utf-8").splitlines()
    assert [call.split("=60 ")[1] for call in calls] == [
        "update",
        "install --yes --no-install-recommends chromium",
    ]
    _launcher().find_browser()
    assert (debian / "calls").read_text(encoding="utf-8").splitlines() == calls


def test_launcher_goes_on_where_no_browser_can_be_had(
    debian: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _script(debian / "apt-get", "echo there is no network; exit 100")
    _launcher().find_browser()
    assert os.environ["GONGZHU_CHROMIUM"] == ""
    assert "`apt-get update` failed: there is no network; going on without" in capfd.readouterr().err
