"""Live tables over real sockets: how many play at one card a second before everyone waits, and what binds.

A table is four sockets; a play's latency is from its sending to the last of the four frames it leads to. The load
generator shares the cores. Beside it, in turns: a bare echo over WebSockets on the same server. What a play, or an
echo, costs its server in processor time says the same on a busy machine as on a quiet one.
"""

import asyncio
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import websockets

from adapters.clock import SystemClock
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.postgres.launcher import PostgresServer
from adapters.postgres.migrations import migrate
from adapters.randomness import SystemRandomness
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import BotTables, Order, OwnPasses, ask
from tests.bench.measured import Aim, Measured, machine

LEVELS = (10, 25, 50, 75, 100, 150, 200, 300)
LEVEL_S = 8.0
SATURATED = 24
ROUNDS = 3
ROUND_S = 4.0
FACTOR = 20
ROOT = Path(__file__).parents[2]


class FirstLegal:
    """Thinks as little as possible, so that the load is the site's and not the bots'."""

    def declaration(self, _seen: dict[str, Any]) -> tuple[str, str] | None:
        """None."""
        return None

    def play(self, seen: dict[str, Any]) -> Sequence[str]:
        """The first legal play."""
        plays: list[list[str]] = seen["hand"]["legal"]
        return plays[0]


class Latencies:
    """Of each play at one table: from sending it to the last of the four frames."""

    def __init__(self, seconds: list[float]) -> None:
        self._seconds = seconds
        self._sent_at = 0.0
        self._waiting: set[int] = set()

    def on_play(self, _seat: int, _number: int, acknowledged: bool) -> None:
        """A play goes out."""
        if not acknowledged:
            self._sent_at = time.perf_counter()
            self._waiting = {0, 1, 2, 3}

    def on_frame(self, seat: int, _number: int) -> None:
        """A frame has come in."""
        if seat in self._waiting:
            self._waiting.discard(seat)
            if not self._waiting:
                self._seconds.append(time.perf_counter() - self._sent_at)


class Load:
    """Tables that play at a site."""

    def __init__(self, url: str, data: Path) -> None:
        self._url = url
        keys = ensure_token_keys(data, SystemRandomness())
        self._passes = OwnPasses(Bearers(keys, SystemClock()), SystemRandomness())
        self._tokens: list[list[str]] = []

    async def play(self, tables: int, pace_s: float, for_s: float, pid: int) -> "Level":
        """So many tables play for so long."""
        seconds: list[float] = []
        order = Order(ruleset="zero_sum-1", hands=256, pace_s=pace_s, clocks={"pause_s": 0, "play_s": 60})
        async with httpx.AsyncClient(base_url=self._url, trust_env=False, timeout=60) as client:
            site = BotTables(self._url, client, self._passes, order)
            seats, matches = [], []
            for _ in range(tables):
                tokens = [await self._passes.player() for _ in range(4)]
                matches.append(await site.open(tokens))
                seats += self._seats(matches[-1], tokens, pace_s, seconds)
            level = await self._measure(seats, seconds, for_s, pid)
            # Nobody plays there any more; the service would, and be busier at the next level.
            for match in matches:
                await ask(client, f"/matches/{match}/abandon", self._passes.opener, {})
        return level

    async def _measure(self, seats: list[BotSeat], seconds: list[float], for_s: float, pid: int) -> "Level":
        tables = len(seats) // 4
        playing = [asyncio.create_task(seat.play()) for seat in seats]
        await asyncio.sleep(2 + tables / 50)
        seconds.clear()
        began, before = time.perf_counter(), sum(seat.plays for seat in seats)
        spent_s = _processor_s(pid)
        await asyncio.sleep(for_s)
        plays = sum(seat.plays for seat in seats) - before
        took = time.perf_counter() - began
        memory, spent_s = _resident(pid), _processor_s(pid) - spent_s
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        return Level(tables, sorted(seconds), plays / took, memory, spent_s / max(plays, 1))

    def _seats(self, match: UUID, tokens: list[str], pace_s: float, seconds: list[float]) -> list[BotSeat]:
        latencies = Latencies(seconds)
        return [
            BotSeat(
                self._url,
                match,
                seat,
                token,
                pace_s=pace_s,
                player=FirstLegal(),
                on_frame=latencies.on_frame,
                on_play=latencies.on_play,
            )
            for seat, token in enumerate(tokens)
        ]


