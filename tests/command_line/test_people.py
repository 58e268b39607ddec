"""`gongzhu player`, `reports`, `trail`: looked at, renamed, exported and erased, with a trail."""

import json
from pathlib import Path
from uuid import UUID

import pytest
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.command_line import people
from adapters.composition import register_of, system_ports
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
    entries = json.loads(run(database_url, data, "trail", "--json").stdout)
    assert [entry["what"] for entry in entries] == [
        "erased a player",
        "exported what is known of a player",
        "renamed a player",
    ]
    assert entries[1]["by"] == "someone"


def test_reports_are_read_with_a_trail(database_url: str, data: Path) -> None:
    with open_pool(database_url) as pool:
        register_of(pool, data, system_ports()).reports.add(UUID(int=9), 1, PLAYER, "signals", START)
    listed = json.loads(run(database_url, data, "reports", "list", "--json").stdout)
    assert [report["reason"] for report in listed] == ["signals"]
    shown = json.loads(run(database_url, data, "reports", "show", str(listed[0]["id"])).stdout)
    assert shown == listed[0]
    entries = json.loads(run(database_url, data, "trail", "--json").stdout)
    assert [entry["what"] for entry in entries] == ["read a report", "read reports"]
