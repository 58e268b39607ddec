"""Serving the application on a port, with uvicorn, inside a running event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from litestar import Litestar

from adapters.errors import ServersUnavailable
from adapters.http.app import build_app
from adapters.http.site import Site


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers, which are whoever started it's; `ready` is set once it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and says so."""
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


@asynccontextmanager
async def http_server(site: Site, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serves the API while the block lasts; gives its URL. Port 0 takes a free one. Raises `ServersUnavailable`."""
    config = _config(build_app(site), ws_max_size=site.terms.message_bytes)
    async with _serving(config, host, port) as url:
        yield url


@asynccontextmanager
async def app_server(app: Litestar, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serves another application likewise."""
    async with _serving(_config(app), host, port) as url:
        yield url


@asynccontextmanager
async def _serving(config: uvicorn.Config, host: str, port: int) -> AsyncIterator[str]:
    server = _Server(config)
    listening = _listen(host, port)
    task = asyncio.create_task(server.serve(sockets=[listening]), name="http")
    try:
        await server.ready.wait()
        yield f"http://{host}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listening.close()


async def run_http(site: Site, host: str, port: int) -> None:
    """Serves the API until cancelled. Raises `ServersUnavailable`."""
    async with http_server(site, host, port):
        await asyncio.Event().wait()


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. It names its protocol, or asyncio would leave Nagle's algorithm on: 40 ms an answer."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(2048)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise ServersUnavailable(
            f"cannot listen on {host}:{port} ({error.strerror}); is the port taken?"
        ) from error
    return listening


def _config(app: Litestar, *, ws_max_size: int = 4096) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="websockets-sansio",
        ws_max_size=ws_max_size,
        ws_per_message_deflate=False,
        server_header=False,
        access_log=False,
        log_config=None,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
