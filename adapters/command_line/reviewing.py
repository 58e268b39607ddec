"""`review`: what each decision of a match cost, by what its player knew; exercises; a player's hands together."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from uuid import UUID

import msgspec
import typer
from rich.progress import Progress, TaskID

from adapters.command_line.arguments import Json, match_meant
from adapters.command_line.comparing import SOURCE
from adapters.command_line.console import note, out, print_json, progress
from adapters.command_line.players_meant import player_meant
from adapters.command_line.reading import say_behind
from adapters.command_line.sessions import servers_for
from adapters.exercise_files import write_exercises
from adapters.hand_search import HandSearch
from adapters.match_files import read_match
from adapters.player_names import names_by_seat
from adapters.postgres.hand_library import HandLibrary
from adapters.postgres.match_rows import known_matches
from adapters.postgres.queries import ReadModels
from adapters.postgres.recorder import open_pool
from adapters.reviewing import Reviewer, Told, hands_to_review, reviewed, within
from adapters.terminal.review_tables import decisions_table, luck_table, player_table
from domain.seats import SEATS
from replays.review import (
    ENOUGH_WORLDS,
    LIMITS,
    Exercise,
    HandReview,
    ReviewSettings,
    Stopped,
    exercises_of,
    player_reviews,
)
from replays.timeline import Timeline


def add_to(app: typer.Typer) -> None:
    """Adds this command."""
    app.command(
        "review",
        epilog="Examples: `gongzhu review 019abc --hand 2`, `gongzhu review 019abc --seat 1 --costly`, "
        "`gongzhu review 019abc --exercises mine.md --seat 0`, `gongzhu review --player 'bot 3' --hands 20`",
    )(review)


def review(
    context: typer.Context,
    match: Annotated[str | None, typer.Argument(metavar="[MATCH|FILE]", help=SOURCE)] = None,
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Only this hand.")] = None,
    seat: Annotated[
        list[int] | None, typer.Option("--seat", min=0, max=3, help="Only this seat; may be repeated.")
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", help="Instead of a match: this player's newest hands taken together."),
    ] = None,
    hands: Annotated[int, typer.Option("--hands", min=1, max=1000, help="How many, with --player.")] = 20,
    worlds: Annotated[
        int,
        typer.Option(
            "--worlds", min=2, max=100_000, help="Worlds tried at each decision; 1,000 to speak of mistakes."
        ),
    ] = ENOUGH_WORLDS,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**63 - 1, help="The same seed gives the same numbers.")
    ] = 1,
    costly: Annotated[
        bool, typer.Option("--costly", help="Only inaccuracies, mistakes and blunders.")
    ] = False,
    exercises: Annotated[
        Path | None,
        typer.Option(
            "--exercises", metavar="FILE", help="Write costly decisions as exercises (.md or .json)."
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--within", min=0, metavar="SECONDS", help="Give up after so long.")
    ] = None,
    json: Json = False,
) -> None:
    """Review finished hands: each decision's cost by what its player knew, beside it with all cards shown.

    A hand reviewed once is there at once the next time. These are leads, not verdicts: what the numbers assume, and
    what cannot be found, stands under every answer.
    """
    settings = ReviewSettings(worlds=worlds, playouts=min(worlds, ReviewSettings().playouts), seed=seed)
    if (match is None) == (player is None):
        raise typer.BadParameter("give a match, or --player")
    if player is not None:
        _review_player(context, player, hands, settings, seconds, json=json)
        return
    assert match is not None
    timeline, found = _reviews_of(context, match, hand, settings, seconds)
    seats = seat or list(SEATS)
    if exercises is not None:
        made = [one for review in found for one in exercises_of(timeline, review, seats)]
        _say_exercises(made, exercises)
    elif json:
        print_json({"reviews": [_only(review, seats, costly=costly) for review in found], "limits": LIMITS})
    else:
        _print_reviews(found, seats, costly=costly)


def _reviews_of(
    context: typer.Context, match: str, hand: int | None, settings: ReviewSettings, seconds: float | None
) -> tuple[Timeline, list[HandReview]]:
    """The match meant, and the reviews of its hands; one of a file is not kept."""
    keep_going = within(seconds)
    if Path(match).is_file():
        timeline = Timeline(read_match(Path(match)).events)
        wanted = hands_to_review(timeline, hand)
        with _told(len(wanted)) as told:
            return timeline, [
                reviewed(timeline, number, settings, keep_going=keep_going, told=told) for number in wanted
            ]
    with servers_for(context, "review") as (_, servers), open_pool(servers.database_url) as pool:
        meant = match_meant(match, [known.id for known in known_matches(pool)])
        reviewer = Reviewer(pool)
        timeline = reviewer.timelines.of(meant)
        wanted = hands_to_review(timeline, hand)
        with _told(len(wanted)) as told:
            return timeline, list(reviewer.reviews(meant, wanted, settings, keep_going=keep_going, told=told))


@contextmanager
def _told(hands: int) -> Iterator[Told]:
    """Progress on standard error, decision by decision."""
    with progress() as bars:
        task = bars.add_task(f"reviewing {hands} hand{'s' * (hands != 1)}", total=None)
        yield lambda hand, done, of: _tell(bars, task, hand, done, of)


def _tell(bars: Progress, task: TaskID, hand: int, done: int, of: int) -> None:
    bars.update(task, description=f"reviewing hand {hand}", completed=done, total=of)


def _only(review: HandReview, seats: Iterable[int], *, costly: bool) -> HandReview:
    """The review with some of its decisions only."""
    wanted = set(seats)
    kept = [one for one in review.decisions if one.seat in wanted and (one.costly or not costly)]
    return msgspec.structs.replace(review, decisions=tuple(kept))


def _print_reviews(found: Sequence[HandReview], seats: Sequence[int], *, costly: bool) -> None:
    out.print(f"match {found[0].match}: {found[0].ruleset}, {found[0].settings.worlds} worlds a decision")
    for review in found:
        names = names_by_seat(review.players)
        shown = _only(review, seats, costly=costly).decisions
        out.print(
            decisions_table(review, shown, names) if shown else f"hand {review.hand_no}: nothing costly"
        )
        out.print(luck_table(review, names))
    say_limits(found[0].settings)


def say_limits(settings: ReviewSettings) -> None:
    """What the numbers assume, under every answer."""
    if settings.worlds < ENOUGH_WORLDS:
        out.print(f"With fewer than {ENOUGH_WORLDS} worlds nothing is called a mistake.", soft_wrap=True)
    for line in LIMITS:
        out.print(f"· {line}", style="dim", soft_wrap=True)


def _say_exercises(made: Sequence[Exercise], path: Path) -> None:
    if not made:
        note("no decision was costly: there is nothing to make exercises of")
        return
    write_exercises(made, path)
    note(f"wrote {len(made)} exercises to {path}")


def _review_player(
    context: typer.Context,
    text: str,
    hands: int,
    settings: ReviewSettings,
    seconds: float | None,
    *,
    json: bool,
) -> None:
    keep_going = within(seconds)
    with servers_for(context, "review") as (known, servers), open_pool(servers.database_url) as pool:
        player = player_meant(servers.database_url, text)
        found = _newest(HandLibrary(pool), player, hands)
        say_behind(ReadModels(pool, known.log_name))
        reviewer, reviews = Reviewer(pool), list[HandReview]()
        with progress() as bars:
            try:
                for match, hand_no in bars.track(found, description="reviewing hands"):
                    reviews += reviewer.reviews(match, [hand_no], settings, keep_going=keep_going)
            except Stopped:
                note(f"time ran out after {len(reviews)} of {len(found)} hands")
    rows = player_reviews(player, reviews)
    if json:
        print_json({"players": rows, "limits": LIMITS})
    elif not rows:
        out.print("no finished hand of this player is known: `gongzhu hands --player …`")
    else:
        out.print(player_table(rows))
        say_limits(settings)


def _newest(library: HandLibrary, player: UUID, hands: int) -> list[tuple[UUID, int]]:
    """A player's newest hands, as match and number."""
    found: list[tuple[UUID, int]] = []
    before: str | None = None
    while len(found) < hands:
        page = library.search(HandSearch(player=player), before=before, limit=min(100, hands - len(found)))
        found += [(line.match, line.hand_no) for line in page.hands]
        before = page.next
        if before is None:
            break
    return found
