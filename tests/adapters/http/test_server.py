"""Serving on a port: until cancelled, and a port that is taken is said to be."""

import asyncio
from pathlib import Path

import httpx
import pytest

from adapters.composition import Ports, live_site
from adapters.errors import ServersUnavailable
from adapters.http.server import http_server, run_http
from adapters.randomness import SeededRandomness
from tests.support.live import ManualClock


def test_site_is_served_until_cancelled_and_its_port_is_free_again(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        clock = ManualClock()
        ports = Ports(clock, SeededRandomness(1))
        async with live_site(database_url, tmp_path, ports, clock) as site:
            async with http_server(site) as url:
                port = int(url.rpartition(":")[2])
                with pytest.raises(ServersUnavailable, match=f"127.0.0.1:{port}.*taken"):
                    await run_http(site, "127.0.0.1", port)
            serving = asyncio.create_task(run_http(site, "127.0.0.1", port))
            transport = httpx.AsyncHTTPTransport(retries=20)
            async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
                assert (await client.get(f"{url}/rulesets")).status_code == 200
            serving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await serving
            async with httpx.AsyncClient(trust_env=False) as client:
                with pytest.raises(httpx.ConnectError):
                    await client.get(f"{url}/rulesets")

    asyncio.run(run())
