"""An export that is killed anywhere goes on when it is asked for again, and ends with the same bytes."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from adapters.exports.exporting import ExportOrder, export
from adapters.exports.folder import ExportRefused
from adapters.exports.manifest import KINDS, Filters, Kind
from tests.support.commands import ROOT
from tests.support.exports import AT, ended_matches, exported, files_in, store, unfinished
from tests.support.stored_matches import abandoned

MATCHES = ended_matches()
PART_BYTES = 150_000


@pytest.fixture(scope="module")
def log(new_database: Callable[[], str]) -> str:
    """A log of matches that have ended."""
    database_url = new_database()
    store(database_url, MATCHES)
    return database_url


class Killed(BaseException):
    """Ends an export as a kill would: nothing in it catches this."""


class Countdown:
    """Kills at the n-th step that makes something durable: before it is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = sys.maxsize
        self.taken = 0
        monkeypatch.setattr(os, "fsync", self._counted(os.fsync))
        monkeypatch.setattr(Path, "replace", self._counted(Path.replace))

    def _counted(self, step: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object) -> object:
            self.left -= 1
            self.taken += 1
            if self.left < 0:
                raise Killed
            return step(*arguments)

        return counted


@pytest.mark.parametrize("kind", KINDS)
def test_export_killed_at_any_step_ends_with_the_same_bytes(
    kind: Kind, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    countdown = Countdown(monkeypatch)
    whole = exported(log, kind, tmp_path / "whole", part_bytes=PART_BYTES)
    steps = countdown.taken
    assert steps > 3 * len(whole.parts)
    wanted = files_in(tmp_path / "whole")
    for step in range(0, steps, 1 if kind == "ndjson" else 7):
        folder = tmp_path / f"killed-{step}"
        for survives in (step, step // 2, sys.maxsize):  # killed, killed again, left alone
            countdown.left = survives
            try:
                manifest = exported(log, kind, folder, part_bytes=PART_BYTES)
            except Killed:
                assert survives != sys.maxsize
            else:
                break
        assert manifest == whole, step
        assert files_in(folder) == wanted, step


def test_process_killed_with_9_is_gone_on_with(log: str, tmp_path: Path) -> None:
    whole = exported(log, "parquet", tmp_path / "whole", part_bytes=PART_BYTES)
    folder = tmp_path / "killed"
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from adapters.exports.exporting import ExportOrder, export\n"
        "from tests.support.exports import AT\n"
        "left = iter(range(9, -1, -1))\n"
        "kill = lambda done, of: next(left) or os.kill(os.getpid(), signal.SIGKILL)\n"
        f"order = ExportOrder(kind='parquet', part_bytes={PART_BYTES})\n"
        "export(sys.argv[1], order, Path(sys.argv[2]), AT, on_match=kill)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, log, str(folder)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = files_in(folder)
    assert any(name.startswith("events/") for name in left)
    assert not (folder / "manifest.json").exists()
    assert exported(log, "parquet", folder, part_bytes=PART_BYTES) == whole
    assert files_in(folder) == files_in(tmp_path / "whole")


def test_full_disk_is_told_and_gone_on_from(
    log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = tmp_path / "export"
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", full)
        with pytest.raises(
            ExportRefused, match=r"No space left on device; once that is put right, run the same"
        ):
            exported(log, "ndjson", folder, part_bytes=PART_BYTES)
    assert exported(log, "ndjson", folder, part_bytes=PART_BYTES).counts.matches == len(MATCHES)


def test_journal_that_cannot_be_read_is_named(log: str, tmp_path: Path) -> None:
    (tmp_path / ".unfinished").mkdir()
    (tmp_path / ".unfinished" / "journal").write_bytes(b"{}\n")
    with pytest.raises(ExportRefused, match="journal of an unfinished export cannot be read"):
        exported(log, "ndjson", tmp_path)


def test_what_is_appended_meanwhile_is_left_out(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database_url = new_database()
    store(database_url, MATCHES)
    whole = exported(database_url, "ndjson", tmp_path / "whole", part_bytes=PART_BYTES)
    countdown = Countdown(monkeypatch)
    countdown.left = 9
    with pytest.raises(Killed):
        exported(database_url, "ndjson", tmp_path / "killed", part_bytes=PART_BYTES)
    countdown.left = sys.maxsize
    store(database_url, [abandoned(unfinished(Random("later")))])
    assert exported(database_url, "ndjson", tmp_path / "killed", part_bytes=PART_BYTES) == whole


def test_folder_is_not_written_over_unasked(log: str, tmp_path: Path) -> None:
    order = ExportOrder(kind="ndjson", part_bytes=PART_BYTES)
    folder = tmp_path / "export"
    export(log, order, folder, AT)
    before = files_in(folder)
    for other in (order, replace(order, kind="notation")):
        with pytest.raises(ExportRefused, match=r"finished export of \d+ matches .* --overwrite"):
            export(log, other, folder, AT)
    assert files_in(folder) == before
    export(log, replace(order, kind="notation"), folder, AT, overwrite=True)
    assert {Path(name).suffix for name in files_in(folder)} == {".txt"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    with pytest.raises(ExportRefused, match="holds other files"):
        export(log, order, tmp_path / "mine", AT)
    (tmp_path / "file").write_text("dear")
    with pytest.raises(ExportRefused, match="cannot export to"):
        export(log, order, tmp_path / "file", AT)


def test_unfinished_export_is_not_gone_on_with_for_something_else(
    log: str, new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "export"
    with monkeypatch.context() as context:
        Countdown(context).left = 9
        with pytest.raises(Killed):
            exported(log, "ndjson", folder, part_bytes=PART_BYTES)
    order = ExportOrder(kind="ndjson", part_bytes=PART_BYTES)
    with pytest.raises(ExportRefused, match="unfinished export of other matches or form"):
        export(log, replace(order, filters=Filters(rulesets=("blood-1",))), folder, AT)
    with pytest.raises(ExportRefused, match="begun from another log"):
        export(new_database(), order, folder, AT)

    def meanwhile(_done: int, _of: int) -> None:
        export(log, order, folder, AT)

    with pytest.raises(ExportRefused, match="another command is exporting"):
        export(log, order, folder, AT, on_match=meanwhile)
    assert export(log, order, folder, AT).counts.matches == len(MATCHES)
