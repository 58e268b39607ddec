"""`gongzhu token`: tokens that the API takes, from keys in the data folder."""

from pathlib import Path
from uuid import UUID

import pytest
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.clock import SystemClock
from adapters.command_line import tokens
from adapters.identity.bearers import ROLES, Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.randomness import SystemRandomness


def token(data: Path, *arguments: str) -> Result:
    app = typer.Typer()

    @app.callback()
    def configure(context: typer.Context) -> None:
        context.obj = settings.read(data=data, environment={})

    tokens.add_to(app)
    return CliRunner().invoke(app, ["token", *arguments])


def bearers(data: Path) -> Bearers:
    return Bearers(ensure_token_keys(data, SystemRandomness()), SystemClock())


@pytest.mark.parametrize("role", ROLES)
def test_token_of_every_role_is_accepted(tmp_path: Path, role: str) -> None:
    data = tmp_path / "data"
    printed = token(data, "new", "--role", role, "--hours", "1")
    assert printed.exit_code == 0, printed.output
    bearer = bearers(data).bearer(printed.stdout.strip())
    assert bearer.role == role
    assert (bearer.player is not None) == (role == "player")


def test_player_is_random_unless_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    player = UUID(int=9)
    named = token(data, "new", "--player", str(player)).stdout.strip()
    drawn = [token(data, "new").stdout.strip() for _ in range(2)]
    known = bearers(data)
    assert known.bearer(named).player == player
    assert len({known.bearer(text).player for text in drawn}) == 2


def test_unknown_role_and_a_player_of_another_role_are_usage_errors(tmp_path: Path) -> None:
    assert token(tmp_path / "data", "new", "--role", "king").exit_code == 2
    named = token(tmp_path / "data", "new", "--role", "operator", "--player", str(UUID(int=9)))
    assert named.exit_code == 2


def test_rotated_keys_are_listed_and_old_tokens_stay_good(tmp_path: Path) -> None:
    data = tmp_path / "data"
    old = token(data, "new").stdout.strip()
    assert token(data, "rotate").exit_code == 0
    listed = token(data, "keys").stdout.splitlines()
    assert len(listed) == 2
    assert "signs" in listed[1]
    assert bearers(data).bearer(old).role == "player"
