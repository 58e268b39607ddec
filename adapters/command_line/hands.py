"""`hands`: the library of finished hands, searched by who sat there, time, scores and what happened."""

from typing import Annotated, Final
from urllib.parse import parse_qsl
from uuid import UUID

import typer
from rich import box
from rich.table import Table

from adapters.command_line.arguments import Json
from adapters.command_line.console import note, out, print_json
from adapters.command_line.players_meant import known_player, player_meant
from adapters.command_line.reading import Answer, LimitOption, pool_for_reading, say_behind
from adapters.command_line.sessions import servers_for
from adapters.hand_search import SEVERAL, HandSearch, SearchRefused, search_of, search_of_pairs
from adapters.player_names import names_by_seat
from adapters.postgres.hand_library import HandLibrary, HandLine, HandPage
from adapters.postgres.queries import ReadModels
from projections.hand_replays import HAND_REPLAYS
from projections.hand_replays.specials import SPECIALS

_WIDE: Final = 120
_PLAYERS: Final = ("player", "partner", "opponent")
_SCORE: Final = "of the player, or of any one seat"

Text = str | None
Number = int | None


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "hands",
        epilog="Examples: `gongzhu hands --special slam`, `gongzhu hands --player 'bot 3' --order lowest`, "
        "`gongzhu hands -r blood-2 --from 2026-11 --swing-min 20000 --link`, `gongzhu hands '/hands?special=slam'`",
    )(hands)


def hands(
    context: typer.Context,
    search: Annotated[
        str,
        typer.Argument(
            metavar="SEARCH", help="A saved search: the link of the page, or what follows its `?`."
        ),
    ] = "",
    player: Annotated[
        Text, typer.Option("--player", help="Hands this player sat in: an id, or a bot's name.")
    ] = None,
    partner: Annotated[Text, typer.Option("--partner", help="Across the table from --player.")] = None,
    opponent: Annotated[
        list[str] | None, typer.Option("--opponent", help="Against --player; up to three.")
    ] = None,
    ruleset: Annotated[Text, typer.Option("--ruleset", "-r", help="Only this ruleset.")] = None,
    origin: Annotated[Text, typer.Option("--origin", help="served, bots, seeded or imported.")] = None,
    from_: Annotated[
        Text, typer.Option("--from", help="Ended in or after 2026, 2026-11, 2026-11-30 or a time (UTC).")
    ] = None,
    to: Annotated[
        Text, typer.Option("--to", help="Ended in or before; a time itself does not count.")
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(
            "--special",
            help=f"What the player, or any one seat, did: {', '.join(SPECIALS)}. Several must all hold.",
        ),
    ] = None,
    score_min: Annotated[Number, typer.Option("--score-min", help=f"Raw score {_SCORE}, at least.")] = None,
    score_max: Annotated[Number, typer.Option("--score-max", help="At most.")] = None,
    points_min: Annotated[
        Number, typer.Option("--points-min", help="Points of the hand (zero_sum), at least.")
    ] = None,
    points_max: Annotated[Number, typer.Option("--points-max", help="At most.")] = None,
    swing_min: Annotated[
        Number, typer.Option("--swing-min", help="Highest less lowest raw score, at least.")
    ] = None,
    swing_max: Annotated[Number, typer.Option("--swing-max", help="At most.")] = None,
    order: Annotated[
        Text, typer.Option("--order", help="newest (the default), swing, highest or lowest.")
    ] = None,
    before: Annotated[Text, typer.Option("--before", help="Read on from the `next` of a page.")] = None,
    limit: LimitOption = 20,
    link: Annotated[
        bool, typer.Option("--link", help="Print the search as a link, and search nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Search finished hands; everything that is given must hold. A search can be kept as a link (--link)."""
    given = {
        "player": player, "partner": partner, "opponent": opponent, "ruleset": ruleset, "origin": origin,
        "from": from_, "to": to, "special": special, "score_min": score_min, "score_max": score_max,
        "points_min": points_min, "points_max": points_max, "swing_min": swing_min, "swing_max": swing_max,
        "order": order,
    }  # fmt: skip
    try:
        options = _options(context, {name: value for name, value in given.items() if value not in (None, [])})
        wanted = _merged(search, options)
        if link:
            out.print(f"/hands?{wanted.query}".rstrip("?"), soft_wrap=True, markup=False)
            return
        _search(context, wanted, before, limit, json=json)
    except SearchRefused as refused:
        raise typer.BadParameter(str(refused)) from None


def _options(context: typer.Context, given: dict[str, object]) -> list[tuple[str, str]]:
    """The options as parameters of a search, players by their ids."""
    pairs = [
        (name, str(one))
        for name, value in given.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    if any(name in _PLAYERS and known_player(text) is None for name, text in pairs):
        with servers_for(context, "hands") as (_, servers):
            return [(name, _player(servers.database_url, name, text)) for name, text in pairs]
    return [(name, _player(None, name, text)) for name, text in pairs]


def _player(database_url: str | None, name: str, text: str) -> str:
    if name not in _PLAYERS:
        return text
    known: UUID | None = known_player(text)
    if known is None and database_url is not None:
        known = player_meant(database_url, text)
    return str(known)


def _merged(search: str, options: list[tuple[str, str]]) -> HandSearch:
    """A saved search, with options in the place of its own parameters, or beside those that may be several."""
    replaced = {name for name, _ in options if name not in SEVERAL}
    kept = [(name, text) for name, text in parse_qsl(search_of(search).query) if name not in replaced]
    return search_of_pairs([*kept, *options])


def _search(
    context: typer.Context, wanted: HandSearch, before: str | None, limit: int, *, json: bool
) -> None:
    with pool_for_reading(context, "hands", HAND_REPLAYS) as (settings, pool):
        page = HandLibrary(pool).search(wanted, before=before, limit=limit)
        behind = say_behind(ReadModels(pool, settings.log_name))
    if json:
        print_json(Answer(behind, page.hands))
        return
    out.print(_hand_table(page.hands) if page.hands else _nothing(wanted))
    _say_more(page)


def _nothing(wanted: HandSearch) -> str:
    if wanted == HandSearch(order=wanted.order):
        return "no finished hands yet: `gongzhu play`, `gongzhu import FILE`"
    return "no hand is like that; leave out a condition, or see `gongzhu hands --help` for what they mean"


def _say_more(page: HandPage) -> None:
    """How to see a hand, and the next page."""
    if page.hands:
        first = page.hands[0]
        note(f"see one again: `gongzhu replay {str(first.match)[-8:]} --hand {first.hand_no}`")
    if page.next is not None:
        note(f"there are more: add `--before {page.next}`")


def _hand_table(hands: tuple[HandLine, ...]) -> Table:
    """Hands as a table, within 80 columns; a wide terminal shows players and special events too."""
    wide = out.width >= _WIDE
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for header in (
        "ended",
        "match",
        "hand",
        "ruleset",
        "raw scores by seat",
        *(["players", "special"] * wide),
    ):
        table.add_column(header, no_wrap=header not in ("special", "players"))
    for one in hands:
        ended = f"{one.ended_at:%Y-%m-%d %H:%M}" if wide else f"{one.ended_at:%Y-%m-%d}"
        scores = " ".join(f"{score:+d}" if score else "0" for score in one.raw_scores)
        told = (*one.specials, *(["annulled"] if one.annulled else []))
        special = ", ".join(word.replace("_", " ") for word in told)
        cells = (ended, f"…{str(one.match)[-8:]}", str(one.hand_no), one.ruleset, scores)
        table.add_row(*cells, *((" ".join(names_by_seat(one.players)), special) if wide else ()))
    return table
