"""The match log as an application of the `eventsourcing` library: its mapper, its snapshots, its repository.

The library keeps the sequence of events of each aggregate and rebuilds a match from its newest snapshot; what a row
looks like is decided in `serialization`, how rows are inserted and read in `postgres.recorder`. Snapshots are a
convenience: one that this process cannot open, or of another form of the state, is passed over.
"""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final
from uuid import UUID

import msgspec
import psycopg
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import (
    EventStore,
    IntegrityError,
    JSONTranscoder,
    Mapper,
    Notification,
    StoredEvent,
)
from eventsourcing.utils import Environment
from msgspec import structs
from psycopg_pool import ConnectionPool

from adapters.postgres.recorder import MatchRecorder, SnapshotRecorder
from adapters.sealing import Sealer
from adapters.serialization import decode_body, encode_body, tag_of
from domain.declarations import Declaration
from domain.errors import MatchNotOpen
from domain.events import Event, HandEnded, MatchOpened
from domain.match import Hand, Match, Play, evolve
from domain.rulesets import Ruleset

_STATE_REVISION: Final = 1
"""To be raised when `evolve` changes what it makes of the same events without changing the state's shape."""

_STATE_PARTS: Final = (Match, Hand, Play, Declaration, MatchOpened, HandEnded, Ruleset)
"""What a state is made of; a change of any field is another form."""

_STATE_ENCODER: Final = msgspec.json.Encoder()
_STATE_DECODER: Final = msgspec.json.Decoder(Match)


class Snapshot(msgspec.Struct, frozen=True):
    """The state of a match after its `version`-th event."""

    match: Match

    @property
    def originator_id(self) -> UUID:
        """The match, as the library calls it."""
        return self.match.id

    @property
    def originator_version(self) -> int:
        """The version, as the library calls it."""
        return self.match.version


class MatchMapper(Mapper[UUID]):
    """Domain events to rows and back; secrets are sealed on the way in, and opened where the key is here."""

    def __init__(self, sealer: Sealer) -> None:
        super().__init__(transcoder=JSONTranscoder())
        self._sealer = sealer

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        """The row of an event."""
        event: Event = domain_event
        return StoredEvent(event.match, event.version, tag_of(event), encode_body(event, self._sealer))

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        """The event of a row. Raises `BrokenLog`."""
        match = UUID(str(stored_event.originator_id))
        version, tag = stored_event.originator_version, stored_event.topic
        position = stored_event.id if isinstance(stored_event, Notification) else None
        return decode_body(tag, stored_event.state, match, version, self._sealer, position)


