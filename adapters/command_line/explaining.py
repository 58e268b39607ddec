"""`leaderboard explain` and `leaderboard what-if`: the ledger behind a board, and the board as it would be."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import msgspec
import typer
from rich import box
from rich.table import Table

from adapters.command_line.arguments import Json, RulesetOption, match_meant, ruleset_of
from adapters.command_line.console import complain, note, out, print_json
from adapters.command_line.players_meant import player_meant
from adapters.command_line.sessions import servers_for
from adapters.composition import system_ports
from adapters.player_names import name_of_player
from adapters.postgres import ledger
from adapters.postgres.match_rows import known_matches
from adapters.postgres.recorder import open_pool
from projections.leaderboards.explaining import Explanation
from projections.leaderboards.rows import Amounts
from projections.leaderboards.what_if import BoardPlace, Changed


class BoardAsItWouldBe(msgspec.Struct, frozen=True):
    """One board before and after, as JSON."""

    ruleset: str
    origin: str
    players: list[Changed]


def add_to(app: typer.Typer) -> None:
    """Adds these commands to `leaderboard`."""
    app.command(
        "explain",
        epilog="Examples: `gongzhu leaderboard explain 'bot 3'`, `gongzhu leaderboard explain 019abc -r blood-1`",
    )(explain)
    app.command("what-if", epilog="Example: `gongzhu leaderboard what-if --annul 019abc 019abd`")(what_if)


def explain(
    context: typer.Context,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="A player's id, its beginning or end, or a bot's name.")
    ],
    ruleset: RulesetOption = "zero_sum-1",
    json: Json = False,
) -> None:
    """List the ledger rows of a player with the events they come from, and add them up.

    A row that does not count (its match is annulled, or a correction took its place) is shown and not added. Exit code
    1 if a sum is not what the board says.
    """
    name = ruleset_of(ruleset).name
    with servers_for(context, "leaderboard explain") as (_, servers):
        meant = player_meant(servers.database_url, player)
        found = ledger.explained(servers.database_url, meant, name)
    if json:
        print_json(found)
    for one in () if json else found:
        out.print(_ledger_table(one))
        out.print(f"sum {_amounts(one.total)}", f"board {_amounts(one.board)}", sep="\n")
    if not found and not json:
        out.print(f"{name_of_player(meant)} has no entries of {name}")
    if not all(one.adds_up for one in found):
        complain("the ledger and the board differ; run `gongzhu projections rebuild leaderboards`")
        raise typer.Exit(1)


def _ledger_table(one: Explanation) -> Table:
    """Each row with its event, and the correction that recorded it, if one did; within 80 columns."""
    title = f"{name_of_player(one.player)}: {one.ruleset}, origin {one.origin}"
    table = Table(box=box.SIMPLE_HEAD, title=title, pad_edge=False, padding=(0, 1))
    for header in ("match", "version", "position", "at", "for", "points", "counts"):
        text = header in ("match", "at", "for", "counts")
        table.add_column(header, no_wrap=True, justify="left" if text else "right")
    for entry in one.entries:
        told_by = "" if entry.recorded_by == entry.version else f" by {entry.recorded_by}"
        table.add_row(
            f"…{str(entry.match)[-6:]}", f"{entry.version}{told_by}", str(entry.position),
            f"{entry.at:%Y-%m-%d %H:%M}", f"hand {entry.hand_no}" if entry.kind == "hand" else "settlement",
            f"{entry.points:+d}", "yes" if entry.counts else "no",
        )  # fmt: skip
    return table


def _amounts(given: Amounts) -> str:
    return ", ".join(
        f"{name} {value:+d}" if name == "points" else f"{name} {value}"
        for name, value in msgspec.structs.asdict(given).items()
    )


def what_if(
    context: typer.Context,
    annul: Annotated[list[str], typer.Option("--annul", metavar="MATCH", help="A match to leave out.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="[MATCH…]", help="More of them.")] = None,
    ruleset: Annotated[
        str | None,
        typer.Option("--ruleset", "-r", metavar="RULESET", help="Only the boards of this ruleset."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the boards as they would be if matches were annulled, ratings too; nothing is changed."""
    only = ruleset_of(ruleset).name if ruleset else None
    with servers_for(context, "leaderboard what-if") as (_, servers):
        with open_pool(servers.database_url) as pool:
            known = [match.id for match in known_matches(pool)]
        meant = [match_meant(text, known) for text in (*annul, *(more or ()))]
        found = _boards_without(servers.database_url, meant, only)
    if json:
        print_json(found)
        return
    for board in found:
        out.print(_what_if_table(board))
    if not found:
        note("these matches are on no board" + (f" of {only}" if only else ""))


def _boards_without(url: str, matches: Sequence[UUID], only: str | None) -> list[BoardAsItWouldBe]:
    """Every board that one of these matches is on."""
    by_board: dict[tuple[str, str], list[UUID]] = {}
    for match in matches:
        board = ledger.board_of_match(url, match)
        if board is not None and only in (None, board[0]):
            by_board.setdefault(board, []).append(match)
    now = system_ports().clock.now()
    return [
        BoardAsItWouldBe(ruleset, origin, ledger.board_without(url, ruleset, origin, some, now))
        for (ruleset, origin), some in by_board.items()
    ]


def _what_if_table(board: BoardAsItWouldBe) -> Table:
    """Players by their place after it, with what they have now."""
    title = f"{board.ruleset}, all, origin {board.origin}: as it would be, and as it is"
    table = Table(box=box.SIMPLE_HEAD, title=title, pad_edge=False)
    for header in ("", "player", "points", "rating", "now", "points now", "rating now"):
        table.add_column(header, no_wrap=True, justify="left" if header == "player" else "right")
    for one in board.players:
        table.add_row(
            *_place(one.after)[:1], name_of_player(one.player), *_place(one.after)[1:], *_place(one.before)
        )
    return table


def _place(place: BoardPlace | None) -> tuple[str, str, str]:
    if place is None:
        return ("—", "", "")
    return (
        str(place.rank), f"{place.points:+d}", "" if place.rating is None else f"{place.rating:.2f}"
    )  # fmt: skip
