"""`diff` and `notation`: matches as texts, and what tells two of them apart."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from adapters.command_line.arguments import Json, match_meant
from adapters.command_line.console import note, out, print_json
from adapters.command_line.sessions import servers_for
from adapters.match_files import FORMS, Form, match_schema, read_match, written
from adapters.note_files import with_notes
from adapters.postgres.match_rows import known_matches, rows_of_match
from adapters.postgres.recorder import open_pool
from adapters.serialization import decode_row
from replays.compare import ASPECTS, Aspect, compare
from replays.notation import Notation

SOURCE = "A match of the log, or a file of one: its events (JSON, NDJSON) or its notation."


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    app.command(
        "diff",
        epilog="Examples: `gongzhu diff 019abc match.txt`, `gongzhu diff a.txt b.jsonl --ignore times`",
    )(diff)
    app.command(
        "notation", epilog="Examples: `gongzhu notation 019abc`, `gongzhu notation match.jsonl -o match.txt`"
    )(notation)


def diff(
    context: typer.Context,
    one: Annotated[str, typer.Argument(metavar="A", help=SOURCE)],
    other: Annotated[str, typer.Argument(metavar="B", help="The recording to compare it with, likewise.")],
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore", metavar="WHAT", help=f"Do not compare {', '.join(ASPECTS)}; may be repeated."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say in words where two recordings first differ; exit code 1 where they do."""
    ignored = [aspect_named(text) for text in ignore or ()]
    first, second = matches_meant(context, one, other)
    result = compare(first.events, second.events, ignored)
    if (first.comments, first.tags) != (second.comments, second.tags):
        note("their comments, or tags of others, differ; these are not compared")
    if json:
        print_json(result)
    else:
        out.print(result.describe(), markup=False, soft_wrap=True)
    if not result.same:
        raise typer.Exit(1)


def notation(
    context: typer.Context,
    match: Annotated[str, typer.Argument(metavar="MATCH|FILE", help=SOURCE)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to FILE instead of standard output.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help=f"{', '.join(FORMS)}, or schema for the JSON's schema.")
    ] = "notation",
    notes: Annotated[
        Path | None,
        typer.Option("--notes", metavar="FILE", help="Add notes that the viewer saved, as comments."),
    ] = None,
) -> None:
    """Write a match as text that people can read, mail and compare; what is not public yet is not in it."""
    if form == "schema":
        print_json(match_schema())
        return
    wanted = form_named(form)
    (meant,) = matches_meant(context, match)
    if notes is not None:
        meant = with_notes(meant, notes)
    if wanted != "notation" and (meant.comments or meant.tags):
        note(f"comments and tags of others are left out: {wanted} has no place for them")
    content = written(meant, wanted)
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        output.write_bytes(content)
        note(f"wrote {output}")


def aspect_named(text: str) -> Aspect:
    """What is not to be compared; anything else is a usage error."""
    for aspect in ASPECTS:
        if text == aspect:
            return aspect
    raise typer.BadParameter(f"{text!r} cannot be ignored; choose of {', '.join(ASPECTS)}")


def form_named(text: str) -> Form:
    """The form of this name; anything else is a usage error."""
    for form in FORMS:
        if text == form:
            return form
    raise typer.BadParameter(f"there is no form {text!r}; choose one of {', '.join(FORMS)}, schema")


def matches_meant(context: typer.Context, *texts: str) -> list[Notation]:
    """Each match meant, from a file where there is one of that name, else from the log. Says which were cut off."""
    from_files = {text: read_match(Path(text)) for text in texts if Path(text).is_file()}
    for text, found in from_files.items():
        if not found.complete:
            note(f"{text} does not end with `end` and its number of steps: something may have been cut off")
    rest = [text for text in texts if text not in from_files]
    from_log = _from_log(context, rest) if rest else {}
    return [from_files[text] if text in from_files else from_log[text] for text in texts]


def _from_log(context: typer.Context, texts: list[str]) -> dict[str, Notation]:
    with servers_for(context, "notation") as (_, servers), open_pool(servers.database_url) as pool:
        known = [match.id for match in known_matches(pool)]
        meant = {text: match_meant(text, known) for text in texts}
        rows = {text: rows_of_match(pool, match) for text, match in meant.items()}
    return {
        text: Notation(events=tuple(decode_row(row) for row in of_match)) for text, of_match in rows.items()
    }
