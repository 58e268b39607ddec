"""Credentials for another service: a user that may read the feed and nothing else."""

import base64
from pathlib import Path
from typing import Final

import msgspec

from adapters.nats import users
from adapters.nats.stream import stream_name, subject_prefix
from adapters.nats.user_file import UserFile
from adapters.randomness import Randomness

_PASSWORD_BYTES: Final = 24


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """What a service needs to read the feed.

    `line` is the user as a line of the server's configuration, where that is not ours to change.
    """

    url: str
    user: str
    password: str
    stream: str
    subjects: str
    line: str | None = None


def new_password(randomness: Randomness) -> str:
    """A password that can stand in a URL."""
    return base64.urlsafe_b64encode(randomness.bytes(_PASSWORD_BYTES)).decode()


def credentials_on_our_server(folder: Path, url: str, name: str, log: str) -> Credentials:
    """A user of the server that runs in this folder, made where it is not there; valid at once.

    `url` is that server for any user. Raises `ServiceNameRefused`, `ServersUnavailable`.
    """
    password = UserFile(folder).add_service(name)
    return _credentials(url, name, password, log)


def credentials_for_another_server(url: str, name: str, password: str, log: str) -> Credentials:
    """A user for someone else to add to the server at `url`, with the line that does. Raises `ServiceNameRefused`."""
    line = users.service_line(users.check_service_name(name), password)
    return msgspec.structs.replace(_credentials(url, name, password, log), line=line)


def _credentials(url: str, name: str, password: str, log: str) -> Credentials:
    return Credentials(
        url=",".join(_with_user(server, name, password) for server in url.split(",")),
        user=name,
        password=password,
        stream=stream_name(log),
        subjects=f"{subject_prefix(log)}.>",
    )


def _with_user(url: str, name: str, password: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{name}:{password}@{rest.rpartition('@')[2]}"
