"""nats-py's client with two costs taken out that a feed pays for every message.

Its header parser looks at every character of every name, which is more than half of what reading costs, and its
publisher renders and checks headers one by one. Both stand in methods that are not public, so the version is pinned and
the tests compare what these do with what the library does.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import nats.errors
from nats.aio.client import Client

from adapters.nats.headers import parse_headers

_VERSION: Final = b"NATS/1.0"
_LINE: Final = "\r\n"


class LeanClient(Client):
    """A client that reads and writes headers in bulk."""

    async def _process_headers(self, headers: bytes | None) -> dict[str, str] | None:
        if not headers:
            return None
        if headers[len(_VERSION) : len(_VERSION) + 1] == b" ":
            # A status of the server's own; rare, so the library may read it.
            status: dict[str, str] | None = await super()._process_headers(headers)
            return status
        return parse_headers(headers) or None

    async def publish_all(self, commands: Sequence[bytes]) -> None:
        """Sends commands as `published` makes them. Raises `nats.errors.Error` where there is no connection."""
        if not self.is_connected:
            raise nats.errors.ConnectionReconnectingError
        self.stats["out_msgs"] += len(commands)
        await self._send_command(b"".join(commands))
        if self._flush_queue is not None and self._flush_queue.empty():
            await self._flush_pending()


def published(subject: str, reply: str, headers: bytes, body: bytes) -> bytes:
    """The command that publishes a message with these headers, as `rendered` makes them."""
    sizes = f"{len(headers)} {len(headers) + len(body)}"
    return b"HPUB %b %b %b\r\n%b%b\r\n" % (subject.encode(), reply.encode(), sizes.encode(), headers, body)


def rendered(headers: Mapping[str, str]) -> bytes:
    """Headers as they are sent. Names and values are ours: no line ends in them, no space around them."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return _LINE.join([_VERSION.decode(), *lines, "", ""]).encode()
