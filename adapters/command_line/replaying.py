"""`replay` and `audit`: matches as they were played, and whether they were played by the rules."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from adapters.auditing import MatchAudit, audit_match
from adapters.command_line.arguments import Json, match_meant
from adapters.command_line.comparing import SOURCE, matches_meant
from adapters.command_line.console import complain, out, print_json, progress
from adapters.command_line.replay_files import write_html
from adapters.command_line.sessions import servers_for
from adapters.command_line.stepping import step_through
from adapters.player_names import names_by_seat
from adapters.postgres.match_rows import known_matches
from adapters.postgres.recorder import open_pool
from adapters.terminal.card_text import Names
from adapters.terminal.integrity_notes import integrity_notes
from adapters.terminal.knowledge_table import knowledge_table
from adapters.terminal.score_table import score_table
from adapters.terminal.table_drawing import table_drawing
from adapters.terminal.trick_list import trick_list
from domain.events import Event, HandEnded, MatchOpened
from domain.visibility import EVERYTHING, SPECTATOR, Viewer
from replays.knowledge import Knowledge, knowledge_at, told
from replays.timeline import Timeline


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(
        "replay",
        epilog="Examples: `gongzhu replay 019abc --hand 2`, `gongzhu replay 019abc --step --as seat0`, "
        "`gongzhu replay 019abc --html match.html`",
    )(replay)
    app.command("audit", epilog="Examples: `gongzhu audit`, `gongzhu audit 019abc --json`")(audit)


def viewer_named(text: str) -> Viewer:
    """`seat0` … `seat3`, `spectator` or `all`; anything else is a usage error."""
    if text in (SPECTATOR, EVERYTHING):
        return SPECTATOR if text == SPECTATOR else EVERYTHING
    if text in ("seat0", "seat1", "seat2", "seat3"):
        return int(text[4])
    raise typer.BadParameter(f"{text!r} is no viewer; take seat0, seat1, seat2, seat3, spectator or all")


def replay(
    context: typer.Context,
    match: Annotated[str, typer.Argument(metavar="MATCH|FILE", help=SOURCE)],
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Only this hand.")] = None,
    viewer: Annotated[
        str,
        typer.Option(
            "--as", metavar="VIEWER", help="Whose eyes: seat0 … seat3, spectator or all (finished hands)."
        ),
    ] = EVERYTHING,
    step: Annotated[bool, typer.Option("--step", help="Step by step: Enter, b (back), a number, q.")] = False,
    at: Annotated[
        int | None, typer.Option("--at", min=1, help="The table at this step of the match.")
    ] = None,
    knowledge: Annotated[
        bool,
        typer.Option("--knowledge", help="With --at: what that seat, or a spectator, could know, and why."),
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the viewer with this match to one HTML file."),
    ] = None,
    json: Json = False,
) -> None:
    """Show a match: its hands trick by trick with their scores explained, or the table at any step."""
    seen_by = viewer_named(viewer)
    if knowledge and (at is None or seen_by == EVERYTHING):
        raise typer.BadParameter("--knowledge wants a step (--at) and eyes that do not see all (--as)")
    (meant,) = matches_meant(context, match)
    timeline = Timeline(meant.events)
    if not len(timeline):
        complain(timeline.failure.describe() if timeline.failure else f"{match} holds no events")
        raise typer.Exit(1)
    if html is not None:
        write_html(context, match, timeline, meant.comments, html)
    elif knowledge and at is not None and seen_by != EVERYTHING:
        _print_knowledge(knowledge_at(timeline, at, seen_by), names_at(timeline, at), json=json)
    elif json:
        print_json(_as_json(timeline, hand, at, seen_by))
    elif at is not None:
        out.print(f"step {at} of {len(timeline)}: {timeline.step(at).caption.text}")
        out.print(table_drawing(timeline.view(at, seen_by), names_at(timeline, at)))
    elif step:
        step_through(
            timeline,
            _first_step(timeline, hand),
            _last_step(timeline, hand),
            seen_by,
            names_at(timeline, len(timeline)),
        )
    else:
        _print_hands(meant.events, timeline, hand)
    if timeline.failure is not None:
        complain(timeline.failure.describe())
        raise typer.Exit(1)


def names_at(timeline: Timeline, step: int) -> Names:
    """The players' names by seat at a step."""
    return names_by_seat(timeline.state(step).players)


def _first_step(timeline: Timeline, hand: int | None) -> int:
    return 1 if hand is None else timeline.step_of(hand)


def _last_step(timeline: Timeline, hand: int | None) -> int:
    return (
        len(timeline) if hand is None else next(part.last for part in timeline.hands if part.number == hand)
    )


def _as_json(timeline: Timeline, hand: int | None, at: int | None, viewer: Viewer) -> object:
    """One view, or the steps with their events."""
    if at is not None:
        return timeline.view(at, viewer)
    first, last = _first_step(timeline, hand), _last_step(timeline, hand)
    return [timeline.step(number) for number in range(first, last + 1)]


def _print_knowledge(knowledge: Knowledge, names: Names, *, json: bool) -> None:
    """What could be known at a step."""
    if json:
        print_json(told(knowledge))
    else:
        out.print(knowledge_table(told(knowledge), names))


def _print_hands(events: Sequence[Event], timeline: Timeline, hand: int | None) -> None:
    opened = events[0]
    assert isinstance(opened, MatchOpened), "a match begins so"
    out.print(f"match {opened.match}: {opened.ruleset.name}, {opened.origin}, {len(timeline)} steps")
    for line in integrity_notes(events[: len(timeline)]):
        out.print(line, soft_wrap=True, markup=False)
    if not timeline.hands:
        out.print("no hand has been dealt yet")
    if hand is not None:
        timeline.step_of(hand)  # says which hands there are
    for part in timeline.hands:
        if hand in (None, part.number):
            print_hand(events, part.number, names_at(timeline, part.last))


def print_hand(events: Sequence[Event], number: int, names: Names) -> None:
    """A hand trick by trick, and its score explained where it has ended."""
    out.print(trick_list(events, number, names))
    for event in events:
        if isinstance(event, HandEnded) and event.hand_no == number:
            out.print(score_table(event, names))


def audit(
    context: typer.Context,
    matches: Annotated[
        list[str] | None, typer.Argument(metavar="[MATCH…]", help="Matches; all of them if none.")
    ] = None,
    json: Json = False,
) -> None:
    """Check rows against their digests, decide every step anew, recompute every result; name the first difference."""
    with servers_for(context, "audit") as (_, servers), open_pool(servers.database_url) as pool:
        known = [match.id for match in known_matches(pool)]
        wanted = [match_meant(text, known) for text in matches] if matches else known
        with progress() as bars:
            audits = [audit_match(pool, match) for match in bars.track(wanted, description="auditing")]
    if json:
        print_json(audits)
    else:
        _print_audits(audits)
    if not all(one.ok for one in audits):
        raise typer.Exit(1)


def _print_audits(audits: Sequence[MatchAudit]) -> None:
    for one in audits:
        if one.what is not None:
            complain(one.what)
    sound = sum(one.ok for one in audits)
    table = Table("matches", "hands", "events", "sound", "faulty")
    hands, events = sum(one.hands for one in audits), sum(one.events for one in audits)
    table.add_row(str(len(audits)), str(hands), str(events), str(sound), str(len(audits) - sound))
    out.print(table)
