"""`python -m tests.support.echoing PORT`: a bare echo over WebSockets, on the API's kind of server."""

import asyncio
import sys
from typing import Any

import uvicorn


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Sends back whatever comes."""
    assert scope["type"] == "websocket"
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class Server(uvicorn.Server):
    """Says when it listens."""

    async def startup(self, sockets: Any = None) -> None:
        """Starts, and says so."""
        await super().startup(sockets)
        sys.stdout.write("ready\n")
        sys.stdout.flush()


if __name__ == "__main__":
    config = uvicorn.Config(
        echo,
        port=int(sys.argv[1]),
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    asyncio.run(Server(config).serve())
