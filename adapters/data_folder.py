"""The data folder: its form, its rights, and how files in it are written.

Everything in it is for its owner's eyes only: passwords, keys, the database. `form` names the layout, so that a
folder of another layout is refused and never half understood.

    form            the number of the layout
    owner.lock      held by the command that runs the servers
    owner.json      who that is and how to connect
    users.lock      shared by the commands that use them
    postgres/       cluster, password, log
    nats/           JetStream store, passwords, configuration, log
"""

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from adapters.errors import DataFolderRefused

FORM: Final = 1
_UNFINISHED: Final = ".new-"


class DataFolder:
    """A data folder that is there, is ours and has our form."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner_lock = path / "owner.lock"
        self.owner_record = path / "owner.json"
        self.users_lock = path / "users.lock"
        self.postgres = path / "postgres"
        self.nats = path / "nats"

    @classmethod
    def open(cls, path: Path) -> "DataFolder":
        """The folder at `path`, made if it is not there. Raises `DataFolderRefused`."""
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_owner(path)
            _check_form(path)
        except OSError as error:
            raise DataFolderRefused(
                f"the data folder {path} cannot be used ({error.strerror}); set GONGZHU_DATA to a folder of yours"
            ) from error
        return cls(path)


def _check_owner(path: Path) -> None:
    found = path.stat()
    if found.st_uid != os.geteuid():
        raise DataFolderRefused(
            f"the data folder {path} belongs to user {found.st_uid}, this is user {os.geteuid()}; "
            "run this as its owner or set GONGZHU_DATA to another folder"
        )
    # Passing through (x) may be granted to the group: PostgreSQL's account needs it where root cannot be it.
    if stat.S_IMODE(found.st_mode) & 0o067:
        path.chmod(0o700)


def _check_form(path: Path) -> None:
    marker = path / "form"
    try:
        form = marker.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        if any(not entry.name.startswith(_UNFINISHED) for entry in path.iterdir()) and not marker.exists():
            raise DataFolderRefused(
                f"the folder {path} holds files but no mark of ours (it may have been made by an earlier version); "
                "move it away or set GONGZHU_DATA to another folder"
            ) from None
        write_private(marker, f"{FORM}\n".encode())
        return
    if form != str(FORM):
        made_by = "an earlier" if form.isdigit() and int(form) < FORM else "a later or unknown"
        raise DataFolderRefused(
            f"the data folder {path} was made by {made_by} version (form {form[:20]!r}, this is {FORM}); move it away"
        )


def make_private_folder(path: Path) -> Path:
    """`path`, a folder that only its owner may enter, made if it is not there."""
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Puts a whole file, readable by its owner only, in the place of `path`, durably: old or new, never half."""
    unfinished = path.with_name(f"{_UNFINISHED}{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def password(path: Path) -> str:
    """The password kept at `path`, drawn the first time. It needs no quoting in a URL."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        write_private(path, secrets.token_urlsafe(24).encode())
        return path.read_text(encoding="ascii").strip()
