"""The JetStream stream of a log's feed: how it is made, and how it stands (design §5).

Its sequence is the log's position, always: every position is one message. So it keeps everything, refuses rather than
drops, and lets nobody purge or delete messages. Each stream has an epoch, drawn when it was made, in its metadata: a
consumer that finds another epoch reads another stream.
"""

import asyncio
import base64
from typing import Any, Final

import msgspec

from adapters.nats.connection import JetStreamRefused, NatsConnection
from adapters.nats.headers import parse_headers
from adapters.randomness import Randomness
from domain.errors import GongzhuError

MAIN: Final = "main"
_NO_STREAM: Final = 10059
_NO_MESSAGE: Final = 10037
_NAME_TAKEN: Final = 10058
_EPOCH_BYTES: Final = 8
_AT_ONCE: Final = 128

REBUILD_FEED: Final = "run `gongzhu feed rebuild`"


class FeedBroken(GongzhuError):
    """The stream cannot be the feed of this log; nothing more may be published or applied. Says what to do."""


class StreamState(msgspec.Struct, frozen=True):
    """How a stream stands. `messages` is less than `last` where some are missing."""

    epoch: str
    first: int
    last: int
    messages: int


class StoredMessage(msgspec.Struct, frozen=True):
    """One message as the stream holds it."""

    sequence: int
    subject: str
    headers: dict[str, str]
    body: bytes


class _Config(msgspec.Struct):
    name: str
    subjects: list[str]
    metadata: dict[str, str] = {}
    retention: str = "limits"
    discard: str = "old"
    max_msgs: int = -1
    max_bytes: int = -1
    max_age: int = 0
    max_msgs_per_subject: int = -1
    deny_delete: bool = False
    deny_purge: bool = False


class _State(msgspec.Struct):
    messages: int
    first_seq: int
    last_seq: int


class _Info(msgspec.Struct):
    config: _Config
    state: _State


class _Message(msgspec.Struct):
    subject: str
    seq: int
    hdrs: str = ""
    data: str = ""


class _MessageAnswer(msgspec.Struct):
    message: _Message


class _Done(msgspec.Struct):
    success: bool = True


def stream_name(log: str) -> str:
    """The stream of a log's feed."""
    return "GONGZHU" if log == MAIN else f"GONGZHU_{log}"


def subject_prefix(log: str) -> str:
    """What a log's subjects begin with; match id and event type follow, as in `gongzhu.v1.<match>.CardsPlayed`.

    Logs of other names have a prefix of their own, since no two streams may take the same subject.
    """
    return "gongzhu.v1" if log == MAIN else f"gongzhu.v1-{log}"


def configuration(log: str, epoch: str, replicas: int) -> dict[str, Any]:
    """How the stream of a log's feed is made, as JetStream takes it."""
    return {
        "name": stream_name(log),
        "description": f"Events of the match log {log}, in order; sequence = position",
        "subjects": [f"{subject_prefix(log)}.>"],
        "storage": "file",
        "num_replicas": replicas,
        "retention": "limits",
        "discard": "new",
        "max_consumers": -1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "max_msgs_per_subject": -1,
        "max_msg_size": -1,
        "deny_delete": True,
        "deny_purge": True,
        "metadata": {"gongzhu.epoch": epoch, "gongzhu.log": log},
    }


class FeedStream:
    """The stream of one log's feed, over a connection."""

    def __init__(self, connection: NatsConnection, log: str, *, replicas: int = 1) -> None:
        self._connection = connection
        self._log = log
        self._replicas = replicas
        self.name = stream_name(log)

    async def state(self) -> StreamState | None:
        """How the stream stands, None where there is none. Raises `FeedBroken` where it cannot be this log's feed."""
        try:
            info = await self._connection.ask(f"STREAM.INFO.{self.name}", None, _Info)
        except JetStreamRefused as refused:
            if refused.code == _NO_STREAM:
                return None
            raise
        return self._checked(info)

    async def create(self, randomness: Randomness) -> StreamState:
        """The stream, made with a new epoch; the one that someone else has just made, if so."""
        try:
            info = await self._connection.ask(
                f"STREAM.CREATE.{self.name}", self._configuration(randomness.bytes(_EPOCH_BYTES).hex()), _Info
            )
        except JetStreamRefused as refused:
            made = await self.state() if refused.code == _NAME_TAKEN else None
            if made is None:
                raise
            return made
        return self._checked(info)

    async def delete(self) -> None:
        """Removes the stream with its messages; nothing happens where there is none."""
        try:
            await self._connection.ask(f"STREAM.DELETE.{self.name}", None, _Done)
        except JetStreamRefused as refused:
            if refused.code != _NO_STREAM:
                raise

    async def message(self, sequence: int) -> StoredMessage | None:
        """The message at a sequence, None where the stream holds none there."""
        try:
            answer = await self._connection.ask(
                f"STREAM.MSG.GET.{self.name}", {"seq": sequence}, _MessageAnswer
            )
        except JetStreamRefused as refused:
            if refused.code in (_NO_MESSAGE, _NO_STREAM):
                return None
            raise
        found = answer.message
        headers = parse_headers(base64.b64decode(found.hdrs))
        return StoredMessage(found.seq, found.subject, headers, base64.b64decode(found.data))

    async def messages(self, first: int, last: int) -> list[StoredMessage | None]:
        """The messages at these sequences, both included, None where the stream holds none."""
        found: list[StoredMessage | None] = []
        for start in range(first, last + 1, _AT_ONCE):
            some = range(start, min(start + _AT_ONCE, last + 1))
            found += await asyncio.gather(*[self.message(sequence) for sequence in some])
        return found

    def _configuration(self, epoch: str) -> dict[str, Any]:
        return configuration(self._log, epoch, self._replicas)

    def _checked(self, info: _Info) -> StreamState:
        """The state of a stream that is configured as a feed has to be."""
        config = info.config
        epoch = config.metadata.get("gongzhu.epoch", "")
        wrong = [
            text
            for text, is_wrong in (
                ("it has no epoch", not epoch),
                (f"it is of the log {config.metadata.get('gongzhu.log')}", self._is_of_another_log(config)),
                ("it drops messages", config.retention != "limits" or config.discard != "new"),
                ("it has limits", (config.max_msgs, config.max_bytes, config.max_age) != (-1, -1, 0)),
                ("it keeps only some of a subject", config.max_msgs_per_subject != -1),
                ("its messages can be deleted", not (config.deny_delete and config.deny_purge)),
            )
            if is_wrong
        ]
        if wrong:
            raise FeedBroken(f"the stream {self.name} cannot be a feed: {', '.join(wrong)}; {REBUILD_FEED}")
        return StreamState(epoch, info.state.first_seq, info.state.last_seq, info.state.messages)

    def _is_of_another_log(self, config: _Config) -> bool:
        return config.metadata.get("gongzhu.log") != self._log or config.subjects != [
            f"{subject_prefix(self._log)}.>"
        ]
