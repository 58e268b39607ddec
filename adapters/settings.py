"""Where the program keeps its data and which servers it speaks to; the one place that reads the environment."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import platformdirs

from adapters.errors import SettingsRefused

DATA: Final = "GONGZHU_DATA"
DATABASE_URL: Final = "GONGZHU_DATABASE_URL"
NATS_URL: Final = "GONGZHU_NATS_URL"
LOG_NAME: Final = "GONGZHU_LOG"
TOKEN_KEYS: Final = "GONGZHU_TOKEN_KEYS"  # noqa: S105 - a variable's name
CONNECTION_DAYS: Final = "GONGZHU_CONNECTION_DAYS"
NATS_USERS: Final = ("relay", "projections", "reader", "operator")
"""Who speaks to NATS; each has a password of its own where NATS was set (`nats_password_variable`)."""

_DATABASE_SCHEMES: Final = ("postgresql://", "postgres://")
_NATS_SCHEMES: Final = ("nats://", "tls://", "ws://", "wss://")
_NATS_PASSWORD_FORM: Final = re.compile(r"[A-Za-z0-9_-]+")
_LOG_NAME_FORM: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What was set. A server without a URL is one that the program runs by itself, in the data folder.

    `token_keys`: a JSON Web Key Set of another identity provider, whose tokens the API takes besides its own.
    `connection_days`: how long connection records of players are kept.
    """

    data: Path
    database_url: str | None = None
    nats_url: str | None = None
    nats_passwords: dict[str, str] = {}
    log_name: str = "main"
    token_keys: Path | None = None
    connection_days: int = 90

    def nats_url_as(self, user: str) -> str | None:
        """The NATS that was set, for one of its users: the URL's own, or else this one, if its password was set."""
        password = self.nats_passwords.get(user)
        if not self.nats_url or "@" in self.nats_url or password is None:
            return self.nats_url
        servers = (server.partition("://") for server in self.nats_url.split(","))
        return ",".join(f"{scheme}://{user}:{password}@{address}" for scheme, _, address in servers)


def nats_password_variable(user: str) -> str:
    """The variable with a user's password, in our environment and in that of the NATS server."""
    return f"GONGZHU_NATS_{user.upper()}_PASSWORD"


def read(
    *,
    data: Path | None = None,
    database_url: str | None = None,
    nats_url: str | None = None,
    log_name: str | None = None,
    token_keys: Path | str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings: an option given here goes before its environment variable, that before the default.

    An empty variable is one that is not set. Raises `SettingsRefused` for a value that cannot be meant.
    """
    variables = os.environ if environment is None else environment
    folder = data or variables.get(DATA) or platformdirs.user_data_path("gongzhu", appauthor=False)
    return Settings(
        data=Path(folder).expanduser().absolute(),
        database_url=_url(database_url or variables.get(DATABASE_URL), DATABASE_URL, _DATABASE_SCHEMES),
        nats_url=_url(nats_url or variables.get(NATS_URL), NATS_URL, _NATS_SCHEMES),
        nats_passwords=_nats_passwords(variables),
        log_name=_log_name(log_name or variables.get(LOG_NAME) or "main"),
        token_keys=_file(token_keys or variables.get(TOKEN_KEYS)),
        connection_days=_days(variables.get(CONNECTION_DAYS) or "90"),
    )


def _url(value: str | None, name: str, schemes: tuple[str, ...]) -> str | None:
    # The value may hold a password, so the refusal does not repeat it.
    if value and not value.startswith(schemes):
        raise SettingsRefused(f"{name} does not begin with {' or '.join(schemes)}")
    return value or None


def _nats_passwords(variables: Mapping[str, str]) -> dict[str, str]:
    given = {user: variables.get(nats_password_variable(user)) for user in NATS_USERS}
    passwords = {user: password for user, password in given.items() if password}
    for user, password in passwords.items():
        if not _NATS_PASSWORD_FORM.fullmatch(password):
            raise SettingsRefused(
                f"{nats_password_variable(user)} cannot stand in a URL: use letters, digits, - and _"
            )
    return passwords


def _file(value: Path | str | None) -> Path | None:
    return Path(value).expanduser().absolute() if value else None


def _days(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value) <= 3650:
        raise SettingsRefused(f"{CONNECTION_DAYS} is {value!r}; it is a number of days, 1 to 3650")
    return int(value)


def _log_name(value: str) -> str:
    if not _LOG_NAME_FORM.fullmatch(value):
        raise SettingsRefused(f"the log name {value!r} is not 1 to 32 of a-z, 0-9 and -, a letter first")
    return value
