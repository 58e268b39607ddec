"""Imports only point down, and only the edge has effects. Each check is also seen to fail."""

import ast
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support.effects import effects

ROOT = Path(__file__).parents[1]
PACKAGES = ("domain", "projections", "replays", "adapters")
PURE = sorted(path for package in PACKAGES[:3] for path in (ROOT / package).rglob("*.py"))


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sysconfig.get_path("scripts")) / "lint-imports"
    return subprocess.run([program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {
        name.split(".")[0]
        for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    }


def test_import_contracts_hold() -> None:
    report = _lint_imports(ROOT)
    assert report.returncode == 0, report.stdout


PLANTED = [
    *[
        ("domain", target)
        for target in ("projections", "replays", "adapters", "psycopg", "eventsourcing", "os")
    ],
    *[("projections", target) for target in ("replays", "adapters", "psycopg", "nats", "socket", "time")],
    *[
        ("replays", target)
        for target in ("projections", "adapters", "psycopg", "nats", "secrets", "subprocess")
    ],
]


@pytest.fixture(scope="module")
def broken_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the import contracts say of a copy of the tree with every planted import in it."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in PLANTED:
        (copy / source / f"planted_{target}.py").write_text(f"import {target}\n", encoding="utf-8")
    report = _lint_imports(copy)
    assert report.returncode == 1, report.stdout
    return report.stdout


@pytest.mark.parametrize(("source", "target"), PLANTED)
def test_import_contracts_see(broken_report: str, source: str, target: str) -> None:
    assert f"{source}.planted_{target} -> {target} " in broken_report


def test_domain_imports_the_standard_library_and_msgspec_only() -> None:
    allowed = sys.stdlib_module_names | {"domain", "msgspec"}
    found = {str(path): _imported(path) - allowed for path in PURE if path.is_relative_to(ROOT / "domain")}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(ROOT)))
def test_pure_module_has_no_effect(path: Path) -> None:
    assert effects(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.time()",
        "from time import monotonic as now\nnow()",
        "import datetime\ndatetime.datetime.now()",
        "from datetime import datetime, UTC\ndatetime.now(UTC)",
        "from datetime import datetime\ndatetime.utcnow()",
        "from datetime import date\ndate.today()",
        "import random\nrandom.shuffle([])",
        "from random import choice",
        "import random\nrandom.Random()",
        "from random import Random\nRandom()",
        "import random\nrandom.SystemRandom()",
        "import numpy as np\nnp.random.default_rng()",
        "import secrets",
        "import os\nos.urandom(1)",
        "from os import environ",
        "import os\nos.getenv('X')",
        "import uuid\nuuid.uuid4()",
        "from uuid import uuid4",
        "open('x')",
        "print('x')",
        "from pathlib import Path\nPath('x').read_text()",
        "import io\nio.open('x')",
        "import subprocess",
        "import socket",
        "import asyncio",
        "import urllib.request",
        "import sys\nsys.stdin.read()",
        "def late():\n    import socket",
    ],
)
def test_effects_are_seen(source: str) -> None:
    assert effects(source) != []


@pytest.mark.parametrize(
    "source",
    [
        "from random import Random\ndef draw(numbers: Random) -> int:\n    return numbers.randrange(9)",
        "import random\ndef deal(seed: int) -> random.Random:\n    return random.Random(seed)",
        "from datetime import UTC, datetime\ndatetime(2024, 1, 1, tzinfo=UTC)\ndatetime.fromisoformat('x')",
        "from uuid import UUID\nUUID(int=1)",
        "import sys\nsys.maxsize",
        "import hashlib\nhashlib.sha256(b'')",
        "class Door:\n    def open(self): ...\nDoor().open()",
    ],
)
def test_pure_code_is_left_alone(source: str) -> None:
    assert effects(source) == []
