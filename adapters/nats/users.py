"""Who may do what on a NATS server of ours, from the one file that says so (`infra/nats/gongzhu.conf`).

`relay` alone publishes the feed and makes its stream; `projections` and `reader` read it through consumers of their
own; `operator` looks after the streams. Other services get a user each, with the rights of `reader`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adapters.errors import AdapterError, ServersUnavailable
from adapters.settings import NATS_USERS, nats_password_variable

NAMES: Final = NATS_USERS
PERMISSIONS: Final = Path(__file__).parents[2] / "infra" / "nats" / "gongzhu.conf"

_PRIVATE_INBOXES: Final = ("relay", "projections", "operator")
_SERVICES_FOLLOW: Final = "      # Services, a line each:\n"
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")


class ServiceNameRefused(AdapterError):
    """A service cannot have this name."""


def check_service_name(name: str) -> str:
    """The name, if a service can have it. Raises `ServiceNameRefused`."""
    if not _NAME.fullmatch(name):
        raise ServiceNameRefused(f"the name {name!r} is not 1 to 32 of a-z, 0-9 and -, a letter first")
    if name in NAMES:
        raise ServiceNameRefused(f"{name} is a user of gongzhu itself; choose another name for your service")
    return name


def inbox_prefix_of(user: str) -> str:
    """What the subjects begin with that answers to this user come to; our own roles' are heard by nobody else."""
    return f"_INBOX_{user}" if user in _PRIVATE_INBOXES else "_INBOX"


def service_line(name: str, password: str) -> str:
    """A service's user, as a line of the configuration."""
    return f'{{ user: "{name}", password: "{password}", permissions: $SERVICE_ROLE }}'


def configuration(passwords: Mapping[str, str], services: Mapping[str, str]) -> str:
    """The users with their rights, as a server's configuration: ours by `passwords`, services with theirs."""
    try:
        permissions = PERMISSIONS.read_text(encoding="utf-8")
    except OSError as error:
        raise ServersUnavailable(
            f"cannot read {PERMISSIONS} ({error.strerror}), which says who may do what"
        ) from error
    before, found, after = permissions.partition(_SERVICES_FOLLOW)
    assert found, f"{PERMISSIONS} has a place for services"
    variables = "".join(f'{nats_password_variable(user)}: "{passwords[user]}"\n' for user in NAMES)
    lines = "".join(f"      {service_line(name, services[name])}\n" for name in sorted(services))
    return variables + before + found + lines + after
