"""Which Chromium is used, and what is said where there is none."""

from pathlib import Path

import pytest

from tests.support.chromium import VARIABLE, NoBrowser, chromium_path


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n", encoding="ascii")
    path.chmod(0o755)
    return str(path)


def test_browser_is_the_one_named_else_one_on_path_else_playwrights_own(tmp_path: Path) -> None:
    on_path, own = tmp_path / "path", program(tmp_path, "own")
    on_path.mkdir()
    assert chromium_path(own, {"PATH": str(on_path)}) == own
    chrome = program(on_path, "google-chrome")
    assert chromium_path(own, {"PATH": str(on_path)}) == chrome
    named = program(tmp_path, "named")
    assert chromium_path(own, {"PATH": str(on_path), VARIABLE: named}) == named


def test_missing_browser_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoBrowser, match="install Debian's package `chromium`"):
        chromium_path(str(tmp_path / "own"), {"PATH": str(tmp_path)})
    with pytest.raises(NoBrowser, match=r"GONGZHU_CHROMIUM names .*/none, which cannot be run"):
        chromium_path("", {VARIABLE: str(tmp_path / "none")})
