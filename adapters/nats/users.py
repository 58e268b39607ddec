"""Who may do what on a NATS server of ours.

`relay` alone writes: it publishes the feed and looks after its streams. `projections` and `reader` read streams through
consumers of their own; they can neither publish a feed message nor change or remove a stream.
"""

from collections.abc import Callable
from typing import Any, Final

NAMES: Final = ("relay", "projections", "reader")

_READING: Final = (
    "$JS.API.INFO",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.MSG.GET.*",
    "$JS.API.DIRECT.GET.>",
    "$JS.API.CONSUMER.>",
    "$JS.ACK.>",
    "$JS.FC.>",
)
_ANSWERS: Final = "_INBOX.>"
_FEED: Final = "gongzhu.>"


def configured(password_of: Callable[[str], str]) -> list[dict[str, Any]]:
    """The users as a server's configuration lists them."""
    relay = {"publish": [_FEED, "$JS.API.>", "$JS.ACK.>"], "subscribe": [_FEED, _ANSWERS]}
    reading = {"publish": list(_READING), "subscribe": [_FEED, _ANSWERS]}
    rights = {"relay": relay, "projections": reading, "reader": reading}
    return [{"user": name, "password": password_of(name), "permissions": rights[name]} for name in NAMES]
