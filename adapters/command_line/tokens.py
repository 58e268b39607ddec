"""`token`: bearer tokens for players, services and staff, and the keys that sign them."""

from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

import typer

from adapters.command_line.console import note, out
from adapters.command_line.sessions import servers_for, settings_of
from adapters.composition import rotated_token_keys, system_ports, token_keys_of
from adapters.data_folder import DataFolder
from adapters.identifiers import new_random_id
from adapters.identity.bearers import ROLES, Bearers, Role
from adapters.identity.token_keys import KEY_FILE, load_token_keys
from adapters.people.trail import Trail, whoever_asks
from adapters.postgres.recorder import open_pool

tokens_app: Final = typer.Typer(
    name="token",
    help="Bearer tokens for the API. Who holds one acts as whom it names until it expires.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    tokens_app.command(
        "new",
        epilog="Examples: `gongzhu token new --role player --hours 24`, `… --role investigator --for anna`",
    )(new)
    tokens_app.command("keys", epilog="Example: `gongzhu token keys`")(keys)
    tokens_app.command("rotate", epilog="Example: `gongzhu token rotate --by anna`")(rotate)
    app.add_typer(tokens_app)


def new(
    context: typer.Context,
    role: Annotated[str, typer.Option("--role", help=f"One of {', '.join(ROLES)}.")] = "player",
    player: Annotated[
        UUID | None,
        typer.Option("--player", help="The player's id.", show_default="a new random one"),
    ] = None,
    issued_to: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="WHO", help="Who will hold it, as the audit trail names him; not for players."
        ),
    ] = None,
    hours: Annotated[float, typer.Option("--hours", min=0.01, help="How long it is good.")] = 24.0,
) -> None:
    """Print a token; for a player, his id goes to standard error. It stands in `gongzhu trail`."""
    meant = _role(role)
    if player is not None and meant != "player":
        raise typer.BadParameter("only a player's token names a player")
    if issued_to is not None and meant == "player":
        raise typer.BadParameter("a player's token names his id alone")
    ports, folder = system_ports(), DataFolder.open(settings_of(context).data)
    who = (player or new_random_id(ports.randomness)) if meant == "player" else None
    subject = None if meant == "player" else issued_to or f"token {new_random_id(ports.randomness)}"
    with servers_for(context, "token") as (_, servers), open_pool(servers.database_url) as pool:
        bearers = Bearers(token_keys_of(pool, folder.path, ports), ports.clock)
        told = f"issued a token of role {meant} for {hours:g} hours"
        Trail(pool).add(ports.clock.now(), whoever_asks(), told, who or subject)
        token = bearers.issue(meant, who, timedelta(hours=hours), subject)
    if who is not None:
        note(f"player {who}")
    out.print(token, soft_wrap=True)


def keys(context: typer.Context) -> None:
    """List the ids of the keys that sign tokens, oldest first; the newest signs, all are accepted."""
    folder = DataFolder.open(settings_of(context).data)
    note(f"key file: {folder.path / KEY_FILE}")
    found = load_token_keys(folder.path)
    if found is None:
        out.print("no keys yet; they are made with the first token, or when the API first starts")
        return
    for key_id in found.ids:
        out.print(f"{key_id}  {'signs and is accepted' if key_id == found.signing_id else 'is accepted'}")


def rotate(context: typer.Context) -> None:
    """Make a new key that signs from now on; tokens of the old ones are good until they expire.

    A running service goes on with the keys it knows until it is started again. It stands in `gongzhu trail`.
    """
    folder = DataFolder.open(settings_of(context).data)
    with servers_for(context, "token") as (_, servers), open_pool(servers.database_url) as pool:
        rotated = rotated_token_keys(pool, folder.path, system_ports())
    out.print(f"key {rotated.signing_id} signs from now on ({len(rotated.ids)} keys)")


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise typer.BadParameter(f"there is no role {text!r}; choose one of {', '.join(ROLES)}")
