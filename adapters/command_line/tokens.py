"""`token`: bearer tokens for players, services and staff, and the keys that sign them."""

from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

import typer

from adapters.clock import SystemClock
from adapters.command_line.console import note, out
from adapters.command_line.sessions import settings_of
from adapters.data_folder import DataFolder
from adapters.identifiers import new_random_id
from adapters.identity.bearers import ROLES, Bearers, Role
from adapters.identity.token_keys import KEY_FILE, ensure_token_keys, rotate_token_keys
from adapters.randomness import SystemRandomness

tokens_app: Final = typer.Typer(
    name="token",
    help="Bearer tokens for the API. Who holds one acts as whom it names until it expires.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    tokens_app.command("new", epilog="Example: `gongzhu token new --role player --hours 24`")(new)
    tokens_app.command("keys")(keys)
    tokens_app.command("rotate")(rotate)
    app.add_typer(tokens_app)


def new(
    context: typer.Context,
    role: Annotated[str, typer.Option("--role", help=f"One of {', '.join(ROLES)}.")] = "player",
    player: Annotated[
        UUID | None,
        typer.Option("--player", help="The player's id.", show_default="a new random one"),
    ] = None,
    hours: Annotated[float, typer.Option("--hours", min=0.01, help="How long it is good.")] = 24.0,
) -> None:
    """Print a token; for a player, his id goes to standard error."""
    meant = _role(role)
    if player is not None and meant != "player":
        raise typer.BadParameter("only a player's token names a player")
    randomness = SystemRandomness()
    who = (player or new_random_id(randomness)) if meant == "player" else None
    folder = DataFolder.open(settings_of(context).data)
    bearers = Bearers(ensure_token_keys(folder.path, randomness), SystemClock())
    if who is not None:
        note(f"player {who}")
    out.print(bearers.issue(meant, who, timedelta(hours=hours)), soft_wrap=True)


def keys(context: typer.Context) -> None:
    """List the ids of the keys that sign tokens, oldest first; the newest signs, all are accepted."""
    folder = DataFolder.open(settings_of(context).data)
    found = ensure_token_keys(folder.path, SystemRandomness())
    note(f"key file: {folder.path / KEY_FILE}")
    for key_id in found.ids:
        out.print(f"{key_id}  {'signs and is accepted' if key_id == found.signing_id else 'is accepted'}")


def rotate(context: typer.Context) -> None:
    """Make a new key that signs from now on; tokens of the old ones are good until they expire.

    A running service goes on with the keys it knows until it is started again.
    """
    folder = DataFolder.open(settings_of(context).data)
    rotated = rotate_token_keys(folder.path, SystemRandomness())
    out.print(f"key {rotated.signing_id} signs from now on ({len(rotated.ids)} keys)")


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise typer.BadParameter(f"there is no role {text!r}; choose one of {', '.join(ROLES)}")
