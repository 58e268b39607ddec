"""One address before several services: a connection goes to one of them by chance, to another where that is gone."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

_PIECE = 2**16


class Balancer:
    """Where connections went: `served` counts them by port."""

    def __init__(self, ports: Sequence[int], seed: int) -> None:
        self._ports = tuple(ports)
        self._chance = random.Random(seed)
        self.served: Counter[int] = Counter()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one connection until either side ends it."""
        try:
            behind, onward = await self._connected()
            await asyncio.gather(_carry(reader, onward), _carry(behind, writer))
        except (OSError, asyncio.CancelledError):  # the loop logs a cancelled one as if it had failed
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to one of the services. Raises `OSError` where none takes it."""
        ports = self._chance.sample(self._ports, len(self._ports))
        for port in ports[:-1]:
            with suppress(OSError):
                return await self._to(port)
        return await self._to(ports[-1])

    async def _to(self, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        opened = await asyncio.open_connection("127.0.0.1", port)
        self.served[port] += 1
        return opened


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    with suppress(OSError):
        writer.close()


@asynccontextmanager
async def balanced(ports: Sequence[int], seed: int = 1) -> AsyncIterator[tuple[str, Balancer]]:
    """The URL of one address for the services at these ports, and what stands there."""
    balancer = Balancer(ports, seed)
    server = await asyncio.start_server(balancer.take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", balancer
    finally:
        server.close()
