"""`replay --html`: a match as one HTML file that can be opened anywhere, offline."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from uuid import UUID

import typer

from adapters.bots import BOT_NAMES
from adapters.command_line.console import note, progress
from adapters.command_line.sessions import servers_for
from adapters.people.names import Names
from adapters.postgres.recorder import open_pool
from adapters.postgres.reviews import StoredReviews
from adapters.viewer_files import replay_html
from domain.events import PlayerSeated
from replays.notation import Comment
from replays.review import HandReview, ReviewSettings
from replays.timeline import HandSteps, Timeline


def write_html(
    context: typer.Context, match: str, timeline: Timeline, comments: Sequence[Comment], target: Path
) -> None:
    """Writes the viewer with a match's finished hands to a file, and says so.

    Players have the names they are known by now, and hands the reviews that were made; where the match comes from a
    file, only bots have names, and there are no reviews.
    """
    players = {step.event.player for step in timeline if isinstance(step.event, PlayerSeated)}
    names, reviews = (_bots(players), []) if Path(match).is_file() else _known(context, timeline, players)
    with progress() as bars:

        def each(hands: Sequence[HandSteps]) -> Iterable[HandSteps]:
            return bars.track(hands, description="working out who could know what")

        html = replay_html(timeline, names, comments, each, reviews)
    try:
        target.write_text(html, encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"cannot write {target}: {error.strerror}") from error
    note(f"wrote {target}: open it in a browser, it needs no server")


def _bots(players: Iterable[UUID]) -> dict[UUID, str]:
    return {player: BOT_NAMES[player] for player in players if player in BOT_NAMES}


def _known(
    context: typer.Context, timeline: Timeline, players: Iterable[UUID]
) -> tuple[dict[UUID, str], list[HandReview]]:
    """The players' names, and the reviews of the match's hands by the usual settings."""
    with servers_for(context, "names") as (_, servers), open_pool(servers.database_url) as pool:
        stored = StoredReviews(pool)
        found = [stored.find(timeline.state(1).id, hand.number, ReviewSettings()) for hand in timeline.hands]
        return Names(pool).of(players), [review for review in found if review is not None]