class MatchStore(EventStore[UUID]):
    """Reads events straight from rows: a match of 1,500 events is not worth 1,500 objects in between."""

    def __init__(self, mapper: Mapper[UUID], recorder: MatchRecorder, sealer: Sealer) -> None:
        super().__init__(mapper, recorder)
        self._rows = recorder.select_rows
        self._sealer = sealer

    def get(
        self,
        originator_id: UUID,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Iterator[Any]:
        """The events of a match. Raises `BrokenLog` naming the row that is broken."""
        sealer = self._sealer
        for version, tag, body, position in self._rows(originator_id, gt=gt, lte=lte, desc=desc, limit=limit):
            yield decode_body(tag, body, originator_id, version, sealer, position)


class SnapshotMapper(Mapper[UUID]):
    """Snapshots to rows and back, sealed whole."""

    def __init__(self, sealer: Sealer) -> None:
        super().__init__(transcoder=JSONTranscoder())
        self._sealer = sealer

    @cached_property
    def tag(self) -> str:
        """Names the form of the state: a snapshot of another form is not read."""
        fields = [
            f"{part.__name__}.{field.name}: {field.type}"
            for part in _STATE_PARTS
            for field in structs.fields(part)
        ]
        return f"Match.{_STATE_REVISION}-{hashlib.sha256(repr(fields).encode()).hexdigest()[:12]}"

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        """The row of a snapshot."""
        match: Match = domain_event.match
        sealed = self._sealer.seal_snapshot(_STATE_ENCODER.encode(match), match.id, match.version, self.tag)
        return StoredEvent(match.id, match.version, self.tag, sealed)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        """The snapshot of a row, or None where it cannot be used here."""
        match, version = UUID(str(stored_event.originator_id)), stored_event.originator_version
        if stored_event.topic != self.tag:
            return None
        state = self._sealer.open_snapshot(stored_event.state, match, version, self.tag)
        return None if state is None else Snapshot(_STATE_DECODER.decode(state))


class SnapshotStore(EventStore[UUID]):
    """Passes over snapshots that cannot be used here, so that the match is rebuilt from its events."""

    def get(self, originator_id: UUID, **criteria: Any) -> Iterator[Any]:
        """The usable snapshots among those asked for."""
        found: Iterator[Any] = super().get(originator_id, **criteria)
        return (snapshot for snapshot in found if snapshot is not None)


class MatchLog(Application[UUID]):
    """The log of all matches: every event of each, and each match as it stands."""

    name = "gongzhu"
    is_snapshotting_enabled = True

    def __init__(self, pool: ConnectionPool[psycopg.Connection[Any]], sealer: Sealer) -> None:
        self._pool = pool
        self._sealer = sealer
        super().__init__()

    def construct_env(self, name: str, env: Any = None) -> Environment:
        """The library's settings; those of the process environment are not read."""
        return Environment(name, {"IS_SNAPSHOTTING_ENABLED": "y", **(env or {})})

    def construct_mapper(self) -> Mapper[UUID]:
        """Our mapper."""
        return MatchMapper(self._sealer)

    def construct_recorder(self) -> MatchRecorder:
        """Our recorder."""
        return MatchRecorder(self._pool)

    def construct_event_store(self) -> EventStore[UUID]:
        """The store of events."""
        assert isinstance(self.recorder, MatchRecorder), "made above"
        return MatchStore(self.mapper, self.recorder, self._sealer)

    def construct_snapshot_store(self) -> EventStore[UUID]:
        """The store of snapshots."""
        return SnapshotStore(SnapshotMapper(self._sealer), SnapshotRecorder(self._pool))

    @property
    def pool(self) -> ConnectionPool[psycopg.Connection[Any]]:
        """The connections this log reads through."""
        return self._pool

    def events_of(self, match: UUID, *, after: int = 0, until: int | None = None) -> list[Event]:
        """The events of a match, with secrets where the key is here; empty where there is no such match."""
        return list(self.events.get(match, gt=after, lte=until))  # type: ignore[arg-type]

    def match(self, match: UUID) -> Match:
        """The match as it stands, from its newest snapshot and the events since. Raises `MatchNotOpen`."""
        try:
            found: Match = self.repository.get(match, projector_func=_PROJECTOR)
        except AggregateNotFoundError:
            raise MatchNotOpen(match=match) from None
        return found

    def match_from_events(self, match: UUID) -> Match:
        """The match from its events alone. Raises `MatchNotOpen`."""
        state = _project(None, self.events_of(match))
        if state is None:
            raise MatchNotOpen(match=match)
        return state

    def caught_up(self, match: Match) -> Match:
        """A match as it stands now, from one as it stood."""
        return _project(match, self.events_of(match.id, after=match.version)) or match

    def keep_snapshot(self, match: Match) -> None:
        """Keep this state; one of the same version that is there already does as well."""
        if self.snapshots is None:
            return
        try:
            self.snapshots.put([Snapshot(match)])
        except IntegrityError:
            return


def _project(match: Match | None, history: Iterable[Event | Snapshot]) -> Match | None:
    for item in history:
        match = item.match if isinstance(item, Snapshot) else evolve(match, item)
    return match


_PROJECTOR: Final[Any] = _project
"""`_project`, as the library's types want a projector: it knows our events only as objects."""
