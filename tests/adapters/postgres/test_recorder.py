"""Our recorders hold what the library expects of recorders: its own test cases, run on them."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import AggregateRecorder
from eventsourcing.tests.persistence import (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    NonInterleavingNotificationIDsBaseCase,
)
from psycopg_pool import ConnectionPool

from adapters.postgres.recorder import MatchRecorder, SnapshotRecorder, open_pool


class _WithPool:
    pool: ConnectionPool[psycopg.Connection[Any]]

    @pytest.fixture(autouse=True)
    def _open_pool(self, database_url: str) -> Iterator[None]:
        self.pool = open_pool(database_url, most=12)
        with self.pool:
            yield


class TestMatchRecorder(_WithPool, ApplicationRecorderTestCase[MatchRecorder]):
    def create_recorder(self) -> MatchRecorder:
        return MatchRecorder(self.pool)

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestNonInterleavingPositions(_WithPool, NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self) -> MatchRecorder:
        return MatchRecorder(self.pool)


class TestSnapshotRecorder(_WithPool, AggregateRecorderTestCase):
    def create_recorder(self) -> AggregateRecorder:
        return SnapshotRecorder(self.pool)
