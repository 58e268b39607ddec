"""Server processes that end with the process that started them, and what can be known of a process by its number.

Linux only: it relies on the parent-death signal and on /proc.
"""

import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from adapters.errors import ServersUnavailable

# Loaded here, not in the child: between fork and exec the child must not load anything.
_libc: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_LOG_LIMIT_BYTES: Final = 8 * 1024 * 1024
POLL_S: Final = 0.01


def wait_until(condition: Callable[[], bool], within_s: float) -> bool:
    """Asks until `condition` holds, at most `within_s` seconds; whether it held."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_S)
    return True


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    death_signal: signal.Signals,
    environment: Mapping[str, str],
    user: int | None = None,
    group: int | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a server whose output goes to the end of `log`; it gets `death_signal` when this process ends.

    Only from the main thread: the system sends that signal when the *thread* that forked ends. The server has a
    session of its own, so that Ctrl-C in a terminal reaches us and not it.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("servers are started from the main thread only")
    parent = os.getpid()

    def die_with_parent() -> None:
        # A shell starts background jobs with SIGINT ignored, and what is ignored stays so across exec.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _libc.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    with open_log(log) as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
            umask=0o077,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            preexec_fn=die_with_parent,  # noqa: PLW1509  # nothing else can set the signal before exec
        )


def open_log(path: Path) -> BinaryIO:
    """The log at `path`, open for adding, its owner's only. One that has grown large becomes `<name>.1` first."""
    if path.exists() and path.stat().st_size > _LOG_LIMIT_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "ab", buffering=0)


def log_size(path: Path) -> int:
    """Bytes in the log now, 0 where there is none: what `log_since` begins at."""
    return path.stat().st_size if path.exists() else 0


def log_since(path: Path, start: int) -> str:
    """What was added to the log after `start`."""
    with path.open("rb") as file:
        file.seek(start if start <= log_size(path) else 0)
        return file.read().decode(errors="replace")


def last_lines(text: str, count: int = 3) -> str:
    """The last lines of a log on one line, for an error's text."""
    return " | ".join(line.strip() for line in text.strip().splitlines()[-count:]) or "it said nothing"


def started_at(pid: int) -> int | None:
    """When the process started, in clock ticks since boot; None where it does not run (any more).

    With the number it names a process for good: a number is used again, the pair is not.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def runs_with(pid: int, argument: Path) -> bool:
    """Whether process `pid` runs and was started with the path `argument`: a server of that folder."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(argument) in command.split(b"\0") and started_at(pid) is not None


def end_orphan(pid: int, argument: Path, end_signal: signal.Signals, within_s: float) -> None:
    """Ends a server that was left by an owner that died, and waits until it is gone.

    It has had its death signal already, so mostly this only waits. Nothing happens where `pid` is something else.
    Raises `ServersUnavailable` if it is still there after `within_s`.
    """
    if not runs_with(pid, argument):
        return
    with suppress(ProcessLookupError):
        os.kill(pid, end_signal)
    if not wait_until(lambda: not runs_with(pid, argument), within_s):
        raise ServersUnavailable(
            f"process {pid}, left by an earlier command, still works on {argument} after {within_s:.0f} s; end it"
        )


def end(process: subprocess.Popen[bytes], end_signal: signal.Signals, within_s: float) -> None:
    """Asks our own server to end and waits; after `within_s` it is killed."""
    if process.poll() is None:
        process.send_signal(end_signal)
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
