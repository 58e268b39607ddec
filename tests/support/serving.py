"""`python -m tests.support.serving DATABASE_URL DATA PORT`: the API as a process of its own, to be killed by tests."""

import asyncio
import sys
from pathlib import Path

from adapters.clock import SystemClock
from adapters.composition import Ports, live_site
from adapters.http.server import http_server
from adapters.http.site import Terms
from adapters.randomness import SystemRandomness

FREELY = Terms(requests_a_second=1e6, burst=1_000_000)


async def serve(database_url: str, data: Path, port: int) -> None:
    """Serves until killed; says its URL on standard output."""
    clock = SystemClock()
    ports = Ports(clock, SystemRandomness())
    async with (
        live_site(database_url, data, ports, clock, terms=FREELY) as site,
        http_server(site, port=port) as url,
    ):
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
