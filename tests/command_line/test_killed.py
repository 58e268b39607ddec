"""`demo` killed with -9 at any moment: nothing acknowledged is lost, and the next run goes on (P1, P4)."""

import random
import signal
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from adapters import embedded
from adapters.settings import read
from tests.support.commands import server_pids
from tests.support.gongzhu import gongzhu_over
from tests.support.read_models import PROJECTIONS, folded
from tests.support.read_models import stored as rows_stored
from tests.support.stored_matches import log_messages
from tests.support.waiting import eventually


def acknowledged(path: Path) -> dict[UUID, int]:
    """The highest acknowledged version of each match."""
    highest: dict[UUID, int] = {}
    for line in path.read_text().splitlines():
        match, version = line.split()
        highest[UUID(match)] = max(highest.get(UUID(match), 0), int(version))
    return highest


def kill_and_check(data: Path, acks: Path, chance: random.Random) -> None:
    """Starts the demo, kills it after a random number of acknowledgements, and runs it again to its end."""
    with gongzhu_over(data) as gongzhu:
        before = len(acks.read_text().splitlines()) if acks.exists() else 0
        wanted = before + chance.randrange(1, 400)
        process = gongzhu.start("demo", "--acks", str(acks))
        eventually(
            lambda: (
                (acks.exists() and len(acks.read_text().splitlines()) >= wanted) or process.poll() is not None
            ),
            within_s=120,
            what="acknowledgements",
        )
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGKILL)
        process.wait()
        eventually(lambda: not server_pids(data), what="no server outlives its owner")
        gongzhu.run("demo", "--acks", str(acks))
    check(data, acks)


def check(data: Path, acks: Path) -> None:
    """Every acknowledged version is in the log, and read models equal those rebuilt from it."""
    with embedded.servers(read(data=data, environment={}), role="check") as servers:
        with psycopg.connect(servers.database_url) as connection:
            stored: dict[UUID, int] = dict(
                connection.execute("SELECT match, max(version) FROM log.events GROUP BY match").fetchall()
            )
            positions = connection.execute("SELECT count(*), max(position) FROM log.events").fetchone()
        assert positions is not None
        assert positions[0] == positions[1]
        for match, version in acknowledged(acks).items():
            assert stored.get(match, 0) >= version, f"match {match}: version {version} was acknowledged"
        with psycopg.connect(servers.database_url, autocommit=True) as connection:
            messages = log_messages(connection)
            for projection in PROJECTIONS:
                assert rows_stored(connection, projection) == folded(projection, messages), projection.name


def test_demo_killed_at_a_random_moment_goes_on_and_has_lost_nothing(tmp_path: Path) -> None:
    kill_and_check(tmp_path / "data", tmp_path / "acks", random.Random(20261129))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_demo_killed_three_times_in_a_row_goes_on_and_has_lost_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        kill_and_check(tmp_path / "data", tmp_path / "acks", chance)
