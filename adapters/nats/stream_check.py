"""Makes the stream of a log's feed where there is none, and says of one that is there what is not as it has to be."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.nats.connection import NatsConnection
from adapters.nats.stream import FeedStream, configuration, stream_name
from adapters.randomness import Randomness

_LATER: Final = ("num_replicas", "description")
"""What can be changed while a stream is in use, and changes nothing of what it holds."""
_NEVER: Final = ("mirror", "sources", "subject_transform", "republish", "sealed")
"""What would put other messages into the stream, or keep ours out; not set."""


class Difference(msgspec.Struct, frozen=True):
    """One thing about a stream that is not as it has to be."""

    what: str
    wanted: Any
    found: Any


class StreamReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a stream was found and what was done. `behind`: servers of the cluster that do not have all of it."""

    stream: str
    created: bool
    epoch: str
    messages: int
    last: int
    replicas: int
    changed: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    behind: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the stream is as it has to be."""
        return not self.differences and not self.behind


class _State(msgspec.Struct):
    messages: int
    last_seq: int


class _Peer(msgspec.Struct):
    name: str
    current: bool = False
    offline: bool = False


class _Cluster(msgspec.Struct):
    leader: str = ""
    replicas: list[_Peer] = []


class _Info(msgspec.Struct):
    config: dict[str, Any]
    state: _State
    cluster: _Cluster | None = None


class _Names(msgspec.Struct):
    streams: list[str] | None = None


async def ensure_stream(
    connection: NatsConnection, log: str, randomness: Randomness, replicas: int | None = None
) -> StreamReport:
    """The stream of a log, made with a new epoch where there is none; how it is.

    `replicas`: how many servers are to hold it; None leaves that as it is (1 in a new one). Nothing else of a stream
    that is there is changed but what it is called. Raises `JetStreamRefused` (as where there are too few servers),
    `Denied`, `NatsAway`.
    """
    created = await _is_missing(connection, log)
    if created:
        await FeedStream(connection, log, replicas=replicas or 1).create(randomness)
    info = await _info(connection, log)
    wanted = _wanted(info, log, replicas)
    changed = [what for what in _LATER if info.config.get(what) != wanted[what]]
    if changed:
        newer = {**info.config, **{what: wanted[what] for what in changed}}
        info = await connection.ask(f"STREAM.UPDATE.{stream_name(log)}", newer, _Info)
    return _report(info, wanted, created=created, changed=changed)


async def _is_missing(connection: NatsConnection, log: str) -> bool:
    names = await connection.ask("STREAM.NAMES", None, _Names)
    return stream_name(log) not in (names.streams or ())


async def _info(connection: NatsConnection, log: str) -> _Info:
    return await connection.ask(f"STREAM.INFO.{stream_name(log)}", None, _Info)


def _wanted(info: _Info, log: str, replicas: int | None) -> dict[str, Any]:
    """The configuration this stream has to have; its epoch is its own."""
    return configuration(log, _epoch(info), replicas or info.config.get("num_replicas", 1))


def _epoch(info: _Info) -> str:
    return str((info.config.get("metadata") or {}).get("gongzhu.epoch", ""))


def _report(info: _Info, wanted: Mapping[str, Any], *, created: bool, changed: list[str]) -> StreamReport:
    return StreamReport(
        stream=str(info.config["name"]),
        created=created,
        epoch=_epoch(info),
        messages=info.state.messages,
        last=info.state.last_seq,
        replicas=int(info.config.get("num_replicas", 1)),
        changed=tuple(changed),
        differences=tuple(_differences(info, wanted)),
        behind=tuple(_behind(info)),
    )


def _differences(info: _Info, wanted: Mapping[str, Any]) -> list[Difference]:
    found, metadata = info.config, info.config.get("metadata") or {}
    # What is not set at all means nothing: 0, false, no text.
    pairs = [
        (what, value, found.get(what, type(value)())) for what, value in wanted.items() if what != "metadata"
    ]
    pairs.append(("metadata gongzhu.log", wanted["metadata"]["gongzhu.log"], metadata.get("gongzhu.log")))
    pairs += [(what, None, found[what]) for what in _NEVER if found.get(what)]
    pairs.append(("messages", info.state.last_seq, info.state.messages))
    if not _epoch(info):
        pairs.append(("metadata gongzhu.epoch", "an epoch", None))
    return [Difference(what, value, is_) for what, value, is_ in pairs if value != is_]


def _behind(info: _Info) -> list[str]:
    peers = info.cluster.replicas if info.cluster is not None else []
    wanted = int(info.config.get("num_replicas", 1))
    missing = max(wanted - 1 - len(peers), 0)
    return [peer.name for peer in peers if peer.offline or not peer.current] + ["(not placed yet)"] * missing
