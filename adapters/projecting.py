"""A worker that keeps one projection up to date: from the stream into its read model (design §6).

Where it stands is in the read model alone. When it begins, and after every interruption or new stream, it compares the
message at its checkpoint in log and stream with what it applied there; what does not agree stops it, red, with the
command that puts it right. Several workers on one projection do no harm: each message is applied once.
"""

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from adapters.health import Health, Patience
from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection
from adapters.nats.consumer import FeedConsumer
from adapters.nats.headers import ROW_DIGEST
from adapters.nats.shared_reading import FeedReader, SharedFeed
from adapters.nats.stream import REBUILD_FEED, FeedBroken, FeedStream
from adapters.postgres import generations, projection_store
from adapters.postgres.projection_store import GenerationReplaced, ProjectionStore
from adapters.postgres.read_models import translated_errors
from projections.checkpoints import Checkpoint
from projections.messages import Message
from projections.read_model import RowsUnavailable
from projections.runner import Projection, ProjectionStopped

_BATCH: Final = 1000
_IDLE_S: Final = 2.0

P = ParamSpec("P")
T = TypeVar("T")


class _FeedBehind(Exception):
    """The stream does not hold the message at the checkpoint yet; the relay fills it."""


class ProjectionWorker:
    """Applies one projection of one log. `health` says how it is: red after `ProjectionStopped` or `FeedBroken`."""

    def __init__(
        self,
        projection: Projection,
        database_url: str,
        connection: NatsConnection,
        log: str,
        *,
        shared: SharedFeed | None = None,
        health: Health | None = None,
        patience_s: float = 60.0,
    ) -> None:
        """`shared`: reads what other workers read too, through one consumer."""
        self._projection = projection
        self._database_url = database_url
        self._connection = connection
        self._log = log
        self._stream = FeedStream(connection, log)
        self._shared = shared
        self._patience_s = patience_s
        self.health = health or Health(projection.name)

    async def run(self, until: int | None = None) -> None:
        """Applies what comes; returns once the projection stands at `until`.

        Raises `ProjectionStopped` or `FeedBroken` (and is red then), and `ServersUnavailable`: NATS has closed the
        connection for good, or it waits for `until` and a server stays away for `patience_s`.
        """
        patience = Patience(None if until is None else self._patience_s)
        while True:
            try:
                return await self._work(until, patience)
            except GenerationReplaced:
                continue
            except (RowsUnavailable, NatsAway, JetStreamRefused, _FeedBehind) as trouble:
                self.health.wait_for(str(trouble))
                self._connection.check_open()
                await patience.wait(trouble)
            except (ProjectionStopped, FeedBroken) as stopped:
                self.health.stop(str(stopped))
                raise

    def check_open(self) -> None:
        """Raises `ServersUnavailable` where its connection will not come back by itself."""
        self._connection.check_open()

    async def _work(self, until: int | None, patience: Patience) -> None:
        opening = asyncio.ensure_future(asyncio.to_thread(self._open))
        try:
            store = await asyncio.shield(opening)
        except asyncio.CancelledError:
            (opened,) = await asyncio.gather(opening, return_exceptions=True)
            if isinstance(opened, ProjectionStore):
                opened.close()
            raise
        consumer = self._shared.reader() if self._shared else FeedConsumer(self._connection, self._log)
        try:
            await self._follow(store, consumer, until, patience)
        finally:
            store.close()
            await consumer.close()

    def _open(self) -> ProjectionStore:
        connection = projection_store.connect(self._database_url)
        try:
            with translated_errors():
                generation = generations.open_live(connection, self._projection, self._log)
        except BaseException:
            connection.close()
            raise
        return ProjectionStore(connection, self._projection, generation, self._log)

    async def _follow(
        self,
        store: ProjectionStore,
        consumer: FeedConsumer | FeedReader,
        until: int | None,
        patience: Patience,
    ) -> None:
        """Applies batch after batch."""
        checkpoint = await _in_thread(store.checkpoint)
        compared = -1
        while until is None or checkpoint.position < until:
            if compared != self._connection.interruptions:
                interruptions = self._connection.interruptions
                await self._compare(store, checkpoint)
                compared = interruptions
            self.health.work_at(checkpoint.position)
            messages = await consumer.after(checkpoint.position, _BATCH, _IDLE_S)
            if not messages:
                checkpoint = await _in_thread(self._look_around, store)
            elif _is_of_new_stream(messages[0], checkpoint):
                await self._compare(store, checkpoint)
                checkpoint = await self._apply(store, messages)
            else:
                checkpoint = await self._apply(store, messages)
            patience.renew()
        self.health.work_at(checkpoint.position)

    async def _apply(self, store: ProjectionStore, messages: list[Message]) -> Checkpoint:
        return (await _in_thread(store.apply, messages)).checkpoint

    def _look_around(self, store: ProjectionStore) -> Checkpoint:
        """Where the projection stands when nothing comes: others may have moved it, or the log may be another."""
        checkpoint = store.checkpoint()
        self._check_log(store, checkpoint)
        store.check_generation()
        return checkpoint

    async def _compare(self, store: ProjectionStore, checkpoint: Checkpoint) -> None:
        """Raises `ProjectionStopped` or `FeedBroken` where log and stream do not hold what was applied last."""
        if checkpoint.position == 0:
            return
        await _in_thread(self._check_log, store, checkpoint)
        state = await self._stream.state()
        if state is None or state.last < checkpoint.position:
            raise _FeedBehind(f"the stream has not reached position {checkpoint.position} yet")
        message = await self._stream.message(checkpoint.position)
        digest = message.headers.get(ROW_DIGEST, "") if message is not None else ""
        if checkpoint.digest is None or digest != checkpoint.digest.hex():
            what = "lacks" if message is None else "has another"
            raise FeedBroken(
                f"the stream {self._stream.name} {what} message {checkpoint.position}, which "
                f"{self._projection.name} has applied as the log holds it; {REBUILD_FEED}"
            )

    def _check_log(self, store: ProjectionStore, checkpoint: Checkpoint) -> None:
        if checkpoint.position == 0:
            return
        digest = store.digest_in_log(checkpoint.position)
        if digest == checkpoint.digest:
            return
        what = "the log ends before it" if digest is None else "the log has another event there"
        raise ProjectionStopped(
            self._projection.name,
            f"its checkpoint is not of this log: {what}; run `gongzhu projections rebuild {self._projection.name}`",
            position=checkpoint.position,
        )


def _is_of_new_stream(message: Message, checkpoint: Checkpoint) -> bool:
    """Whether a message comes from another stream than the last one applied did."""
    return checkpoint.position > 0 and message.epoch != checkpoint.epoch


async def _in_thread(do: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Does it beside the event loop. Cancelled, it still waits for the end: a transaction is not left half way."""
    working = asyncio.ensure_future(asyncio.to_thread(do, *arguments, **options))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.gather(working, return_exceptions=True)
        raise
