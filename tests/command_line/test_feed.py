"""The feed's commands as another team meets them: a user, a first look, a place to go on from."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import ROOT
from tests.support.contract import faults_of_body
from tests.support.gongzhu import Gongzhu, gongzhu_over


@pytest.fixture(scope="module")
def gongzhu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gongzhu]:
    """A served folder with one match of one hand in it."""
    with gongzhu_over(tmp_path_factory.mktemp("feed") / "data") as command:
        command.wait_until_ready(command.start("serve"))
        command.run("play", "--hands", "1")
        yield command


def _as_service(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of someone who has nothing but a URL."""
    return subprocess.run(
        [sys.executable, "-m", "adapters.command_line", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "GONGZHU_NATS_URL": url, "GONGZHU_DATA": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_feed_is_shown_whole_and_from_a_position_with_its_epoch(gongzhu: Gongzhu) -> None:
    status = gongzhu.json("feed", "status")
    assert (status["standing"], status["lag"], status["stream"]) == ("in step", 0, "GONGZHU")
    lines = [json.loads(line) for line in gongzhu.run("feed", "catch-up").splitlines()]
    assert [line["position"] for line in lines] == list(range(1, status["last"] + 1))
    assert {line["epoch"] for line in lines} == {status["epoch"]}
    assert [lines[0]["event"]["type"], lines[-1]["event"]["type"]] == ["MatchOpened", "MatchSettled"]
    later = gongzhu.run("feed", "catch-up", "--from", "40", "--epoch", status["epoch"])
    assert [json.loads(line) for line in later.splitlines()] == lines[39:]
    refused = gongzhu.complaint("feed", "catch-up", "--from", "40", "--epoch", "00")
    assert "begin again at position 1" in refused


def test_every_event_keeps_to_the_contract(gongzhu: Gongzhu) -> None:
    for line in gongzhu.run("feed", "catch-up", "--bare").splitlines():
        event = json.loads(line)
        assert faults_of_body(f"{event['type']}.{event['schema']}", line.encode()) == []


def test_bare_events_are_what_verify_reads(gongzhu: Gongzhu, tmp_path: Path) -> None:
    match = gongzhu.json("matches")["rows"][-1]["match"]
    bare = gongzhu.run("feed", "catch-up", "--bare")
    of_match = "".join(line + "\n" for line in bare.splitlines() if match in line)
    assert of_match + "\n" == gongzhu.run("events", "export", match)
    (tmp_path / "match.jsonl").write_text(of_match, encoding="utf-8")
    assert f"match {match}: " in gongzhu.run("verify", str(tmp_path / "match.jsonl"))


def test_tail_shows_what_comes_until_it_is_stopped(gongzhu: Gongzhu) -> None:
    last = gongzhu.json("feed", "status")["last"]
    tail = gongzhu.start("feed", "tail", "--from", str(last))
    assert tail.stdout is not None
    assert json.loads(tail.stdout.readline())["position"] == last
    gongzhu.run("play", "--hands", "1")
    positions = [json.loads(tail.stdout.readline())["position"] for _ in range(40)]
    assert positions == list(range(last + 1, last + 41))
    tail.send_signal(signal.SIGINT)
    assert tail.wait(30) == 130


def test_output_may_be_cut_short(gongzhu: Gongzhu) -> None:
    reading = gongzhu.start("feed", "catch-up")
    assert reading.stdout is not None
    reading.stdout.readline()
    reading.stdout.close()
    reading.wait(60)
    assert reading.stderr is not None
    complaints = reading.stderr.read()
    reading.stderr.close()
    gongzhu.running.remove(reading)
    assert "answer" not in complaints
    assert "Traceback" not in complaints


def test_service_gets_a_user_and_reads_with_its_url_alone(gongzhu: Gongzhu) -> None:
    made = gongzhu.json("feed", "credentials", "leaderboard")
    assert (made["user"], made["stream"], made["subjects"]) == ("leaderboard", "GONGZHU", "gongzhu.v1.>")
    assert made["password"] in made["url"]
    told = gongzhu.run("feed", "credentials", "leaderboard")
    assert all(made[name] in told for name in ("url", "user", "password", "stream"))
    first_command = next(line for line in told.splitlines() if line.startswith("try"))
    assert f"GONGZHU_NATS_URL='{made['url']}' gongzhu feed catch-up" in first_command
    read = _as_service(made["url"], "feed", "catch-up")
    assert read.returncode == 0, read.stderr
    assert read.stdout.splitlines()[:40] == gongzhu.run("feed", "catch-up").splitlines()[:40]
    denied = _as_service(made["url"], "nats", "ensure", "--replicas", "3")
    assert denied.returncode == 1
    assert (
        "NATS does not allow the user leaderboard to publish to $JS.API.STREAM.UPDATE.GONGZHU"
        in denied.stderr
    )


@pytest.mark.parametrize(
    ("name", "why"), [("relay", "a user of gongzhu itself"), ("A b", "is not 1 to 32 of")]
)
def test_name_that_cannot_be_a_service_is_refused(gongzhu: Gongzhu, name: str, why: str) -> None:
    assert why in gongzhu.complaint("feed", "credentials", name)


def test_user_for_a_server_of_ones_own_is_a_line_to_add() -> None:
    told = _as_service("nats://nats-1:4222", "feed", "credentials", "leaderboard")
    assert told.returncode == 0, told.stderr
    assert '{ user: "leaderboard", password: "' in told.stdout
    assert "permissions: $SERVICE_ROLE }" in told.stdout
    assert "nats://leaderboard:" in told.stdout


def test_stream_is_checked_and_permissions_are_printed(gongzhu: Gongzhu) -> None:
    report = gongzhu.json("nats", "ensure")
    assert (report["created"], report["differences"], report["replicas"]) == (False, [], 1)
    assert gongzhu.run("nats", "permissions") == (ROOT / "infra/nats/gongzhu.conf").read_text(
        encoding="utf-8"
    )


def test_contract_is_checked(gongzhu: Gongzhu, tmp_path: Path) -> None:
    assert "is as the code has it" in gongzhu.run("contract", "check")
    assert "TrickTaken.1.json is missing" in gongzhu.complaint("contract", "check", "--folder", str(tmp_path))
    gongzhu.run("contract", "write", "--folder", str(tmp_path))
    gongzhu.run("contract", "check", "--folder", str(tmp_path))
