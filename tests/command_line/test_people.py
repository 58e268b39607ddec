"""`gongzhu player`, `reports`, `trail`: looked at, renamed, exported and erased, with a trail."""

import json
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.command_line import people
from adapters.composition import register_of, system_ports
from adapters.people.connections import Connection
from adapters.people.names import PlayerErased
from adapters.people.trail import whoever_asks
from adapters.postgres.recorder import open_pool
from tests.support.services import START

PLAYER = UUID(int=5)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def run(database_url: str, data: Path, *arguments: str) -> Result:
    app = typer.Typer()

    @app.callback()
    def configure(context: typer.Context) -> None:
        context.obj = settings.read(
            data=data, database_url=database_url, nats_url="nats://127.0.0.1:1", environment={}
        )

    people.add_to(app)
    return CliRunner().invoke(app, list(arguments))


def test_player_is_renamed_exported_and_erased(database_url: str, data: Path) -> None:
    assert run(database_url, data, "player", "rename", str(PLAYER), "小猪").exit_code == 0
    assert "小猪" in run(database_url, data, "player", "show", str(PLAYER)).stdout
    exported = json.loads(run(database_url, data, "player", "export", str(PLAYER), "--by", "someone").stdout)
    assert exported["name"] == "小猪"
    assert run(database_url, data, "player", "erase", str(PLAYER), "--yes").exit_code == 0
    assert "no name" in run(database_url, data, "player", "show", str(PLAYER)).stdout
    refused = run(database_url, data, "player", "rename", str(PLAYER), "小猪")
    assert isinstance(refused.exception, PlayerErased)
    entries = json.loads(run(database_url, data, "trail", "--about", str(PLAYER), "--json").stdout)
    assert [entry["what"] for entry in entries] == [
        "renamed a player",
        "erased a player",
        "exported what is known of a player",
        "renamed a player",
    ]
    assert entries[2]["by"] == f"someone ({whoever_asks()})"


def test_connection_records_are_opened_in_a_case(database_url: str, data: Path) -> None:
    with open_pool(database_url) as pool:
        records = register_of(pool, data, system_ports()).connections
        for minutes in (0, 3):
            at = START + timedelta(minutes=minutes)
            closed = at + timedelta(minutes=1)
            records.add(
                PLAYER,
                Connection(match=UUID(int=9), opened_at=at, closed_at=closed, address="aa", device="bb"),
            )
    assert run(database_url, data, "player", "connections", str(PLAYER)).exit_code == 2
    shown = json.loads(
        run(database_url, data, "player", "connections", str(PLAYER), "--case", "17", "--json").stdout
    )
    assert [known["gap_s"] for known in shown] == [None, 120.0]
    assert "120.0 s" in run(database_url, data, "player", "connections", str(PLAYER), "--case", "18").stdout
    (entry,) = json.loads(run(database_url, data, "trail", "--case", "17", "--json").stdout)
    assert (entry["what"], entry["about"]) == ("read the connection records of a player", str(PLAYER))


def test_reports_are_read_with_a_trail(database_url: str, data: Path) -> None:
    with open_pool(database_url) as pool:
        register_of(pool, data, system_ports()).reports.add(UUID(int=9), 1, PLAYER, "signals", START)
    listed = json.loads(run(database_url, data, "reports", "list", "--json").stdout)
    assert [report["reason"] for report in listed] == ["signals"]
    shown = json.loads(run(database_url, data, "reports", "show", str(listed[0]["id"])).stdout)
    assert shown == listed[0]
    assert run(database_url, data, "reports", "blank", str(listed[0]["id"])).exit_code == 0
    blank = json.loads(run(database_url, data, "reports", "show", str(listed[0]["id"])).stdout)
    assert blank == {**shown, "reason": ""}
    entries = json.loads(run(database_url, data, "trail", "--json").stdout)
    assert [entry["what"] for entry in entries] == [
        "read a report",
        "blanked a report",
        "read a report",
        "read reports",
        "made a key that seals live hands",
    ]
