"""`./dev chaos cluster`: three servers, three replicas, filled through a window while the leader is killed.

Every publish is conditional on the one before. What was acknowledged must be there under every later leader, and at the
end the stream holds every message once, in order, byte for byte.
"""

import argparse
import asyncio
import random
import secrets
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from adapters.health import Patience
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection, connected
from adapters.nats.publishing import Publisher, WindowEnded
from adapters.nats.stream import FeedStream, StreamState
from adapters.randomness import SystemRandomness
from adapters.serialization import Row, row_digest
from tests.support.big_log import many_matches
from tests.support.feeds import eventually, running
from tests.support.nats_cluster import SERVERS, NatsCluster

WINDOW: Final = 200
_AT_ONCE: Final = 2000
_WITHIN_S: Final = 60.0
_AWAY: Final = (NatsAway, JetStreamRefused)


class ClusterReport(msgspec.Struct, frozen=True):
    """What a run did, all of it checked. `windows`: how often publishing had to look where the stream stands."""

    seed: int
    messages: int
    window: int
    leaders_killed: tuple[str, ...]
    windows: int
    seconds: float


class _Peer(msgspec.Struct):
    name: str
    current: bool = False
    offline: bool = False


class _Group(msgspec.Struct):
    leader: str = ""
    replicas: list[_Peer] = []


class _Info(msgspec.Struct):
    cluster: _Group | None = None


class Filling:
    """Publishes rows from wherever the stream stands, again and again, until it has them all."""

    def __init__(self, connection: NatsConnection, rows: Sequence[Row]) -> None:
        self._connection = connection
        self._stream = FeedStream(connection, "main", replicas=SERVERS)
        self._rows = rows
        self._allowed = 0
        self._allows = asyncio.Event()
        self.acknowledged = 0
        self.windows = 0

    def allow(self, position: int) -> None:
        """Lets it publish up to a position, and waits there until more is allowed."""
        self._allowed = position
        self._allows.set()

    async def make(self) -> StreamState:
        """The stream, made as soon as the cluster has a leader."""
        patience = Patience(_WITHIN_S)
        while True:
            try:
                return await self._stream.create(SystemRandomness())
            except _AWAY as trouble:
                await patience.wait(trouble)

    async def fill(self, epoch: str) -> None:
        """Returns when every row is acknowledged. Fails where a leader lacks what was acknowledged before."""
        async with Publisher(
            self._connection, self._stream.name, "main", window=WINDOW, late_s=2.0
        ) as publisher:
            while self.acknowledged < len(self._rows):
                if self.acknowledged >= self._allowed:
                    self._allows.clear()
                    await self._allows.wait()
                    continue
                last = await self._last()
                self.windows += 1
                try:
                    await self._publish(publisher, last, epoch)
                except WindowEnded:
                    continue

    async def _publish(self, publisher: Publisher, last: int, epoch: str) -> None:
        for start in range(last, self._allowed, _AT_ONCE):
            try:
                await publisher.publish(self._rows[start : min(start + _AT_ONCE, self._allowed)], epoch)
            finally:
                self.acknowledged = max(self.acknowledged, publisher.acknowledged)

    async def _last(self) -> int:
        """Where the stream stands, from whoever leads it now."""
        patience = Patience(_WITHIN_S)
        while True:
            try:
                state = await self._stream.state()
                assert state is not None, "the stream is gone"
                if state.last >= self.acknowledged:
                    self.acknowledged = state.last
                    return state.last
                trouble: Exception = NatsAway(
                    f"the stream ends at {state.last}; {self.acknowledged} is acknowledged"
                )
            except _AWAY as away:
                trouble = away
            await patience.wait(trouble)


async def run(cluster: NatsCluster, *, messages: int, kills: int, seed: int) -> ClusterReport:
    """Fills the stream while its leader is killed so many times; then compares all of it."""
    began, chance, rows = time.monotonic(), random.Random(seed), made_rows(messages)
    killed: list[str] = []
    async with (
        connected(cluster.url_of("relay"), "cluster relay") as relay,
        connected(cluster.url_of("operator"), "cluster operator") as operator,
    ):
        filling = Filling(relay, rows)
        state = await filling.make()
        async with running(filling.fill(state.epoch)) as work:
            for number in range(kills):
                leader = (await _settled(operator)).leader
                due = (number + chance.uniform(0.1, 0.5)) * messages / kills
                filling.allow(messages * (number + 1) // kills)
                await _until(filling, due)
                assert not work.done(), work
                cluster.kill(leader)
                assert filling.acknowledged < messages * (number + 1) // kills, "killed after the window"
                killed.append(leader)
                await _settled(operator, without=leader)
                cluster.start(leader)
            await asyncio.wait_for(work, _WITHIN_S)
        await _compare(relay, rows)
    seconds = round(time.monotonic() - began, 1)
    return ClusterReport(seed, messages, WINDOW, tuple(killed), filling.windows, seconds)


def made_rows(count: int) -> list[Row]:
    """Rows of real matches, as a log would hold them."""
    new = (row for rows in many_matches() for row in rows)
    return [
        Row(
            position,
            row.match,
            row.version,
            row.tag,
            row.body,
            row_digest(position, row.match, row.version, row.tag, row.body),
        )
        for position, row in enumerate(islice(new, count), 1)
    ]


async def _until(filling: Filling, due: float) -> None:
    await eventually(lambda: filling.acknowledged >= due, within_s=_WITHIN_S, what=f"{due:.0f} acknowledged")


async def _settled(connection: NatsConnection, without: str = "") -> _Group:
    """The stream's group once it has a leader; and, unless one is to be missing, all are current."""
    patience = Patience(_WITHIN_S)
    while True:
        trouble: Exception = NatsAway("the stream's replicas are not current")
        try:
            group = (await connection.ask("STREAM.INFO.GONGZHU", None, _Info)).cluster or _Group()
            whole = len(group.replicas) == SERVERS - 1 and all(peer.current for peer in group.replicas)
            if group.leader and (group.leader != without if without else whole):
                return group
        except _AWAY as away:
            trouble = away
        await patience.wait(trouble)


async def _compare(connection: NatsConnection, rows: Sequence[Row]) -> None:
    stream = FeedStream(connection, "main")
    state = await stream.state()
    assert state is not None
    assert (state.first, state.last, state.messages) == (1, len(rows), len(rows))
    for start in range(0, len(rows), 1000):
        some = rows[start : start + 1000]
        found = await stream.messages(some[0].position, some[-1].position)
        assert [(one.sequence, one.body) for one in found if one] == [(r.position, r.public) for r in some]


def main(arguments: list[str]) -> int:
    """The command: a cluster of its own, a seed that is printed, and the report."""
    parser = argparse.ArgumentParser(prog="./dev chaos cluster", description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 31))
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="gongzhu-chaos-") as folder,
        NatsCluster(Path(folder)) as cluster,
    ):
        report = asyncio.run(run(cluster, messages=options.messages, kills=options.kills, seed=options.seed))
    print(msgspec.json.format(msgspec.json.encode(report)).decode())
    return 0