class Level:
    """What one number of tables came to. `each_s`: what a play cost the server, in seconds of processor time."""

    def __init__(
        self, tables: int, seconds: list[float], a_second: float, memory: int, each_s: float
    ) -> None:
        self.tables = tables
        self.seconds = seconds
        self.a_second = a_second
        self.memory = memory
        self.each_s = each_s

    def ms(self, share: float) -> float:
        """The latency that this share of plays does not exceed, in milliseconds."""
        if not self.seconds:
            return float("inf")
        return self.seconds[min(len(self.seconds) - 1, int(len(self.seconds) * share))] * 1000


def run() -> Measured:
    """Latencies at each level, commands a second at saturation beside the echo, and memory a table."""
    with tempfile.TemporaryDirectory(prefix="gongzhu-bench-") as folder:
        server = PostgresServer(Path(folder) / "postgres")
        server.start()
        try:
            migrate(server.url)
            with (
                _process("tests.support.serving", server.url, folder) as site,
                _process("tests.support.echoing") as echo,
            ):
                figures = asyncio.run(_measure(Load(site[1], Path(folder)), site[0].pid, echo))
        finally:
            server.stop()
    most = figures["most_tables"]
    aim = Aim(
        what=f"tables until p99 passes {FACTOR} x the idle p50",
        want=LEVELS[0],
        got=most,
        holds=most >= LEVELS[0],
    )
    return Measured(name="live", machine=machine(), figures=figures, aims=(aim,))


async def _measure(load: Load, pid: int, echo: "Running") -> dict[str, Any]:
    empty = _resident(pid)
    idle = await load.play(1, 0.05, 4, pid)
    figures: dict[str, Any] = {"idle_p50_ms": round(idle.ms(0.5), 2), "idle_p99_ms": round(idle.ms(0.99), 2)}
    most = 0
    for tables in LEVELS:
        level = await load.play(tables, 1.0, LEVEL_S, pid)
        figures[f"tables_{tables}_p50_ms"] = round(level.ms(0.5), 2)
        figures[f"tables_{tables}_p99_ms"] = round(level.ms(0.99), 2)
        figures["memory_a_table_kb"] = round((level.memory - empty) / tables / 1024, 1)
        if level.ms(0.99) > FACTOR * idle.ms(0.5):
            break
        most = tables
    return {**figures, "most_tables": most, **await _beside_the_echo(load, pid, echo)}


async def _beside_the_echo(load: Load, pid: int, echo: "Running") -> dict[str, Any]:
    """Plays at saturation and echoes, in turns; the ratios are those of one round, in the middle of all rounds'."""
    plays, echoes = [], []
    for _ in range(ROUNDS):
        plays.append(await load.play(SATURATED, 0, ROUND_S, pid))
        echoes.append(await _echo(echo))
    rounds = list(zip(plays, echoes, strict=True))
    return {
        "commands_a_second": round(statistics.median(level.a_second for level in plays)),
        "echoes_a_second": round(statistics.median(level.a_second for level in echoes)),
        "saturation_to_echo": round(statistics.median(p.a_second / e.a_second for p, e in rounds), 3),
        "server_us_a_play": round(statistics.median(level.each_s for level in plays) * 1e6),
        "server_us_an_echo": round(statistics.median(level.each_s for level in echoes) * 1e6),
        "server_play_to_echo": round(statistics.median(p.each_s / e.each_s for p, e in rounds), 2),
    }


async def _echo(echo: "Running", sockets: int = 4 * SATURATED) -> Level:
    """Echoes over so many sockets, each with one message on its way."""
    process, url = echo
    count = 0

    async def ping() -> None:
        nonlocal count
        async with websockets.connect(
            url.replace("http", "ws", 1), proxy=None, compression=None
        ) as connection:
            while True:
                await connection.send('{"do": "play", "body": {"cards": ["SQ"]}}')
                await connection.recv()
                count += 1

    pinging = [asyncio.create_task(ping()) for _ in range(sockets)]
    await asyncio.sleep(1)
    before, began, spent_s = count, time.perf_counter(), _processor_s(process.pid)
    await asyncio.sleep(ROUND_S)
    done, took = count - before, time.perf_counter() - began
    spent_s = _processor_s(process.pid) - spent_s
    for task in pinging:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*pinging, return_exceptions=True)
    return Level(0, [], done / took, 0, spent_s / max(done, 1))


def _processor_s(pid: int) -> float:
    """The processor time a process has had, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    """The memory a process holds, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


Running = tuple[subprocess.Popen[str], str]
"""A server's process and its URL."""


@contextmanager
def _process(module: str, *arguments: str) -> Iterator[Running]:
    """A server as a process of its own, as soon as it listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments, str(port)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
