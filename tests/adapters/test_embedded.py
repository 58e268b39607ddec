"""Who runs the servers of a data folder, who uses them, and what is left when someone is killed."""

import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters import embedded, settings
from adapters.errors import AlreadyServed, ServersUnavailable
from tests.support.commands import Command, Starter, commands, server_pids
from tests.support.waiting import eventually


@pytest.fixture
def data(data_root: Path) -> Path:
    return data_root / f"data-{threading.get_native_id()}-{len(list(data_root.iterdir()))}"


@pytest.fixture
def start(data: Path, tmp_path: Path) -> Iterator[Starter]:
    with commands(data, tmp_path) as starter:
        yield starter


def _settings(data: Path, **urls: str) -> settings.Settings:
    return settings.read(data=data, environment={}, **urls)


def _value(url: str, query: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def _killed(command: Command) -> None:
    command.send(signal.SIGKILL)
    assert command.exit_code() == -signal.SIGKILL


def test_first_command_runs_the_servers_and_stops_them(data: Path) -> None:
    with embedded.servers(_settings(data), role="play") as servers:
        assert servers.owner
        assert servers.data == data
        assert _value(servers.database_url, "SELECT current_database()") == "gongzhu"
        assert len(server_pids(data)) == 2
    assert server_pids(data) == []
    assert not (data / "owner.json").exists()


def test_what_was_stored_is_there_the_next_time(data: Path) -> None:
    with embedded.servers(_settings(data), role="play") as servers:
        _value(servers.database_url, "CREATE TABLE kept AS SELECT 7 AS number")
    with embedded.servers(_settings(data), role="play") as servers:
        assert _value(servers.database_url, "SELECT number FROM kept") == 7


def test_database_stores_durably_and_in_unicode(data: Path) -> None:
    with embedded.servers(_settings(data), role="play") as servers:
        assert _value(servers.database_url, "SHOW fsync") == "on"
        assert _value(servers.database_url, "SHOW synchronous_commit") == "on"
        assert _value(servers.database_url, "SELECT '拱猪' || '!'") == "拱猪!"


def test_second_serve_is_refused_with_process_and_folder(data: Path, start: Starter) -> None:
    first = start("serve")
    first.servers()
    with (
        pytest.raises(AlreadyServed, match=f"{data} is served already, by process {first.process.pid}"),
        embedded.servers(_settings(data), role="serve"),
    ):
        pass
    assert first.end() == 0


def test_serve_is_refused_while_play_runs_the_servers(data: Path, start: Starter) -> None:
    first = start("play")
    first.servers()
    expected = (
        rf"play \(process {first.process.pid}\) runs the servers of {data}; try again when it has ended"
    )
    with (
        pytest.raises(AlreadyServed, match=expected),
        embedded.servers(_settings(data), role="serve"),
    ):
        pass


def test_second_command_uses_the_servers_of_the_first(data: Path, start: Starter) -> None:
    owned = start("serve").servers()
    with embedded.servers(_settings(data), role="play") as used:
        assert not used.owner
        assert (used.database_url, used.reader_url) == (owned.database_url, owned.reader_url)
        assert _value(used.database_url, "SELECT 1") == 1


def test_command_waits_for_an_owner_that_is_starting(start: Starter) -> None:
    both = [start("play"), start("browse")]
    assert sorted(command.servers().owner for command in both) == [False, True]


def test_owner_waits_for_its_users(start: Starter) -> None:
    owner = start("play")
    url = owner.servers().database_url
    user = start("browse")
    user.servers()
    owner.ask_to_end()
    eventually(lambda: "other commands still use the servers" in owner.said, what="the owner says it waits")
    assert _value(url, "SELECT 1") == 1
    assert user.end() == 0
    assert owner.exit_code() == 0


def test_interrupt_ends_the_wait_for_users(data: Path, start: Starter) -> None:
    owner = start("play")
    owner.servers()
    start("browse").servers()
    owner.ask_to_end()
    eventually(lambda: "other commands still use the servers" in owner.said, what="the owner says it waits")
    owner.send(signal.SIGINT)
    assert owner.exit_code() == 0
    assert server_pids(data) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_owner_and_its_servers(data: Path, start: Starter, number: signal.Signals) -> None:
    owner = start("serve")
    owner.servers()
    owner.send(number)
    assert owner.exit_code() == 130
    assert server_pids(data) == []


def test_killed_owner_leaves_no_server(data: Path, start: Starter) -> None:
    owner = start("serve")
    owner.servers()
    assert len(server_pids(data)) == 2
    _killed(owner)
    eventually(lambda: not server_pids(data), what="the servers end with their owner")


def test_next_command_goes_on_where_a_killed_owner_was(start: Starter) -> None:
    owner = start("serve")
    _value(owner.servers().database_url, "CREATE TABLE kept AS SELECT 7 AS number")
    _killed(owner)
    successor = start("serve").servers()
    assert successor.owner
    assert _value(successor.database_url, "SELECT number FROM kept") == 7


def test_user_of_a_killed_owner_does_not_keep_others_out(start: Starter) -> None:
    owner = start("play")
    owner.servers()
    start("browse").servers()
    _killed(owner)
    assert start("play").servers().owner


def test_commands_that_come_and_go_at_once_all_find_servers(start: Starter) -> None:
    crowd = [start("play") for _ in range(8)]
    for command in crowd:
        command.ask_to_end()
    assert [command.exit_code() for command in crowd] == [0] * len(crowd), [each.said for each in crowd]
    assert all(command.servers().database_url for command in crowd)


def test_everything_in_the_folder_is_for_its_owner_only(data: Path) -> None:
    with embedded.servers(_settings(data), role="play"):
        open_to_others = [
            path
            for path in [data, *data.rglob("*")]
            if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
        ]
    assert open_to_others == []


def test_with_both_servers_set_nothing_is_started_or_made(data: Path) -> None:
    chosen = _settings(data, database_url="postgresql://elsewhere/x", nats_url="nats://elsewhere:4222")
    with embedded.servers(chosen, role="serve") as servers:
        assert servers.database_url == "postgresql://elsewhere/x"
        assert servers.relay_url == servers.reader_url == "nats://elsewhere:4222"
        assert (servers.owner, servers.data) == (False, None)
    assert not data.exists()


def test_with_one_server_set_only_the_other_is_started(data: Path, database_url: str) -> None:
    with embedded.servers(_settings(data, database_url=database_url), role="serve") as servers:
        assert servers.database_url == database_url
        assert "127.0.0.1" in servers.relay_url
        assert len(server_pids(data)) == 1
        assert not (data / "postgres").exists()


def test_user_without_the_owners_setting_is_told_so(data: Path, database_url: str, start: Starter) -> None:
    with embedded.servers(_settings(data, database_url=database_url), role="serve"):
        user = start("play")
        assert user.exit_code() == 1
    assert "set GONGZHU_DATABASE_URL as it was set there" in user.said


def test_servers_are_not_started_from_another_thread(data: Path) -> None:
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            with embedded.servers(_settings(data), role="play"):
                pass
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    assert "main thread" in str(errors[0])


def test_owner_that_never_gets_ready_is_not_waited_for_for_ever(data: Path, start: Starter) -> None:
    owner = start("play")
    owner.servers()
    owner.send(signal.SIGSTOP)
    (data / "owner.json").unlink()
    with (
        pytest.raises(ServersUnavailable, match="gave up after 0 s: waiting for the servers"),
        embedded.servers(_settings(data), role="play", within_s=0.05),
    ):
        pass
    owner.send(signal.SIGCONT)
