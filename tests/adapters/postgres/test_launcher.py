"""A PostgreSQL server in a folder: whatever was left there, it starts, or says why not."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters import processes
from adapters.errors import ServersUnavailable
from adapters.postgres import account
from adapters.postgres.launcher import PostgresServer
from tests.support.waiting import eventually

FAST = {"fsync": "off"}


@pytest.fixture
def folder(data_root: Path) -> Path:
    parent = data_root / f"launcher-{len(list(data_root.iterdir()))}"
    parent.mkdir(mode=0o700)
    return parent / "postgres"


@pytest.fixture
def server(folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(folder, settings=FAST)
    try:
        yield server
    finally:
        server.stop()


def _asks_for_a_password(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError as error:
        return "password" in str(error)
    return False


def _store(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")


def _stored(url: str) -> object:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT number FROM kept").fetchall()


def test_server_asks_for_its_password_and_listens_on_loopback_only(postgres_server: PostgresServer) -> None:
    url = postgres_server.url
    password = url.split(":")[2].split("@")[0]
    assert _asks_for_a_password(url.replace(password, "wrong"))
    assert _asks_for_a_password(url.replace(f":{password}", ""))
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)


def test_server_starts_again_after_a_power_cut(server: PostgresServer) -> None:
    server.start()
    _store(server.url)
    server.kill()
    server.start()
    assert _stored(server.url) == [(7,)]


def test_pid_file_with_the_number_of_another_program_is_not_believed(server: PostgresServer) -> None:
    server.start()
    server.kill()
    pid_file = server.cluster / "postmaster.pid"
    with subprocess.Popen(["sleep", "60"]) as another:
        lines = pid_file.read_text().splitlines()
        pid_file.write_text("\n".join([str(another.pid), *lines[1:]]) + "\n")
        server.start()
        assert another.poll() is None
        another.kill()


def test_server_left_by_a_dead_owner_is_ended_first(folder: Path, server: PostgresServer) -> None:
    server.start()
    _store(server.url)
    orphan, server._process = server._process, None
    assert orphan is not None
    successor = PostgresServer(folder, settings=FAST)
    try:
        successor.start()
        assert _stored(successor.url) == [(7,)]
        assert orphan.wait() == 0
    finally:
        successor.stop()


def test_half_made_cluster_is_made_anew(folder: Path, server: PostgresServer) -> None:
    broken = folder / "cluster-new-0000"
    broken.mkdir(parents=True)
    (broken / "PG_VERSION").write_text("18\n")
    server.start()
    assert not broken.exists()


def test_wanted_port_that_is_taken_is_an_error_with_the_logs_word(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = PostgresServer(folder, port=taken.getsockname()[1], settings=FAST)
        with pytest.raises(ServersUnavailable, match=f"PostgreSQL in {folder}: it ended at once.*could not"):
            server.start()


def test_server_comes_back_at_its_port(folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = PostgresServer(folder, port=port, settings=FAST)
    try:
        server.start()
        before = server.url
        server.kill()
        server.start()
        assert server.url == before
        assert f":{port}/" in before
    finally:
        server.stop()


def test_stop_does_not_wait_for_clients(server: PostgresServer) -> None:
    server.start()
    with psycopg.connect(server.url) as idle:
        pid = server.pid
        server.stop()
        assert processes.started_at(pid) is None
        with pytest.raises(psycopg.OperationalError):
            idle.execute("SELECT 1")
        idle.close()


def test_sessions_that_outlive_their_server_are_waited_for(server: PostgresServer) -> None:
    server.start()
    with psycopg.connect(server.url) as client:
        backend = client.info.backend_pid
        os.kill(backend, signal.SIGSTOP)
        server.kill()
        try:
            with pytest.raises(ServersUnavailable, match="still in use"):
                server.start(within_s=0.5)
        finally:
            os.kill(backend, signal.SIGCONT)
        eventually(lambda: processes.started_at(backend) is None, what="the session ends")
        server.start()
        client.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs a stand-in")
def test_root_without_user_namespaces_runs_it_as_an_unprivileged_account(
    folder: Path, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.parents[1].chmod(0o711)
    monkeypatch.setattr(account, "_namespaces_allowed", lambda _account: False)
    for _ in range(2):
        server.start()
        assert Path(f"/proc/{server.pid}").stat().st_uid == folder.stat().st_uid != 0
        server.stop()
        monkeypatch.undo()  # the cluster stays with the account that made it


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs a stand-in")
def test_folder_the_unprivileged_account_cannot_reach_is_an_error(
    folder: Path, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.parents[1].chmod(0o700)
    monkeypatch.setattr(account, "_namespaces_allowed", lambda _account: False)
    with pytest.raises(ServersUnavailable, match=r"cannot reach .*set GONGZHU_DATA"):
        server.start()
