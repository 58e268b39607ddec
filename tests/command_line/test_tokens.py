"""`gongzhu token`: tokens that the API takes, from keys in the data folder."""

from pathlib import Path
from uuid import UUID

import psycopg
import pytest
import typer
from typer.testing import CliRunner, Result

from adapters import settings
from adapters.clock import SystemClock
from adapters.command_line import tokens
from adapters.identity.bearers import ROLES, Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.people.trail import Trail, TrailUnwritten, whoever_asks
from adapters.postgres.recorder import open_pool
from adapters.randomness import SystemRandomness


def token(database_url: str, data: Path, *arguments: str) -> Result:
    app = typer.Typer()

    @app.callback()
    def configure(context: typer.Context) -> None:
        context.obj = settings.read(
            data=data, database_url=database_url, nats_url="nats://127.0.0.1:1", environment={}
        )

    tokens.add_to(app)
    return CliRunner().invoke(app, ["token", *arguments])


def bearers(data: Path) -> Bearers:
    return Bearers(ensure_token_keys(data, SystemRandomness()), SystemClock())


@pytest.mark.parametrize("role", ROLES)
def test_token_of_every_role_is_accepted(database_url: str, tmp_path: Path, role: str) -> None:
    data = tmp_path / "data"
    printed = token(database_url, data, "new", "--role", role, "--hours", "1")
    assert printed.exit_code == 0, printed.output
    bearer = bearers(data).bearer(printed.stdout.strip())
    assert bearer.role == role
    assert (bearer.player is not None) == (role == "player")


def test_player_is_random_unless_named(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    player = UUID(int=9)
    named = token(database_url, data, "new", "--player", str(player)).stdout.strip()
    drawn = [token(database_url, data, "new").stdout.strip() for _ in range(2)]
    known = bearers(data)
    assert known.bearer(named).player == player
    assert len({known.bearer(text).player for text in drawn}) == 2


def test_unknown_role_and_a_player_of_another_role_are_usage_errors(
    database_url: str, tmp_path: Path
) -> None:
    assert token(database_url, tmp_path / "data", "new", "--role", "king").exit_code == 2
    named = token(database_url, tmp_path / "data", "new", "--role", "operator", "--player", str(UUID(int=9)))
    assert named.exit_code == 2


def told(database_url: str) -> list[tuple[str, str]]:
    with open_pool(database_url) as pool:
        entries = Trail(pool).last()
    assert {entry.by for entry in entries} == {whoever_asks()}
    return [(entry.what, entry.about) for entry in reversed(entries)]


def test_every_token_and_key_stands_in_the_trail(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert token(database_url, data, "keys").stdout.startswith("no keys yet")
    token(database_url, data, "new", "--player", str(UUID(int=9)))
    token(database_url, data, "new", "--role", "investigator", "--for", "anna", "--hours", "2")
    unnamed = token(database_url, data, "new", "--role", "operator").stdout.strip()
    token(database_url, data, "rotate")
    first, second = [line.split()[0] for line in token(database_url, data, "keys").stdout.splitlines()]
    entries = told(database_url)
    bearer = bearers(data).bearer(unnamed)
    assert entries == [
        ("made a key that signs tokens", first),
        ("issued a token of role player for 24 hours", str(UUID(int=9))),
        ("issued a token of role investigator for 2 hours", "anna"),
        ("issued a token of role operator for 24 hours", bearer.subject),
        ("rotated the keys that sign tokens", second),
    ]
    assert bearer.subject.startswith("token ")


def test_token_that_the_trail_cannot_be_told_of_is_not_issued(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    token(database_url, data, "new")
    with psycopg.connect(database_url, autocommit=True) as connected:
        connected.execute("ALTER TABLE people.trail ADD CONSTRAINT full_up CHECK (number < 0) NOT VALID")
    for arguments in (["new", "--role", "operator"], ["rotate"]):
        refused = token(database_url, data, *arguments)
        assert isinstance(refused.exception, TrailUnwritten)
        assert refused.stdout == ""
    assert len(token(database_url, data, "keys").stdout.splitlines()) == 1


def test_rotated_keys_are_listed_and_old_tokens_stay_good(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    old = token(database_url, data, "new").stdout.strip()
    assert token(database_url, data, "rotate").exit_code == 0
    listed = token(database_url, data, "keys").stdout.splitlines()
    assert len(listed) == 2
    assert "signs" in listed[1]
    assert bearers(data).bearer(old).role == "player"
